#!/bin/sh
# Elided functions, groups, and what to refine by next.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
"$top_builddir/t/lib/make_fixture" cpprofdata || exit 99
"$top_builddir/t/lib/make_fixture" tasks.prof tasks || exit 99

# c COMMANDS [FILE]: $out, $err and $rc of cpprof -c; $below: what is below rules
c() {
	out=$("$cpprof" -c "set format paper" -c "$1" ${2+"$2"} 2>"$tmp/err" </dev/null)
	rc=$?
	err=$(cat "$tmp/err")
	below=$(printf '%s\n' "$out" | awk '/^[A-Z].* Profile for/ { on = 0 }
		on && !/^note:/; /^-----/ { on = 1 }')
}

c 'elide; elide main; hide db_*; elide; body; elide off; elide'
is "$out" "elide off
elide main
elide db_*
Body Function Profile for resource: CPU Time
100 hits in 6 samples, sampled every 1000 gticks (1 gtick = 1 us)
100 ms consumed: 100 ms in samples
1 process, 1 thread
elided: main; db_*
threshold: 0.01
format: usage_fraction function [#hits]
-----------------------------------------------------
0.60000 invoice [60]
0.31000 receipt [31]
0.06000 std::vector<int, std::allocator<int> >::push_back [6]
0.03000 <&'a T as shop::Sell>::sell; now [3]
note: entries on fewer than 20 samples: 4 of 4; their fractions are rough
elide off" "elide: callers get it, totals stay"
c 'elide main; sites on; tree 0.2'
is "$below" "_start (1.00000) [100]
  invoice (0.60000) [60] from shop.c:41
    db_get_property (0.50000) [50] from shop.c:43
      db_read_record (0.50000) [50] from db.c:47
  receipt (0.31000) [31] from shop.c:41
    db_get_property (0.30000) [30] from shop.c:44
      db_read_record (0.30000) [30] from db.c:47" \
	"with sites: an elided call is at the site of its caller"
c 'elide /./; body; tree'
is "$below" "1.00000 [elided] [100]
[elided] (1.00000) [100]" "nothing is left of a stack: [elided]"
c 'elide main; peek main'
like "$err" "main: in no sample of .*, or elided" \
	"callgraph of what is elided says so"
c 'elide main; down main'
is "$rc$err" "1cpprof: -c: main: it is elided
hint: 'elide off' shows it" "an elided root"
c "elide '[lost]'" tasks.prof
is "$rc$err" "1cpprof: -c: [lost]: elide: no function of a program
hint: a name in brackets is not a function" "a loss is not elided"
c 'contains db_read_record; elide db_*; body'
is "$below" "0.50000 invoice [50] 0.62500
0.30000 receipt [30] 0.37500" "filters see what is elided"
c 'elide nosuch'
like "$err" "no function 'nosuch'" "an unknown function"

c 'group; group by module; group; function; down; up libdb.so.2; group off; group'
is "$out" "group by function
group by module
Body+Descendants Function Profile for resource: CPU Time
100 hits in 6 samples, sampled every 1000 gticks (1 gtick = 1 us)
100 ms consumed: 100 ms in samples
1 process, 1 thread
grouped by: module
threshold: 0.01
format: usage_fraction function [#hits]
-----------------------------------------------------
1.00000 shop [100]
0.80000 libdb.so.2 [80]
note: entries on fewer than 20 samples: 2 of 2; their fractions are rough
Downward Call Path Profile for resource: CPU Time
100 hits in 6 samples, sampled every 1000 gticks (1 gtick = 1 us)
100 ms consumed: 100 ms in samples
1 process, 1 thread
grouped by: module
root: main; threshold: 0.01
format: usage_fraction (call_path) [#hits]
-----------------------------------------------------
1.00000 (shop) [100]
0.80000 (shop libdb.so.2) [80]
note: entries on fewer than 20 samples: 2 of 2; their fractions are rough
Upward Call Path Profile for resource: CPU Time
100 hits in 6 samples, sampled every 1000 gticks (1 gtick = 1 us)
100 ms consumed: 100 ms in samples
1 process, 1 thread
grouped by: module
root: libdb.so.2; threshold: 0.01
format: usage_fraction (call_path) [#hits]
-----------------------------------------------------
0.80000 (libdb.so.2) [80]
0.80000 (shop libdb.so.2) [80]
note: entries on fewer than 20 samples: 2 of 2; their fractions are rough
group by function" "group by module: the root is main's module"
c 'group by module; tree' tasks.prof
is "$below" "shop (0.96000) [96]
  libdb.so.2 (0.86000) [86]
    shop (0.06000) [6]
      libdb.so.2 (0.06000) [6]
[unsampled] (0.03000) [0]
[lost] (0.01000) [0]" "modules that call each other"
c 'group by thread; function 0.3; tree 0.3; down worker 0.3; group process; function .8' tasks.prof
is "$below" "0.50000 shop [50]
0.39000 worker [36]
shop (0.50000) [50]
  _start (0.50000) [50]
    main (0.50000) [50]
      invoice (0.50000) [50]
        db_get_property (0.50000) [50]
          db_read_record (0.50000) [50]
worker (0.39000) [36]
  _start (0.36000) [36]
    main (0.36000) [36]
      receipt (0.36000) [36]
        db_get_property (0.36000) [36]
          db_read_record (0.30000) [30]
0.39000 (worker) [36]
0.36000 (worker _start) [36]
0.36000 (worker _start main) [36]
0.36000 (worker _start main receipt) [36]
0.36000 (worker _start main receipt db_get_property) [36]
0.30000 (worker _start main receipt db_get_property db_read_record) [30]
0.89000 shop [86]" "threads and processes"
c 'group by color'
is "$rc$err" "1cpprof: -c: color: group: no such group
hint: group by module, file, thread, process or function; 'group off' ends it" "no such group"
c 'group module file'
is "$rc" 1 "one group at a time"

c 'contains db_get_property; function 0.9; then /receipt/; function 0.01' tasks.prof
is "$below" "0.86000 _start [86] 1.00000
0.86000 db_get_property [86] 1.00000
0.86000 db_read_record [86] 1.00000
0.86000 main [86] 1.00000
0.06000 db_read_record [6] 1.00000" "after then: what lies below its function"
like "$out" "^functions below that of the last filter, by their share of what it keeps$" \
	"and said so"
c 'contains main; then receipt; elide db_*; function; without nosuch*; undo; undo; function 0.9' tasks.prof
is "$rc" 1 "an error on the way"
is "$(printf '%s\n' "$below" | head -n 1)" "0.06000 receipt [6] 0.16667" \
	"an elided function is no refinement"

report() {
	out=$("$cpprof" report "$@" 2>err)
	rc=$?
}
report --body --elide='db_*' --elide main -r cpu --format=csv
is "$(printf '%s\n' "$out" | sed -n '2s/,.*00,60,.*/ 60/p')" "body 60" "report --elide"
report --down=shop --group=module -r cpu --format=json
for part in '"path":["shop","libdb.so.2"]' '"group":"module"' '"elided":[]'; do
	case $out in
	*"$part"*) ok 0 "JSON: $part" ;;
	*) ok 1 "JSON: $part" ;;
	esac
done
report --group=color
is "$rc" 1 "report --group=color fails"
is "$("$cpprof" export --group=thread tasks.prof)" \
	"shop;_start;main;invoice;db_get_property;db_read_record 50
worker;_start;main;receipt;db_get_property;db_read_record 30
sh;_start;main;std::vector<int, std::allocator<int> >::push_back 10
worker;_start;main;receipt;db_get_property;receipt;db_read_record 6
worker;[unsampled] 3
[lost] 1" "export by thread"
is "$("$cpprof" export --elide='db_*' | head -n 1)" "_start;main;invoice 60" \
	"export without a library"
"$cpprof" export --format=html --group=module -o page.html
is "$?" 0 "export to html by module"
# What comes back from other formats is what the report shows.
for view in --elide=main '--elide=db_*' --group=file --group=module; do
	"$cpprof" report -F -t 0 -f csv "$view" | grep -v '^profile,' | cut -d, -f2-6 | sort >wanted
	for format in pprof perf-script; do
		"$cpprof" export --format=$format "$view" -o out &&
			"$cpprof" import -q out -o back
		"$cpprof" report -F -t 0 -f csv back | grep -v '^profile,' | cut -d, -f2-6 |
			sort >got
		cmp -s wanted got && [ -s got ]
		ok $? "export to $format with $view"
	done
done
# As people see it, too.
out=$("$cpprof" -c 'group by module; body' 2>&1)
like "$out" "80.0 %.* libdb.so.2" "the table has groups"
# No group is a wrapper, and files of one name in different folders are two.
for dir in here there; do
	for n in 1 2 3 4 5; do
		printf 'tar 7/7 [000] 1.0: 1000000 cpu-clock:\n\t%s\n\t%s\n\t%s\n\n' \
			'2000 read (/lib/libc.so.6)' "1000 $dir (/$dir/two.py)" '1000 main (/bin/tar)'
	done
done | "$cpprof" import -q --from=perf -o folders -
is "$("$cpprof" report -F --group=module folders | tail -n +7)" "  100.0 %?  100.0 %? libc.so.6
  100.0 %?    0.0 %  tar
   50.0 %?    0.0 %  /here/two.py
   50.0 %?    0.0 %  /there/two.py
? rough: fewer than 20 samples stand behind it" "each module has a line"
like "$("$cpprof" report -F --group=module -n 2 folders)" "0.0 %  2 more modules$" "... or is counted as one"
like "$("$cpprof" report -F folders)" "more function|wrapper" "which functions may be"
# On a wide terminal a long path does not take the figures from short ones.
far=a_function_with_a_long_name
echo "m;$far;$far.b;$far.c;$far.d;$far.e 60
m;short 60" >wide.folded
"$cpprof" import -q -o wide wide.folded
out=$(COLUMNS=200 "$cpprof" report wide)
like "$out" "^ +50.0 %    $far > .* > $far.e$" "a long path is whole at 200 columns"
like "$out" "^ +50.0 %    short$" "... and the figure of a short one is near it"

# A chain of N functions has N paths: for programs the middle of a long one is
# one step, or 10 000 functions fill a disk.  The tree and exports have all.
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "f%d;", i; print "leaf 100" }' >long.folded
"$cpprof" import -q -o long long.folded
"$cpprof" report --down=f0 --format=csv long >long.csv
is "$(awk -F'"' 'NR > 1 { n = split($4, path, ";"); m = split($6, file, ";")
	all += n
	if (n > most) most = n
	if (n != m) print "files" }
	END { print NR, most, all, path[8], path[9], path[10], path[17] }' long.csv)" \
	"3002 256 $((256 * 257 / 2 + 2745 * 17)) f7 [2985 functions] f2993 leaf" \
	"a long path in CSV"
is "$("$cpprof" report --down=f0 --format=json long | tr -d ' \n' |
	grep -o '\["f0",[^]]*"f7","[^"]*","f[0-9]*"' | tail -n 1 |
	sed 's/.*"f7",//')" '"[2985functions]","f2993"' "... in JSON"
is "$("$cpprof" report --down=f0 --format=paper long |
	grep -c ' f7 \[2985 functions\] f2993 .* leaf) \[100\]$')" 1 "... on paper"
is "$("$cpprof" report --why=f0 --format=csv long | awk -F'"' '
	{ n = split($2, path, ";"); if (n > most) most = n }
	END { print most, n }')" "256 17" "... and of why"
"$cpprof" export -o long.out long
cmp -s long.folded long.out
ok $? "an export has the stack as it was"
is "$("$cpprof" report --tree --format=paper long |
	sed -n 's/^ *\(\[[0-9]* deep\].*\)/\1/p' | tail -n 1)" \
	"[3001 deep] leaf (1.00000) [100]" "the tree on paper"

# A cycle is a path: it is broken between its functions.
echo 'tool+0x7f4d20;tool+0x7f4850;tool+0x7f47f0;tool+0x7f4d20 10' >round.folded
"$cpprof" import -q -o round round.folded
is "$(COLUMNS=60 "$cpprof" callgraph --cycles round | tail -n +3)" \
	"  100.0 %?       1  tool+0x7f4d20 > tool+0x7f4850
                       > tool+0x7f47f0 > tool+0x7f4d20
? rough: fewer than 20 samples stand behind it" "a cycle that is longer than a line"

# A stack 400 000 deep takes seconds, and minutes if each of its paths is walked
# from its begin.
awk 'BEGIN { for (i = 0; i < 400000; i++) printf "f%d;", i; print "leaf 100" }' >deep.folded
"$cpprof" import -q -o deep deep.folded
like "$(timeout -k 5 120 "$cpprof" report --down=f0 deep)" "^ +100.0 % .*> leaf$" \
	"the downward profile of a stack 400 000 deep"
like "$(timeout -k 5 120 "$cpprof" report --up=leaf --form=list deep)" "^ +100.0 % .*> leaf$" \
	"... and the upward one"
# The counting object is in no answer: its malloc is libc's, and what that does is
# malloc's, or its caller's.
printf '%s\n' '# resource bytes: gtick byte; interval 1; hits 4; samples 4; in samples 4' \
	'x 1/1 1.0: 2 bytes:' '	10 malloc+0x1 (/usr/lib/libcpprof-count.so)' \
	'	20 main+0x1 (/bin/x)' '' \
	'x 1/1 1.0: 1 bytes:' '	10 malloc+0x1 (/usr/lib/libc.so.6)' \
	'	20 main+0x1 (/bin/x)' '' \
	'x 1/1 1.0: 1 bytes:' '	30 cpprof_stop+0x1 (/usr/lib/libcpprof-count.so)' \
	'	10 malloc+0x1 (/usr/lib/libcpprof-count.so)' '	20 main+0x1 (/bin/x)' '' \
	'x 1/1 1.0: 4 bytes:' '	40 find+0x1 (/usr/lib/libcpprof-count.so)' \
	'	50 cpprof_begin+0x1 (/usr/lib/libcpprof-count.so)' '	20 main+0x1 (/bin/x)' '' \
	>counted.text
"$cpprof" import -q --from=perf -o counted counted.text
is "$("$cpprof" export -f folded counted | sort)" "main 4
main;malloc 4" "what cpprof itself has loaded is in no stack"
unlike "$("$cpprof" report -F -t 0 -f json counted; "$cpprof" export -f perf-script counted)" \
	'libcpprof' "... nor in another answer"
done_testing
