#!/bin/sh
# What the commands of the shell print for the papers' examples, at three widths.
# The stacks are those of samples/fig1 and samples/pqr, in equal units;
# t/unit/analyzer/callgraph_test.c derives the call graphs.
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
  100.0 %  main
   50.0 %    a > c
   25.0 %      d
   50.0 %    b > c
   25.0 %      d
END
# the 2 heaviest of each; what has no row is in one line, or two narrow ones
transcript fig1 'top 2' <<'END'
    total      self  function
  100.0 %    50.0 %  c
  100.0 %     0.0 %  main
             50.0 %  1 more function, 2 wrappers
  100.0 %  main
   50.0 %    a > c
3 more paths
END
is "$(figures <out.40)" " 100.0 % 50.0 % c
 100.0 % 0.0 % main
 0.0 % 2 wrappers
 50.0 % 1 more function
 100.0 % main
 50.0 % a > c" "fig1, 40 columns: top 2"
# Of three rows two are the heaviest by total, and one of the others by self; of
# eight all.
printf '%s\n' 'main;a;b;f 250' 'main;a;b;g 300' 'main;a;b;h 250' 'main;a;e 100' \
	'main;i 100' | import steps
golden steps 'top 3' <<'END'
    total      self  function, by total
  100.0 %     0.0 %  main
   90.0 %     0.0 %  a
                     others, top by self
   30.0 %    30.0 %  g
             70.0 %  5 more functions
  100.0 %  main
   90.0 %    a
   80.0 %      b
5 more paths
END
golden steps 'top 8' <<'END'
    total      self  function
  100.0 %     0.0 %  main
   90.0 %     0.0 %  a
   80.0 %     0.0 %  b
   30.0 %    30.0 %  g
   25.0 %    25.0 %  f
   25.0 %    25.0 %  h
   10.0 %    10.0 %  e
   10.0 %    10.0 %  i
  100.0 %  main
   90.0 %    a
   80.0 %      b
   30.0 %        g
   25.0 %        f
   25.0 %        h
   10.0 %      e
   10.0 %    i
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
   50.0 %  a > c
   25.0 %    d
END
golden fig1 'u d' <<'END'
   50.0 %  d < c
   25.0 %    a < main
   25.0 %    b < main
END
golden fig1 'u c' <<'END'
  100.0 %  c
   50.0 %    a < main
   50.0 %    b < main
END
golden fig1 tree <<'END'
  100.0 %  main
   50.0 %    a > c
   25.0 %      d
   50.0 %    b > c
   25.0 %      d
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
    1 000   in all
  100.0 %   c
   50.0 %     d
END
golden fig1 'contains a; f; undo; b' <<'END'
filters: contains a
kept: 50.0 % of the run, 500 samples, 500 hits in 500 samples
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
kept: 50.0 % of the run, 500 samples, 500 hits in 500 samples
    total   of kept  call path
   50.0 %   100.0 %  main
   25.0 %    50.0 %    a > c
   25.0 %    50.0 %    b > c
END
# c's own goes to its callers, who then differ in nothing
golden fig1 'elide c; d; elide off; d c' <<'END'
elided: c
  100.0 %  main
   50.0 %    a
   25.0 %      d
   50.0 %    b
   25.0 %      d
  100.0 %  c
   50.0 %    d
END

# pqr: see t/unit/analyzer/callgraph_test.c for P 24 % from main and 76 % from Q.
golden pqr top <<'END'
    total      self  function
  100.0 %   100.0 %  S
  100.0 %     0.0 %  P
   92.0 %     0.0 %  Q
              0.0 %  2 wrappers
  100.0 %* main > P
   92.0 %*   Q
   76.0 %      P
   40.0 %      S
   32.0 %    R > S
   28.0 %    S
END
# A path goes back to the earlier occurrence: P > Q > P goes on as P.
golden pqr 'd Q' <<'END'
   92.0 %* Q
   76.0 %*   P
   60.0 %      Q
   32.0 %      R > S
   20.0 %      S
   40.0 %    S
END
# Of what Q has, its S is 40 %; P's below a Q are 10 units of 14.
golden pqr 'u S' <<'END'
  100.0 %  S
   40.0 %    Q < P < main
   32.0 %    R < P
   32.0 %      Q
   32.0 %      main
   28.0 %    P
   28.0 %      main
   20.0 %      Q
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
    1 000   in all
  100.0 %   P
   92.0 %     Q
   76.0 %       P
   40.0 %       S
   32.0 %     R > S
   28.0 %     S
END
golden pqr 'contains P; then R; f' <<'END'
filters: contains P; then R
kept: 32.0 % of the run, 320 samples, 320 hits in 320 samples
functions below that of the last filter, by their share of what it keeps
    total      self   of kept  function
   32.0 %    32.0 %   100.0 %  S
END
golden pqr 'without R; f' <<'END'
filters: without R
kept: 68.0 % of the run, 680 samples, 680 hits in 680 samples
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
  100.0 %  main
   92.0 %*   Q
   60.0 %      Q
   60.0 %      S
   32.0 %      R > S
    8.0 %    S
END
golden pqr 'group by module; f; group off' <<'END'
grouped by: module
    total      self  module
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

# What is shown of a path: the program's own functions, the library's that they
# entered, and the last.  What is inside of a library folds to its name.
printf '%s\n' 'main;load(int);std::sort<int*>(int*, int*);std::__introsort_loop<int*, long>(int*, int*, long);std::__unguarded_partition<int*>(int*, int*, int*);less_name(int, int) 60' \
	'main;load(int);std::vector<int, std::allocator<int> >::push_back(int const&);std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(int const&);std::vector<int, std::allocator<int> >::_M_check_len(unsigned long, char const*) const;__gnu_cxx::new_allocator<int>::allocate(unsigned long) 40' |
	import library
# paths COLUMNS COMMANDS [FILE]: as they are on a terminal; in a pipe with 0
paths() {
	[ "$1" -eq 0 ] || { COLUMNS=$1; export COLUMNS; }
	"$cpprof" shell -c "$2" "${3:-library}" | sed '1,/^$/d'
	unset COLUMNS
}
is "$(paths 200 'down main')" "  100.0 %  main > load
   60.0 %    std::sort > [std: 2] > less_name
   40.0 %    std::vector<int>::push_back > [std: 2] > __gnu_cxx::new_allocator<int>::allocate" \
	"downward"
is "$(paths 200 'set form list; up less_name')" \
	"   60.0 %  main > load > std::sort > [std: 2] > less_name" "upward"
whole="   60.0 %  main > load > std::sort > std::__introsort_loop > std::__unguarded_partition > less_name"
is "$(paths 0 'set form list; up less_name')" "$whole" "in a pipe nothing is left out"
"$cpprof" shell -c 'set form list; up less_name > out' library
is "$(sed '1,/^$/d' out)" "$whole" "... nor in a file"
is "$(paths 200 'fold off; set form list; up less_name')" "$whole" "... nor with fold off"
is "$(paths 60 'set width all; set form list; up less_name')" "$whole" "... nor with width all"
is "$(paths 60 'set form list; up less_name; path 1' | tail -n 2)" \
	"   60.0 %  main > load > std::sort > std::__introsort_loop
             > std::__unguarded_partition > less_name" "... nor by path N"
is "$(paths 0 'set width 40; set form list; up less_name')" "  60.0 %  main > load > std::sort
            > [std: 2] > less_name" "a width that is set, in a pipe"
like "$(paths 0 'names full; set form list; up less_name')" \
	"sort<.*introsort_loop<.*unguarded_partition<.*less_name" "names full"
is "$("$cpprof" shell -c 'set form list; up less_name; path 2' library 2>&1 | tail -n 2)" \
	"cpprof: -c: path: there are only 1
hint: 1 is the first of the last table" "a path that is not there"
like "$("$cpprof" shell -c 'path 1' library 2>&1)" "no paths were shown" \
	"a path of no table"

# Of several programs, too, wherever the page has room for what starts them.
for program in wash dry; do
	for step in work:/bin/$program main:/bin/$program \
		__libc_start_main:/lib/libc.so.6 _start:/bin/$program; do
		printf '\t%s %s (%s)\n' "$(printf '%s' "$step" | cksum | cut -c1-6)" \
			"${step%%:*}" "${step#*:}"
	done >stack
	for i in 1 2 3; do
		printf '%s 1/1 %d.0: 1 cycles:\n' $program $i
		cat stack
		echo
	done
done | "$cpprof" import -q --from=perf -o programs -
is "$("$cpprof" report programs | grep ' > ')" "   50.0 %  dry!main > dry!work
   50.0 %  wash!main > wash!work" "each program begins with main"
# What starts the program goes; what has no room goes on below.
start='_start;__libc_start_main;__libc_start_call_main;main'
printf '%s\n' "$start;hash_everything;index_words;insert;find 60" \
	"$start;hash_everything;index_pages;insert;find 40" | import narrow
is "$(paths 40 'set form list; up find' narrow)" " 100.0 %  insert > find
  60.0 %  main > hash_everything
            > index_words > insert
            > find
  40.0 %  main > hash_everything
            > index_pages > insert
            > find" "up: each path is whole"
is "$(paths 40 'down _start' narrow)" " 100.0 %  _start > [start: 2] > main
            > hash_everything
  60.0 %   index_words > insert > find
  40.0 %   index_pages > insert > find" "down from where the program starts"
for i in 1 2; do
	printf '%s\n' "$start;from_$i;the_only_caller;copy_unaligned_erms 50"
done | import alike
is "$(paths 40 'set form list; up copy_' alike)" " 100.0 %  the_only_caller
            > copy_unaligned_erms
  50.0 %  main > from_1
            > the_only_caller
            > copy_unaligned_erms
  50.0 %  main > from_2
            > the_only_caller
            > copy_unaligned_erms" "three lines a path"

# What starts threads has no line, and what it started stays, be it a library's.
printf '%s\n' '# resource cpu: gtick us; interval 1; hits 9; samples 9; in samples 9' >threads.text
thread() { # WEIGHT FUNCTION...
	weight=$1
	shift
	echo "x 1/1 1.0: $weight cpu:"
	for f in "$@"; do echo "	10 $f+0x1 (/lib/lib${f%%_*}.so.1)"; done
	printf '	10 start_thread+0x1 (/lib/libc.so.6)\n	10 clone3+0x1 (/lib/libc.so.6)\n\n'
}
{ thread 60 a_in a_entry; thread 25 b_deep b_in b_entry; thread 15 a_other a_entry; } >>threads.text
"$cpprof" import -q --from=perf -o threads threads.text
is "$(paths 80 'down [all]' threads)" "   75.0 %? a_entry
   60.0 %?   a_in
   15.0 %?   a_other
   25.0 %? b_entry > b_in > b_deep
? rough: fewer than 20 samples stand behind it" "threads"
unlike "$("$cpprof" report -F -t 0 threads)" " (start_thread|clone3)( |$)" "... nor a row"
printf '%s\n' 'clone3;start_thread;heavy 60' 'clone3;start_thread;light 10' \
	'_start;main;a 20' '_start;main;b 10' | "$cpprof" import -q - -o order
is "$("$cpprof" report --down='[all]' order | awk '$2 == "%" || $2 == "%?" { print $1, $3 }' | tr '\n' ' ')" \
	"60.0 heavy 30.0 main 20.0 a 10.0 b 10.0 light " "... and where they start the heaviest is first"

# Rust's main, and what it runs a thread with, is what its runtime hands over to.
# Where that has the code inlined, it stands for it.
begin='std::sys::backtrace::__rust_begin_short_backtrace'
rust='std::rt::lang_start_internal;std::panic::catch_unwind;std::rt::lang_start::{{closure}}'
spawn='clone3;start_thread;<std::sys::thread::unix::Thread>::new::thread_start'
from_c='_start;__libc_start_main;__libc_start_call_main;main'
printf '%s\n' "$from_c;$rust;$begin;core::ops::function::FnOnce::call_once;app::main;app::load 60" \
	"$spawn;$begin;app::main::{{closure}};app::work 30" \
	"$spawn;$begin::<app::Pool>;app::a 6" "$spawn;$begin::<app::Pool>;app::b 4" |
	import rust
is "$(paths 80 'down [all]' rust)" \
	"   60.0 %  app::main > app::load
   30.0 %  app::main::{{closure}} > app::work
   10.0 %? $begin<app::Pool>
    6.0 %?   app::a
    4.0 %?   app::b
? rough: fewer than 20 samples stand behind it" "Rust's paths begin with the program's"
unlike "$("$cpprof" report -F -t 0 rust)" "(lang_start|thread_start|backtrace)( |$)" \
	"... and no row is its runtime's"

# What has no room on three lines: the libraries' steps go first, then the
# program's that are farthest from the last.  Paths that would read alike keep the
# step where they part.
steps='second_step_of_it;third_step_of_it;fourth_step_of_it;fifth_step_of_it'
printf '%s\n' "main;a;$steps;f 50" "main;b;$steps;f 30" "main;other;f 20" |
	import alike
is "$(paths 40 'set form list; up f 20%' alike)" " 100.0 %  f
  80.0 %  second_step_of_it
            > [2 more: path 2]
            > fifth_step_of_it > f
  50.0 %  main > a > [2 more: path 3]
            > fourth_step_of_it
            > fifth_step_of_it > f
  30.0 %  main > b > [2 more: path 4]
            > fourth_step_of_it
            > fifth_step_of_it > f
  20.0 %  main > other > f" "lines that look alike are told apart"
is "$(paths 40 'set form list; up f 20%; path 3' alike | tail -n 4)" \
	"  50.0 %  main > a > second_step_of_it
            > third_step_of_it
            > fourth_step_of_it
            > fifth_step_of_it > f" "path N has all"
is "$(COLUMNS=40 "$cpprof" report --up=f --form=list -t 40% alike | sed '1,/^$/d')" " 100.0 %  f
  80.0 %  second_step_of_it > [1 more]
            > fourth_step_of_it
            > fifth_step_of_it > f
  50.0 %  main > [3 more]
            > fourth_step_of_it
            > fifth_step_of_it > f
[N more]: functions that have no room;
  in a pipe all have it, unless COLUMNS
  is set" "outside of the shell, where no command shows path N"

# A name is whole, however long.
inner='std::__detail::_Compiler<std::regex_traits<char>'
echo "main;check;is_date;std::regex_match;std::regex_search;$inner >::_M_alt 99
main;main_work 1" | import alike
is "$(paths 80 'down' alike)" "  100.0 %  main
   99.0 %    check > is_date > std::regex_match > std::regex_search
               > std::__detail::_Compiler<std::regex_traits<char>>::_M_alt
    1.0 %?   main_work
? rough: fewer than 20 samples stand behind it" "down: a long name"
is "$(paths 40 'down' alike)" " 100.0 %  main
  99.0 %   check > [3 more: path 2]
             > ...::_Compiler<...>::_M_
             alt
   1.0 %?  main_work
? rough: fewer than 20 samples stand
  behind it" "... is broken"

# What a part of a name stands for: no stub, and what the filters keep.
printf '%s\n' 'main;copy;__memcpy_avx_unaligned_erms 60' \
	'main;memcpy@plt 20' 'main;insert_one 15' 'main;insert_two 5' |
	import parts
is "$(paths 80 'set form list; up memcpy' parts)" "   60.0 %  main > copy > __memcpy_avx_unaligned_erms" "no stub"
is "$(paths 80 'set form list; up memcpy@' parts)" "   20.0 %  main > memcpy@plt" "but by its name"
is "$("$cpprof" shell -c 'up insert_' parts 2>&1)" \
	"cpprof: -c: 'insert_' is a part of 2 functions' names
hint: it could be: insert_one (15.0 %), insert_two (5.0 %)" "the heavy ones first"
is "$("$cpprof" shell -c 'set form list; without insert_two; up insert_' parts | grep '>' |
	tr -s ' ')" " 15.0 %? 15.8 % main > insert_one" "what has samples"

# diff: b's c has 100 more
for columns in 40 80 200; do
	COLUMNS=$columns "$cpprof" diff fig1 fig1b >out 2>&1
	full="       500       600"
	[ $columns -gt 40 ] || full=
	is "$(grep -A1 -e '+10.0 % ' out | tr -d '\n' | sed 's/ *--.*//; s/  *main/ main/')" \
		"$full      +100   +10.0 % main > b > c" "diff, $columns columns"
	like "$(tr -s ' \n' '  ' <out)" \
		'1 000 after 1 run: 1 100 \+100, \+10.0 % one run a side: [bw]' \
		"diff, $columns columns: the total"
	awk -v n="$columns" 'length > n { bad = 1; print "# " $0 }
		END { exit bad }' out
	ok $? "diff, $columns columns: no line is longer"
done

# A part of a name is one of the program's, not of [lost] and its like.
like "$("$cpprof" shell -c 'd los' pqr 2>&1)" "no function 'los'" \
	"a part of no function's name"
done_testing
