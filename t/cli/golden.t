#!/bin/sh
# What the commands of the shell print for the papers' examples, at three widths.
# The stacks are those of samples/fig1 and samples/pqr, in equal units;
# t/unit/callgraph_test.c derives the call graphs.
. "$(dirname "$0")/../lib/lib.sh"
. "$top_srcdir/t/lib/golden.sh"
cd "$tmp" || exit 99

# a and b each call c, which has half of its cost in d
printf '%s\n' 'main;a;c 250' 'main;a;c;d 250' 'main;b;c 250' \
	'main;b;c;d 250' | import fig1
printf '%s\n' 'main;a;c 250' 'main;a;c;d 250' 'main;b;c 350' \
	'main;b;c;d 250' | import fig1b
# runs P (Q P)^n R for n from 1 to 4: of 50 units S has one where P calls it, two
# where Q does, four where R does; 20 samples are a unit
awk 'BEGIN {
	for (n = 1; n <= 4; n++) {
		path = "main"
		for (i = 0; i <= n; i++) {
			if (i)
				path = path ";P;Q"
			print path ";P;S 20"
			if (i)
				print path ";S 40"
		}
		print path ";P;R;S 80"
	}
}' | import pqr

# fig1: c has all, half of it in d; it costs the same from a as from b.
golden fig1 top <<'END'
    total      self  function
  100.0 %    50.0 %  c
  100.0 %     0.0 %  main
   50.0 %    50.0 %  d
              0.0 %  2 wrappers
main     100.0 %
  a > c   50.0 %
    d     25.0 %
  b > c   50.0 %
    d     25.0 %
END
golden fig1 f <<'END'
    total      self  function
  100.0 %    50.0 %  c
  100.0 %     0.0 %  main
   50.0 %    50.0 %  d
              0.0 %  2 wrappers
END
golden fig1 'fold off; f' <<'END'
    total      self  function
  100.0 %    50.0 %  c
  100.0 %     0.0 %  main
   50.0 %    50.0 %  d
   50.0 %     0.0 %  a
   50.0 %     0.0 %  b
END
golden fig1 b <<'END'
    total      self  function
  100.0 %    50.0 %  c
   50.0 %    50.0 %  d
              0.0 %  3 more functions
END
golden fig1 'd a' <<'END'
a > c  50.0 %
  d    25.0 %
END
golden fig1 'u d' <<'END'
c > d             50.0 %
  main > a > ...  25.0 %
  main > b > ...  25.0 %
END
golden fig1 'u c' <<'END'
c                 100.0 %
  main > a > ...   50.0 %
  main > b > ...   50.0 %
END
golden fig1 tree <<'END'
main     100.0 %
  a > c   50.0 %
    d     25.0 %
  b > c   50.0 %
    d     25.0 %
END
golden fig1 'callgraph c' <<'END'
Call graph of samples: 1000 samples in 1000 samples
     total      self  children   callers, function, callees
--
   50.0 %    25.0 %    25.0 %      a
   50.0 %    25.0 %    25.0 %      b
  100.0 %    50.0 %    50.0 %  c
   50.0 %    50.0 %     0.0 %          d
--
END
golden fig1 cycles <<'END'
Cycles of calls of samples: 1000 samples in 1000 samples
no function calls itself, directly or by way of others, in any sample
END
golden fig1 'why c' <<'END'
  samples   call path
  100.0 %   c
   50.0 %   c > d
END
golden fig1 'contains a; f; undo; b' <<'END'
filters: contains a
kept: 0.50000 of the run, 500 samples, 500 hits in 500 samples
    total      self   of kept  function
   50.0 %    25.0 %   100.0 %  c
   25.0 %    25.0 %    50.0 %  d
              0.0 %            2 wrappers
    total      self  function
  100.0 %    50.0 %  c
   50.0 %    50.0 %  d
              0.0 %  3 more functions
END
golden fig1 'without d; d' <<'END'
filters: without d
kept: 0.50000 of the run, 500 samples, 500 hits in 500 samples
main     50.0 %  100.0 %
  a > c  25.0 %   50.0 %
  b > c  25.0 %   50.0 %
END
# c's own goes to its callers, who then differ in nothing
golden fig1 'elide c; d; elide off; d c' <<'END'
elided: c
main   100.0 %
  a     50.0 %
    d   25.0 %
  b     50.0 %
    d   25.0 %
c    100.0 %
  d   50.0 %
END

# pqr: see t/unit/callgraph_test.c for P 24 % from main and 76 % from Q.
golden pqr top <<'END'
    total      self  function
  100.0 %   100.0 %  S
  100.0 %     0.0 %  P
   92.0 %     0.0 %  Q
              0.0 %  2 wrappers
main > P  100.0 %*
  Q        92.0 %*
    P      76.0 %
    S      40.0 %
  R > S    32.0 %
  S        28.0 %
END
# A path goes back to the earlier occurrence: P > Q > P goes on as P.
golden pqr 'd Q' <<'END'
Q          92.0 %*
  P        76.0 %*
    Q      60.0 %
    R > S  32.0 %
    S      20.0 %
  S        40.0 %
END
# Of what Q has, its S is 40 %; P's below a Q are 10 units of 14.
golden pqr 'u S' <<'END'
S                     100.0 %
  main > P > Q > ...   40.0 %
  P > R > ...          32.0 %
  Q > P > R > ...      32.0 %
  main > P > R > ...   32.0 %
  P > ...              28.0 %
  main > P > ...       28.0 %
  Q > P > ...          20.0 %
END
golden pqr 'callgraph P' <<'END'
Call graph of samples: 1000 samples in 1000 samples
     total      self  children   callers, function, callees
--
   76.0 %     0.0 %    76.0 %      Q
   24.0 %     0.0 %    24.0 %      main
  100.0 %     0.0 %   100.0 %  P
   40.0 %     0.0 %    40.0 %          Q
   32.0 %     0.0 %    32.0 %          R
   28.0 %    28.0 %     0.0 %          S
--
END
golden pqr cycles <<'END'
Cycles of calls of samples: 1000 samples in 1000 samples
     total   rounds  cycle
   76.0 %        4  P > Q > P
END
golden pqr 'why P' <<'END'
  samples   call path
  100.0 %   P
   92.0 %   P > Q
   76.0 %   P > Q > P
   40.0 %   P > Q > S
   32.0 %   P > R
   32.0 %   P > R > S
   28.0 %   P > S
END
golden pqr 'contains P; then R; f' <<'END'
filters: contains P; then R
kept: 0.32000 of the run, 320 samples, 320 hits in 320 samples
functions below that of the last filter, by their share of what it keeps
    total      self   of kept  function
   32.0 %    32.0 %   100.0 %  S
END
golden pqr 'without R; f' <<'END'
filters: without R
kept: 0.68000 of the run, 680 samples, 680 hits in 680 samples
    total      self   of kept  function
   68.0 %    68.0 %   100.0 %  S
   68.0 %     0.0 %   100.0 %  P
   60.0 %     0.0 %    88.2 %  Q
              0.0 %            1 wrapper
END
# Without P, Q calls Q: 30 units are below a second one, and all S's of P and Q
# below the first are Q's, 30 units too.
golden pqr 'elide P; d main' <<'END'
elided: P
main       100.0 %
  Q         92.0 %*
    Q       60.0 %
    S       60.0 %
    R > S   32.0 %
  S          8.0 %
END
golden pqr 'group by module; f; group off' <<'END'
grouped by: module
    total      self  function
  100.0 %   100.0 %
END

# The paper's commands, in the paper's form.
is "$("$cpprof" shell -c 'set format paper; function .6; root c; up;
	threshold 0.5; root main; down; body' fig1 | grep '^[0-9.]* [(a-z]*.* \[')" \
	"1.00000 c [1000]
1.00000 main [1000]
1.00000 (c) [1000]
0.50000 (a c) [500]
0.50000 (b c) [500]
0.50000 (main a c) [500]
0.50000 (main b c) [500]
1.00000 (main) [1000]
0.50000 (main a) [500]
0.50000 (main b) [500]
0.50000 (main a c) [500]
0.50000 (main b c) [500]
0.50000 c [500]
0.50000 d [500]" "the paper's session"

# Of a library's functions that call each other the first is shown, the one that
# the program called, and where the line ends with them the last.
printf '%s\n' 'main;load(int);std::sort<int*>(int*, int*);std::__introsort_loop<int*, long>(int*, int*, long);std::__unguarded_partition<int*>(int*, int*, int*);less_name(int, int) 60' \
	'main;load(int);std::vector<int, std::allocator<int> >::push_back(int const&);std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(int const&);std::vector<int, std::allocator<int> >::_M_check_len(unsigned long, char const*) const;__gnu_cxx::new_allocator<int>::allocate(unsigned long) 40' |
	import library
# lines COLUMNS COMMANDS [FILE]: of the call paths
lines() {
	COLUMNS=$1 "$cpprof" shell -c "$2" "${3:-library}" | grep ' %$'
}
is "$(lines 200 'down main' | sed 's/\([^ ]\)  *\([0-9.]* %\)$/\1 \2/')" \
	"main > load 100.0 %
  std::sort > ... 2 more ... > less_name 60.0 %
  std::vector<int>::push_back > ... 2 more ... > __gnu_cxx::new_allocator<int>::allocate 40.0 %" \
	"downward"
is "$(lines 200 'up less_name')" \
	"main > load > std::sort > ... 2 more ... > less_name  60.0 %" "upward"
is "$(lines 58 'up less_name')" \
	"main > load > std::sort > ... > less_name  60.0 %" \
	"what is left out already needs no number where that does not fit"
like "$(lines 300 'names full; up less_name')" \
	"sort<.*introsort_loop<.*unguarded_partition<.*less_name" "names full"

# Where room is short: upward the callers next to the function stay, downward the
# last step of a chain, its first and main; start-up code goes first.
start='_start;__libc_start_main;__libc_start_call_main;main'
printf '%s\n' "$start;hash_everything;index_words;insert;find 60" \
	"$start;hash_everything;index_pages;insert;find 40" | import narrow
# narrow COMMANDS: at 40 columns
narrow() {
	COLUMNS=40 "$cpprof" shell -c "$1" narrow | sed 1,3d
}
is "$(narrow 'up find')" "insert > find              100.0 %
  ... > index_words > ...   60.0 %
  ... > index_pages > ...   40.0 %
... has no room: COLUMNS=108 shows all" "up: the nearest callers"
is "$(narrow 'down _start')" "... > main > hash_everything   100.0 %
  index_words > insert > find   60.0 %
  index_pages > insert > find   40.0 %
... has no room: COLUMNS=86 shows all" "down: the end, and main"
printf '%s\n' "$start;first_step;second_step;third_step;subject 100" |
	import narrow
is "$(narrow 'down _start' | head -n 1)" "... > third_step > subject  100.0 %" \
	"down: the nearest caller"
is "$(narrow 'down first_step' | head -n 1)" \
	"first_step > ... > subject  100.0 %" "down: both ends"
for i in 1 2; do
	printf '%s\n' "$start;from_$i;the_only_caller;copy_unaligned_erms 50"
done | import alike
is "$(COLUMNS=40 "$cpprof" shell -c 'up copy_' alike | sed 1,3d)" \
	"the_only_caller > copy_...erms  100.0 %
  ... > main > from_1 > ...      50.0 %
  ... > main > from_2 > ...      50.0 %
... has no room: COLUMNS=85 shows all" "up: a long function leaves its caller room"
printf '%s\n' "a;steps_in_one;steps_in_two;steps_in_common;f 50" \
	"b;steps_in_one;steps_in_two;steps_in_common;f 30" "other;f 20" |
	import alike
is "$(COLUMNS=40 "$cpprof" shell -c 'up f' alike | sed 1,3d)" \
	"f                               100.0 %
  ... > steps_in_common > ...    80.0 %
  a > ... > steps...mmon > ...   50.0 %
  b > ... > steps...mmon > ...   30.0 %
  other > ...                    20.0 %
... has no room: COLUMNS=67 shows all" \
	"lines that look alike are told apart"

echo 'main;caller_that_is_long;function_that_is_long 100' | import alike
is "$(COLUMNS=40 "$cpprof" shell -c 'up function_' alike | grep '>')" \
	"... > call...long > func...ong  100.0 %" "up: two long names share the line"

# What leads into a library of long names is the program's.
inner='std::__detail::_Compiler<std::regex_traits<char>'
echo "main;check;is_date;std::regex_match;std::regex_search;$inner >::_M_alt 99
main;main_work 1" | import alike
is "$(COLUMNS=60 "$cpprof" shell -c 'down' alike | grep _M_alt)" \
	"  ... > is_date > ... > std::__detai...r>>::_M_alt   99.0 %" \
	"down: the program's last step has room beside a library's"
is "$(COLUMNS=40 "$cpprof" shell -c 'down' alike | grep 99)" \
	"  ... > is_date > ...   99.0 %" "... or stands for it"

# What a part of a name stands for: no stub, and what the filters keep.
printf '%s\n' 'main;copy;__memcpy_avx_unaligned_erms 60' \
	'main;memcpy@plt 20' 'main;insert_one 15' 'main;insert_two 5' |
	import parts
is "$(lines 80 'up memcpy' parts)" "main > copy > __memcpy_avx_unaligned_erms  60.0 %" "no stub"
is "$(lines 80 'up memcpy@' parts)" "main > memcpy@plt  20.0 %" "but by its name"
is "$("$cpprof" shell -c 'up insert_' parts 2>&1)" \
	"cpprof: -c: 'insert_' is a part of 2 functions' names
hint: it could be: insert_one (15.0 %), insert_two (5.0 %)" "the heavy ones first"
is "$("$cpprof" shell -c 'without insert_two; up insert_' parts | grep '>' |
	tr -s ' ')" "main > insert_one 15.0 % 15.8 %?" "what has samples"

# diff: b's c has 100 more
for columns in 40 80 200; do
	COLUMNS=$columns "$cpprof" diff fig1 fig1b >out 2>&1
	full="       500       600"
	[ $columns -gt 40 ] || full=
	is "$(sed -n '/^main/p' out)" \
		"main > b > c$full      +100   +10.0 % ~" "diff, $columns columns"
	like "$(tr -s ' \n' '  ' <out)" \
		'1 000 after 1 run: 1 100 \+100, \+10.0 % inconclusive: one run' \
		"diff, $columns columns: the total"
	awk -v n="$columns" 'length > n { bad = 1; print "# " $0 }
		END { exit bad }' out
	ok $? "diff, $columns columns: no line is longer"
done

# A part of a name is one of the program's, not of [lost] and its like.
like "$("$cpprof" shell -c 'd los' pqr 2>&1)" "no function 'los'" \
	"a part of no function's name"
done_testing
