#!/bin/sh
# What the commands print that ask for more than a profile, at three widths, for
# files whose figures can be worked out by hand.
. "$(dirname "$0")/../lib/lib.sh"
. "$top_srcdir/t/lib/golden.sh"
cd "$tmp" || exit 99
for file in calls tasks; do
	"$top_builddir/t/lib/make_fixture" $file $file || exit 99
done

# calls: of 100 ms db_get_property has 50 by way of invoice, in db_read_record,
# and 30 by way of receipt, itself; a push has 20.  invoice called it 10 times,
# receipt 60 times.
#
# 50 ms for 10 calls, 30 for 60, 80 for 70.  The calls are exact; a sum of n
# samples is wrong by up to 1.96 / sqrt(n): of 50 by 28 %, of 30 by 36 %, of 80 by
# 22 %.  main and _start have the paths twice more.
transcript calls percall <<'END'
cpu per call of db_get_property, every call counted
  per call   95 % +-         calls    share  call path
   1.14 ms      22 %            70  100.0 %  db_get_property
      5 ms      28 %            10   62.5 %  invoice > db_get_property
    500 us      36 %            60   37.5 %  receipt > db_get_property
4 longer paths, with the figures of a shorter one
END
# Two threads in turn call f 100 times each: of 200 calls 180 take a fault, 18 take
# 10, two take 100; f calls itself, which is no call of its own, and g's own faults
# are in no call.
awk 'BEGIN {
	print "# resource faults: gtick fault; interval 1 (events); hits 564; samples 564; in samples 564"
	print "# resource calls=f: gtick call; interval 1 (events); hits 202; samples 202; in samples 202"
	for (i = 1; i <= 100; i++)
		for (thread = 1; thread <= 2; thread++) {
			sample("calls=f", 1, "f g")
			if (i == 50)
				sample("calls=f", 1, "f f g")
			n = i % 100 == 0 ? 100 : i % 10 == 0 ? 10 : 1
			for (k = 0; k < n; k++)
				sample("faults", 1, k % 2 ? "f f g" : "f g")
			if (i > 98)
				sample("faults", 1, "g")
		}
}
function sample(event, weight, stack,    n, i, names) {
	printf "x 1/%d %.6f: %d %s:\n", thread, ++now / 1000, weight, event
	n = split(stack, names, " ")
	for (i = 1; i <= n; i++)
		printf "\t10 %s+0x1 (/bin/x)\n", names[i]
	print ""
}' >turns.text
"$cpprof" import -q --from=perf -o turns turns.text || exit 99
transcript turns 'resource faults; percall' <<'END'
faults per call of f, every call counted
over the calls: least 1, median 1, 99 % 10, most 100
  per call   95 % +-         calls    share  call path
       2.8     exact           200  100.0 %  f
1 longer path, with the figures of a shorter one
END
like "$("$cpprof" report -r faults --percall -f json turns)" \
	'"spread":\{"least":1,"median":1,"p99":10,"most":100,"step":1\}' \
	"the spread over the calls, for programs"
sed '1s/interval 1 /interval 10 /' turns.text >coarse.text
"$cpprof" import -q --from=perf -o coarse coarse.text || exit 99
like "$("$cpprof" report -r faults --percall coarse)" \
	"^over the calls: not known, most have no sample" \
	"a sample stands for more than a call has"

is "$("$cpprof" report -r calls --down=main calls | tail -n +2)" \
	"$("$cpprof" report -r calls=db_get_property --down=main calls | tail -n +2)" \
	"-r calls is the one that the file has"

# The file does not tell the time of the probes apart: of 30 ms that 60 calls took
# it could be too much.
is "$("$cpprof" shell -c 'contains receipt; percall' calls 2>&1)" \
	"cpprof: -c: cpu: percall: it includes the time of the probes at 60 calls, which cannot be taken out
hint: cpu has it as [probes]: cpprof run -r cpu,calls=db_get_property -- PROG" \
	"what cannot be told is refused"
# Of 70 calls invoice made 14.3 %, receipt 85.7 %.  Who only calls on is a wrapper
# if it does so under both resources: _start, invoice and receipt, but not main.
# The mark stands where a share is a third of that of time, or three times it.
transcript calls why <<'END'
      cpu     calls=db_get_   function
                   property
   100 ms                70   in all
  100.0 %           100.0 %   main
   80.0 %           100.0 %   db_get_property
   50.0 %             0.0 % - db_read_record
   20.0 %             0.0 % - std::vector<int>::push_back
3 wrappers
+ at least three times its share of cpu, - at most a third, and by 5 points
END
transcript calls 'fold off; why' <<'END'
      cpu     calls=db_get_   function
                   property
   100 ms                70   in all
  100.0 %           100.0 %   _start
  100.0 %           100.0 %   main
   80.0 %           100.0 %   db_get_property
   50.0 %            14.3 % - invoice
   50.0 %             0.0 % - db_read_record
   30.0 %            85.7 %   receipt
   20.0 %             0.0 % - std::vector<int>::push_back
+ at least three times its share of cpu, - at most a third, and by 5 points
END
# 85.7 % is less than three times 30 %.  The other resource first: 14.3 % and
# 85.7 % are still what they are beside time.
transcript calls 'threshold .3; why main calls=db_get_property' <<'END'
   calls=db_get_        cpu   call path
        property
              70     100 ms   in all
         100.0 %    100.0 %   main
          85.7 %     30.0 %     receipt > db_get_property
          14.3 % -   50.0 %     invoice > db_get_property
           0.0 % -   50.0 %       db_read_record
+ at least three times its share of cpu, - at most a third, and by 5 points
END

# list: in this file main calls at line 42 of shop.c, and db_get_property works
# and calls at line 47 of db.c.
for file in shop db; do
	awk -v f=$file 'BEGIN { for (i = 1; i <= 60; i++)
		printf "\t%s_line_%d();\n", f, i }' >$file.c
done
touch -d '2001-01-01' shop.c db.c
is "$("$cpprof" shell -c 'set source-path .; list main' calls | plain)" \
	"Source lines of cpu: 100 ms in 100 samples
     total      self   line
  100.0 %            main  shop
                     ./shop.c
                     39          shop_line_39();
                     40          shop_line_40();
                     41          shop_line_41();
  100.0 %            42          shop_line_42();
                     43          shop_line_43();
                     44          shop_line_44();
                     45          shop_line_45();" "list main"
is "$("$cpprof" shell -c 'set source-path .; contains receipt; list db_get_property' calls | plain)" \
	"Source lines of cpu: 100 ms in 100 samples
filters: contains receipt
kept: 30.0 % of the run, 30 ms, 30 hits in 30 samples
     total      self   line
   30.0 %    30.0 %  db_get_property  libdb.so.2
                     ./db.c
                     44          db_line_44();
                     45          db_line_45();
                     46          db_line_46();
   30.0 %    30.0 %  47          db_line_47();
                     48          db_line_48();
                     49          db_line_49();
                     50          db_line_50();" "list under a filter"

# Groups: the program's own is the push; all else goes on into the library.
transcript calls 'group by module; f; d [all]' <<'END'
cpu 100 ms   100 samples, one every 1 ms   all accounted for
grouped by: module
    total      self  module
  100.0 %    20.0 %  shop
   80.0 %    80.0 %  libdb.so.2
cpu 100 ms   100 samples, one every 1 ms   all accounted for
grouped by: module
  100.0 %  shop
   80.0 %    libdb.so.2
END
# No file is known, so each is its module.
transcript calls 'group by file; f' <<'END'
cpu 100 ms   100 samples, one every 1 ms   all accounted for
grouped by: file
    total      self  file
  100.0 %    20.0 %  shop
   80.0 %    80.0 %  libdb.so.2
END
# tasks: sh has 10 ms, the first thread of shop 50, two threads named worker 30
# and 6, one of them 3 more in no sample; 1 is lost by nobody knows whom.  In the
# stack of 6 receipt calls itself by way of db_get_property: from there its path is
# receipt's.
transcript tasks 'group by thread; f; d [all]' <<'END'
cpu 100 ms   4 samples, each for 1 ms or more   4.0 % in no stack
grouped by: thread
    total      self  thread
   50.0 %?   50.0 %? shop
   39.0 %?   39.0 %? worker
   10.0 %?   10.0 %? sh
    1.0 %     1.0 %  [lost]
? rough: fewer than 20 samples stand behind it
cpu 100 ms   4 samples, each for 1 ms or more   4.0 % in no stack
grouped by: thread
   50.0 %? shop > _start > main > invoice > db_get_property > db_read_record
   39.0 %? worker
   36.0 %*   main > receipt
   36.0 %?     db_get_property
   30.0 %?       db_read_record
    6.0 %?       receipt
    6.0 %?     db_read_record
    3.0 %    [unsampled]
   10.0 %? sh > _start > main > std::vector<int>::push_back
    1.0 %  [lost]
? rough: fewer than 20 samples stand behind it
END
# The process shop has its three threads: 50 + 30 + 6 + 3.
transcript tasks 'group by process; f; b' <<'END'
cpu 100 ms   4 samples, each for 1 ms or more   4.0 % in no stack
grouped by: process
    total      self  process
   89.0 %?   89.0 %? shop
   10.0 %?   10.0 %? sh
    1.0 %     1.0 %  [lost]
? rough: fewer than 20 samples stand behind it
cpu 100 ms   4 samples, each for 1 ms or more   4.0 % in no stack
grouped by: process
    total      self  process
   89.0 %?   89.0 %? shop
   10.0 %?   10.0 %? sh
    1.0 %     1.0 %  [lost]
? rough: fewer than 20 samples stand behind it
END

# elide: what the library has is its callers'.
transcript calls 'elide libdb.so.2!*; f; d main' <<'END'
cpu 100 ms   100 samples, one every 1 ms   all accounted for
elided: libdb.so.2!*
    total      self  function
  100.0 %     0.0 %  main                         shop
   50.0 %    50.0 %  invoice                      shop
   30.0 %    30.0 %  receipt                      shop
   20.0 %    20.0 %  std::vector<int>::push_back  shop
              0.0 %  1 wrapper
cpu 100 ms   100 samples, one every 1 ms   all accounted for
elided: libdb.so.2!*
  100.0 %  main
   50.0 %    invoice
   30.0 %    receipt
   20.0 %    std::vector<int>::push_back
END

# window: the samples are 1 ms apart, the first 50 invoice's, the next 30
# receipt's.
transcript calls 'window 50.5ms..80.5ms; f; undo; window 0s..50.5ms; d main' <<'END'
cpu 100 ms   100 samples, one every 1 ms   all accounted for
filters: window 50.5ms..80.5ms
kept: 30.0 % of the run, 30 ms, 30 hits in 30 samples
consumed in the window: not known; the figures are of its samples
    total      self   of kept  function
   30.0 %    30.0 %   100.0 %  db_get_property  libdb.so.2
              0.0 %            3 wrappers
cpu 100 ms   100 samples, one every 1 ms   all accounted for
filters: window 0s..50.5ms
kept: 50.0 % of the run, 50 ms, 50 hits in 50 samples
consumed in the window: not known; the figures are of its samples
    total   of kept  call path
   50.0 %   100.0 %  main > invoice > db_get_property > db_read_record
END
transcript calls 'contains receipt; then db_get_property; d receipt; filters' <<'END'
cpu 100 ms   100 samples, one every 1 ms   all accounted for
filters: contains receipt; then db_get_property
kept: 30.0 % of the run, 30 ms, 30 hits in 30 samples
    total   of kept  call path
   30.0 %   100.0 %  receipt > db_get_property
contains receipt
then db_get_property
# keeps 30.0 % of cpu
END
# tasks: with `contains db_read_record; without invoice' 36 are left.
transcript tasks 'contains db_read_record; without invoice; b; undo; undo; filters' <<'END'
cpu 100 ms   4 samples, each for 1 ms or more   4.0 % in no stack
filters: contains db_read_record; without invoice
kept: 36.0 % of the run, 36 ms, 36 hits in 2 samples
in the whole run only: 4 ms of losses in no thread or stack that the filters
  keep
    total      self   of kept  function
   36.0 %?   36.0 %?  100.0 %  db_read_record  libdb.so.2
              0.0 %            4 more functions
? rough: fewer than 20 samples stand behind it
# no filter is in force
END

# advise: f has 90 of its 100 by way of a > b, a third of the 300 in all.
printf '%s\n' 'main;a;b;f 90' 'main;c;b;f 10' 'main;other 200' | import planted
transcript planted advise <<'END'
Contexts worth a look, and how to go on from each:
1. f has 33.3 % of samples; one context has 90 % of that:
    a > b > f
    try: resource samples; up f; down f
END

# diff: the runs before have the same counts, so changes are exact.  Of 100 a run
# malloc has 10 more, write 1 less, log 1.
printf '%s\n' 'main;loop;malloc 30' 'main;io;write 70' | counted before
printf '%s\n' 'main;loop;malloc 40' 'main;io;write 69' 'main;log 1' |
	counted after
cp before again
for columns in 40 80 200; do
	COLUMNS=$columns "$cpprof" diff before again -- after >out.$columns
	awk -v n="$columns" 'length > n { bad = 1; print "# " $0 }
		END { exit bad }' out.$columns
	ok $? "diff, $columns columns: no line is longer"
done
is "$(cat out.80)" \
	"samples   before 2 runs: 100 a run   after 1 run: 110   +10, +10.0 %
every event is counted, and the runs before repeat: the change is exact

    before     after    change    of all   call path, with callees
        30        40       +10   +10.0 %   main > loop > malloc
        70        69        -1    -1.0 %   main > io > write
         0         1        +1    +1.0 %   main > log

    before     after    change    of all       self  function, with callees
        30        40       +10   +10.0 %        +10  malloc
        70        69        -1    -1.0 %         -1  write
         0         1        +1    +1.0 %         +1  log" "diff, each line"
done_testing
