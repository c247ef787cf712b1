#!/bin/sh
# Processes, threads and filters, in the shell and on the command line.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
"$top_builddir/t/lib/make_fixture" cpprofdata tasks || exit 99

# c COMMANDS: $out, $err and $rc of cpprof -c
c() {
	out=$("$cpprof" -c "set format paper" -c "$1" 2>"$tmp/err" </dev/null)
	rc=$?
	err=$(cat "$tmp/err")
}

# below: what of $out stands below the rule
below() {
	printf '%s\n' "$out" | sed '1,/^-----/d'
}

# rows: what of $out stands below the titles of a table
rows() {
	printf '%s\n' "$out" | sed '1,/^ *total/d'
}

c processes
is "$out" "cpu 100 ms   4 samples, each for 1 ms or more   4.0 % in no stack

    total     amount  id        pid  parent   lasted  name  command
   89.0 %    89.0 ms  %2        201  %1       499 ms  shop  /usr/bin/shop
   10.0 %    10.0 ms  %1        200  -        999 ms  sh    /bin/dash
1.0 %, 1.00 ms, could not be charged to a thread" "processes, for which the paper has no form"
c 'threads 6%'
is "$(rows)" "   50.0 %    50.0 ms  %2        201  %2       499 ms  shop    main
   33.0 %    33.0 ms  %3        202  %2       254 ms  worker  main
   10.0 %    10.0 ms  %1        200  %1       999 ms  sh      main
    6.0 %    6.00 ms  %4        203  %2       499 ms  worker  main
1.0 %, 1.00 ms, could not be charged to a thread" "threads, with the loss of one"
c 'threads .2 > file; threads .4 | grep -c worker'
is "$out" 0 "through a pipe"
is "$(grep -c '^ *[0-9.]* %.*%' file)" 2 "and to a file, with a threshold"
like "$(cat file)" "^2 more threads below 20 %, 16\.0 % in all$" "which tells how many it hides"

c 'filters; contains; undo'
is "$out" "# no filter is in force
# no filter is in force" "no filters at first"
is "$rc$err" "1cpprof: -c: undo: no filter is in force
hint: contains, then, without, module, process, thread and window set filters; 'only off', 'elide off' and 'group off' end theirs" "nothing to undo"

c 'thread worker; contains receipt; then receipt; filters; down receipt'
is "$out" "thread worker
contains receipt
then receipt
# keeps 6.0 % of cpu
Downward Call Path Profile for resource: CPU Time
96 hits in 4 samples, sampled every 1000 gticks (1 gtick = 1 us)
100 ms consumed: 96 ms in samples, 1 ms [lost] (1 sample), 3 ms [unsampled]
2 processes, 4 threads
filters: thread worker; contains receipt; then receipt
kept: 0.06000 of the run, 6 ms, 6 hits in 1 sample
in the whole run only: 4 ms of losses in no thread or stack that the filters keep
root: receipt; threshold: 0.01 of what is kept
format: usage_fraction (call_path) [#hits] kept_fraction
-----------------------------------------------------
0.06000 (receipt) [6] 1.00000
0.06000 (receipt db_get_property) [6] 1.00000
0.06000 (receipt db_read_record) [6] 1.00000
0.06000 (receipt db_get_property receipt) [6] 1.00000
note: entries on fewer than 20 samples: 4 of 4; their fractions are rough" \
	"three filters: the whole golden profile"

c 'thread worker; body'
is "$(below)" "0.36000 db_read_record [36] 0.92308
0.03000 [unsampled] [0] 0.07692
note: entries on fewer than 20 samples: 1 of 2; their fractions are rough" "all threads of a name, and their loss"
c 'thread 203; body 0'
is "$(below | head -n 1)" "0.06000 db_read_record [6] 1.00000" "a thread by number"
c 'process sh; body 0'
like "$(below)" "^0.10000 std::vector.* \[10\] 1.00000" "a process by name"
c 'process dash; undo; process /bin/dash; undo; process 200; undo; process %1; filters'
is "$out" "process %1
# keeps 10.0 % of cpu" "by program, path, pid and id"
c 'process shop; thread worker; processes'
is "$(rows)" "   39.0 %  100.0 %    39.0 ms  %2        201  %1       499 ms  shop
    0.0 %    0.0 %       0 us  %1        200  -        999 ms  sh" \
	"processes under filters"
c 'contains receipt; threads .1'
is "$(rows)" "   30.0 %   83.3 %    30.0 ms  %3        202  %2       254 ms  worker  main
    6.0 %   16.7 %    6.00 ms  %4        203  %2       499 ms  worker  main
2 more threads in no sample that is kept" "threads that call a function"

c 'contains db_get_property; then receipt; body; undo; body; undo; body'
is "$(printf '%s\n' "$out" | grep db_read)" "0.06000 db_read_record [6] 1.00000
0.86000 db_read_record [86] 1.00000
0.86000 db_read_record [86]" "undo takes the last away"
c 'contains receipt; contains invoice; body'
is "$rc$err" "1cpprof: -c: cpu: the filters keep none of it
hint: in the shell 'filters' lists them, and 'undo' takes the last away" "filters that leave nothing"
c "contains receipt; down invoice"
like "$err" "invoice: in no sample of cpu that the filters keep" "a root that is not kept"
c 'contains receipt; down main .9999; down db_get_property 0.9'
is "$rc" 0 "the threshold is of what is kept"
c "contains '[lost]'; body"
is "$(below)" "0.01000 [lost] [0] 1.00000" "a loss has a stack of its own"
c 'contains receipt; intervals on; body'
like "$(below)" "^0.36000 db_read_record \[36\] 1.00000 0.[0-9]*\.\.0.[0-9]*$" \
	"the interval is that of the usage fraction"

c "contains \"<&'a T as shop::Sell>::sell; now\"; filters"
is "$out" "contains \"<&'a T as shop::Sell>::sell; now\"
# keeps 0.0 % of cpu" "filters are shown as they can be typed"
for bad in 'process shp' 'thread workr' 'contains db_get_proprety' \
	'thread worker; then receipt'; do
	c "$bad"
	is "$rc" 1 "fails: $bad"
done
c 'thread worker; thread workr'
like "$err" "no thread 'workr'; nearest: worker" "the nearest is proposed"

# Without, modules, patterns.
c 'ignore receipt; focus db_get*; filters; body'
is "$(printf '%s\n' "$out" | head -n 3)" "without receipt
contains db_get*
# keeps 50.0 % of cpu" "without and contains, by the names of pprof, with a glob"
is "$(below | head -n 1)" "0.50000 db_read_record [50] 1.00000" "what they keep"
c 'without /^db_/; body 0'
is "$(below | head -n 1)" "0.10000 std::vector<int, std::allocator<int> >::push_back [10] 1.00000" \
	"without a regular expression"
like "$out" "^in the whole run only: 4 ms of losses in no thread or stack that the filters keep" \
	"keeps no loss: it may have had the function"
c 'module libdb.so.2; filters; undo; module /shop/; filters; undo; contains libdb*!*; filters'
is "$out" "module libdb.so.2
# keeps 86.0 % of cpu
module /shop/
# keeps 96.0 % of cpu
contains libdb*!*
# keeps 86.0 % of cpu" "modules"
c 'thread /^work/; process s*; filters'
is "$out" "thread /^work/
process s*
# keeps 39.0 % of cpu" "threads and processes by patterns"
c 'module libdb.so.3'
is "$rc$err" "1cpprof: -c: no module 'libdb.so.3'; nearest: libdb.so.2
hint: 'group by module; function' in the shell lists them" "no such module"
c 'contains /f(/'
like "$err" "/f[(]/: regular expression: " "a regular expression that is none"
like "$err" "hint: write" "and how to write it"
c 'contains nosuch*'
is "$rc$err" "1cpprof: -c: no function fits 'nosuch*'
hint: a glob stands for a whole name: '*part*'" "a glob that fits nothing"
c "only '*.py!*'"
like "$err" "^hint: there is no Python function in the file; a run as root" \
	"... and one for a file of another language"
printf '%s\n' 'python3 1 1.0: 1 samples:' '	1000 py::f:/a.py (/tmp/perf-1.map)' '' |
	"$cpprof" import -q --from=perf -o perf_map -
like "$("$cpprof" report --only='*.py!*' perf_map 2>&1)" \
	"^hint: Python's functions have the names of its perf map here: 'py::\\*'" \
	"... and for Python's own names"

echo 'main;worker;lock;futex 50' | counted chain
is "$("$cpprof" report -F --only='/main|worker/' chain | awk '$NF == "shop" { print $(NF - 1) }' | tr '\n' ' ')" \
	"worker main " "what 'only' names is no wrapper"

# A part of the run: samples are 1 ms apart, the first one 501 ms behind the start.
c 'window ..502500us; function'
is "$rc" 0 "window"
like "$out" "^consumed in the window: not known; the figures are of its samples$" \
	"what was consumed in it is not known, and said so"
like "$out" "^in the whole run only: 4 ms of losses in no window, thread or stack that the filters keep$" \
	"nor when a loss was"
all=$("$cpprof" -c 'window ..502ms; filters; undo; window .502s..503ms; filters; undo
	window 503ms..; filters' | sed -n 's/^# keeps \([0-9.]*\) .*/\1/p' |
	awk '{ all += $1; n++ } END { printf "%d %.1f", n, all }')
is "$all" "3 96.0" "windows side by side have all samples once"
c 'window 501ms..503ms; window 502ms..504ms; filters'
with=$(printf '%s\n' "$out" | tail -n 1)
c 'window 502ms..503ms; filters'
is "$(printf '%s\n' "$out" | tail -n 1)" "$with" "windows stack up"
like "$with" "keeps 50.0 %" "and keep what both have"
c 'window 5'
is "$rc$err" "1cpprof: -c: 5: window: not a part of the run
hint: from and to, since the run began: 10s..20s, 500ms..1.5s, ..2s, 1min.." "no window"
out=$("$cpprof" shell -c 'window 1ms..2ms' - <cpprofdata 2>&1)
is "$out" "cpprof: -c: standard input: window: it cannot be read a second time
hint: write it to a file first" "standard input has no windows"

report() {
	out=$("$cpprof" report --format=paper "$@" 2>err)
	rc=$?
}
report --body --thread=worker --contains receipt --then receipt
is "$(below | head -n 1)" "0.06000 db_read_record [6] 1.00000" "report"
like "$out" "^filters: thread worker; contains receipt; then receipt$" \
	"in the order given"
report --then receipt --contains receipt
is "$rc" 1 "which matters"
like "$(cat err)" "then: below what" "and is told"
report --body --without='db_*' --module=shop --window=..1h
is "$rc" 0 "report: --without, --module, --window"
like "$out" "^filters: without db_\*; module shop; window \.\.1h$" "all told"
report --body --contains receipt --format csv
is "$out" "profile,resource,path,fraction,hits,weight,samples,depth,kept_fraction,modules,files,sites
body,\"cpu\",\"db_read_record\",0.36000,36,36000,2,,1.00000,\"libdb.so.2\",\"\",\"\"" "CSV has both fractions"
report --body --process shop --contains receipt --format json
for part in '"filters":[{"kind":"process","name":"shop"},{"kind":"contains","name":"receipt"}]' \
	'"kept":{"weight":36000,"hits":36,"samples":2}' \
	'"hits":96,"samples":4' '"fraction":0.36' '"kept_fraction":1.0'; do
	case $out in
	*"$part"*) ok 0 "JSON: $part" ;;
	*) ok 1 "JSON: $part" ;;
	esac
done
is "$("$cpprof" report --processes --threshold=0)" \
	"cpu 100 ms   4 samples, each for 1 ms or more   4.0 % in no stack

    total     amount  id        pid  parent   lasted  name  command
   89.0 %    89.0 ms  %2        201  %1       499 ms  shop  /usr/bin/shop
   10.0 %    10.0 ms  %1        200  -        999 ms  sh    /bin/dash
1.0 %, 1.00 ms, could not be charged to a thread" "report --processes"
is "$(COLUMNS=40 "$cpprof" report --threads --process=shop --threshold=6%)" \
	"cpu 100 ms
  4 samples, each for 1 ms or more
  4.0 % in no stack

filters: process shop
kept: 89.0 % of the run, 89 ms, 86 hits
  in 3 samples
in the whole run only: 1 ms of losses in
  no thread or stack that the filters
  keep

    total  of kept  id    name
   50.0 %   56.2 %  %2    shop main
   33.0 %   37.1 %  %3    worker main
    6.0 %    6.7 %  %4    worker main
1 more thread in no sample that is kept" "narrow"
printf 'worker-1 7/7 [000] 1.0: 1000000 cpu-clock:\n\t1000 thread_native_entry_of_all (/prog)\n\n' |
	"$cpprof" import -q --from=perf -o "$tmp/names" -
# Ten are shown, whatever they have, where nobody chose less; the others are counted.
for tid in 1 2 3 4 5 6 7 8 9 10 11; do
	n=$((tid == 1 ? 1990 : 1))
	while [ $((n -= 1)) -ge 0 ]; do
		printf 'work 7/%d [000] 1.0: 1000000 cpu-clock:\n\t1000 f (/prog)\n\n' $tid
	done
done | "$cpprof" import -q --from=perf -o "$tmp/many" -
is "$("$cpprof" report --threads --width=80 "$tmp/many" | awk '/ %[0-9]/ { n++ } / more / { print } END { print n }')" \
	"1 more thread below 1 %, 0.1 % in all
10" "ten threads"
is "$("$cpprof" report --threads --width=80 -t 1% "$tmp/many" | grep ' more ')" \
	"10 more threads below 1 %, 0.5 % in all" "or those that reach a threshold"
is "$("$cpprof" report --threads --width=80 -n 1 -t 0 "$tmp/many" | awk '/ %[0-9]/ { n++ } / more / { print } END { print n }')" \
	"10 more threads, 0.5 % in all
1" "or so many as -n says"
is "$("$cpprof" report --threads --width=80 -n 11 "$tmp/many" | grep -c ' %[0-9]')" 11 "... or more than ten"
# Of one name and below the threshold: one line, in its place.
pid=0
for of in main:80 expr:20 expr:10 expr:10 expr:10 expr:10 expr:10 last:1; do
	pid=$((pid + 1)) n=${of#*:}
	while [ $((n -= 1)) -ge 0 ]; do
		printf '%s %d/%d [000] 1.0: 1000000 cpu-clock:\n\t1000 f (/prog)\n\n' \
			"${of%:*}" $pid $pid
	done
done | "$cpprof" import -q --from=perf -o "$tmp/small" -
is "$("$cpprof" report --processes --width=80 -t 12% "$tmp/small" | grep -A 9 amount)" \
	"    total     amount  id        pid  parent   lasted  name  command
   53.0 %    80.0 ms  %1          1  -          0 us  main  -
   33.1 %    50.0 ms                                  expr  5 processes
   13.2 %    20.0 ms  %2          2  -          0 us  expr  -
1 more process below 12 %, 0.7 % in all" "processes of one name are one"
is "$("$cpprof" report --processes -t 12% -f csv "$tmp/small" | wc -l)" 3 "... but not for programs"
for columns in 64 50; do
	COLUMNS=$columns "$cpprof" report --threads "$tmp/names" | grep -o 'worker.*'
done >"$tmp/out"
is "$(cat "$tmp/out")" "worker-1 thread_native_entry_of_all
worker-1" "what a thread runs is whole, or not there"
is "$("$cpprof" report --processes --threshold=50% --format=csv)" \
	"profile,resource,name,program,id,parent,pid,fraction,hits,weight,duration,kept_fraction,arguments
processes,\"cpu\",\"shop\",\"/usr/bin/shop\",2,1,201,0.89000,86,89000,0.499000,0.89000,\"\"" \
	"processes as CSV"
out=$("$cpprof" report --processes --threads --format=json --process shop)
is "$(printf '%s\n' "$out" | sed 's/.*\("profile":"[a-z]*"\).*/\1/')" '"profile":"processes"
"profile":"threads"' "processes and threads as JSON"
for part in '"all":2,"unassigned":0' '"filters":[{"kind":"process","name":"shop"}]' \
	'{"id":2,"parent":1,"pid":201,"name":"shop","program":"/usr/bin/shop"' \
	'"hits":86,"weight":89000,"fraction":0.89,"kept_fraction":1.0,"arguments":null}'; do
	case $out in
	*"$part"*) ok 0 "JSON: $part" ;;
	*) ok 1 "JSON: $part" ;;
	esac
done
is "$("$cpprof" export --thread worker --contains receipt)" \
	"_start;main;receipt;db_get_property;db_read_record 30
_start;main;receipt;db_get_property;receipt;db_read_record 6" "export"
"$cpprof" export --thread nosuch >out 2>err
is "$?$(cat out)" 1 "export of a thread that is not there"
done_testing
