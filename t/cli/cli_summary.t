#!/bin/sh
# What people see: the summary, the table of functions, paths as trees and lists,
# at several widths.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
"$top_builddir/t/lib/make_fixture" cpprofdata &&
	"$top_builddir/t/lib/make_fixture" exact exact || exit 99
unset COLUMNS

# at COLUMNS ARGS...: $out of cpprof report
at() {
	columns=$1
	shift
	out=$(COLUMNS=$columns "$cpprof" report "$@" 2>"$tmp/err" </dev/null)
	rc=$?
}

# Of 100 hits: invoice 50 + 10, receipt 30 + 1, push_back 6, sell 3; all of
# db_get_property's are its callee's, and _start's are main's.
full="wall 8.00 ms   CPU 100 ms   35 page faults                                  shop
cpu 100 ms   6 samples, each for 1 ms or more   all accounted for
also pagefaults 35, 14.3 % in no stack   see 'cpprof report -r NAME'

    total      self  function
  100.0 %?    0.0 %  main                                             shop
   80.0 %?   80.0 %? db_read_record                                   libdb.so.2
   60.0 %?   10.0 %? invoice                                          shop
   31.0 %?    1.0 %? receipt                                          shop
    6.0 %?    6.0 %? std::vector<int, std::allocator<int> >::push_back  shop
    3.0 %?    3.0 %? <&'a T as shop::Sell>::sell; now                 shop
              0.0 %  2 wrappers (--no-fold)
? rough: fewer than 20 samples stand behind it

  100.0 %? main
   60.0 %?   invoice
   50.0 %?     db_get_property > db_read_record
   31.0 %?   receipt
   30.0 %?     db_get_property > db_read_record
    6.0 %?   std::vector<int, std::allocator<int> >::push_back
    3.0 %?   <&'a T as shop::Sell>::sell; now
? rough: fewer than 20 samples stand behind it"
summary="wall 8.00 ms   CPU 100 ms   35 page faults                                  shop
cpu 100 ms   6 samples, each for 1 ms or more   all accounted for
also pagefaults 35, 14.3 % in no stack   see 'cpprof report -r NAME'

    total      self  function
  100.0 %?    0.0 %  main                              shop
   80.0 %?   80.0 %? db_read_record                    libdb.so.2
   60.0 %?   10.0 %? invoice                           shop
   31.0 %?    1.0 %? receipt                           shop
    6.0 %?    6.0 %? std::vector<int>::push_back       shop
    3.0 %?    3.0 %? <&'a T as shop::Sell>::sell; now  shop
              0.0 %  2 wrappers (--no-fold)
? rough: fewer than 20 samples stand behind it

  100.0 %? main
   60.0 %?   invoice
   50.0 %?     db_get_property > db_read_record
   31.0 %?   receipt
   30.0 %?     db_get_property > db_read_record
    6.0 %?   std::vector<int>::push_back
    3.0 %?   <&'a T as shop::Sell>::sell; now
? rough: fewer than 20 samples stand behind it"
out=$("$cpprof" report </dev/null)
is "$out" "$summary" "the summary, 80 columns wide where there is no terminal"
is "$("$cpprof" report --names=full </dev/null)" "$full" "... with full names"
like "$("$cpprof" report --names=long 2>&1)" \
	"^cpprof: long: names: no such value" "no third kind"
for format in json csv paper; do
	"$cpprof" report -f $format -F -t 0 >$format.short 2>"$tmp/err"
	"$cpprof" report -f $format -F -t 0 --names=full >$format.full
	cmp $format.short $format.full &&
		grep -q 'std::vector<int, std::allocator<int> >::push_back' \
			$format.short
	ok $? "$format has full names"
done
at 40 -r cpu
is "$out" "wall 8.00 ms   CPU 100 ms
  35 page faults   shop
cpu 100 ms
  6 samples, each for 1 ms or more
  all accounted for

   total     self  function
 100.0 %?   0.0 %  main
  80.0 %?  80.0 %? db_read_record
  60.0 %?  10.0 %? invoice
  31.0 %?   1.0 %? receipt
   6.0 %?   6.0 %? std::vector<
                     int>::push_back
   3.0 %?   3.0 %? <&'a T as shop::
                     Sell>::sell; now
            0.0 %  2 wrappers
? rough: fewer than 20 samples stand
  behind it

 100.0 %? main
  60.0 %?  invoice
  50.0 %?   db_get_property
              > db_read_record
  31.0 %?  receipt
  30.0 %?   db_get_property
              > db_read_record
   6.0 %?  std::vector<int>::push_back
   3.0 %?  <&'a T as shop::Sell>::sell;
             now
? rough: fewer than 20 samples stand
  behind it" "40 columns"
for columns in 40 79 80 81 200; do
	for kind in "" --up=db_read_record --tree --body; do
		# shellcheck disable=SC2086
		at $columns $kind -t 0
		printf '%s\n' "$out" | awk -v n="$columns" '
			length > n { bad = 1; print "# " $0 } END { exit bad }'
		ok $? "$columns columns: no line is longer (${kind:-summary})"
	done
done
at 80 --up=db_read_record -r cpu
is "$out" "cpu 100 ms   6 samples, each for 1 ms or more   all accounted for

   80.0 %? db_read_record < db_get_property
   50.0 %?   invoice < main
   30.0 %?   receipt < main
? rough: fewer than 20 samples stand behind it" \
	"up is a tree"
at 80 --up=db_read_record -r cpu --form=list
is "$(printf '%s\n' "$out" | tail -n 4)" \
	"   80.0 %? db_get_property > db_read_record
   50.0 %? main > invoice > db_get_property > db_read_record
   30.0 %? main > receipt > db_get_property > db_read_record
? rough: fewer than 20 samples stand behind it" "or a list of paths"
at 80 --down=main -r cpu --form=list --unit --top=3
is "$(printf '%s\n' "$out" | sed -n '3,6p')" \
	"   100 ms? main
  60.0 ms? main > invoice
  50.0 ms? main > invoice > db_get_property > db_read_record
4 more paths" \
	"down as a list, in ms, the three heaviest"
at 80 --body -r cpu --top=2 --no-fold
is "$(printf '%s\n' "$out" | sed -n '4,6p')" \
	"   80.0 %?   80.0 %? db_read_record  libdb.so.2
   60.0 %?   10.0 %? invoice         shop
             10.0 %? 6 more functions" "by self, and the rest in a line"
# All faults are invoice's own; of cpu much is db_get_property's below it.
at 80 --down=main -r pagefaults -t 10%
is "$(printf '%s\n' "$out" | sed '1,2d')" "   85.7 %? main > invoice
? rough: fewer than 20 samples stand behind it" \
	"a path that another resource has, and this one has not, is not shown"
is "$("$cpprof" -c 'resource pagefaults; down .1' | tail -n +3 | head -n 1)" \
	"   85.7 %? main > invoice" "the shell shows the same"
is "$("$cpprof" -c report)" "$("$cpprof" report | sed "s/'cpprof report -r NAME'/'resource NAME'/;s/--no-fold/fold off/")" \
	"and has report for a command"
at 200 -r pagefaults
like "$out" "^few samples, for a short run; this takes more: -r pagefaults:1$" \
	"few samples: the interval that takes more"
cp cpprofdata "it's one"
at 60 "it's one"
like "$(echo "$out" | tr -s '\n ' ' ')" " see 'cpprof report -r NAME 'it'..'s one'' " \
	"what a hint proposes can be pasted"
unlike "$("$cpprof" report -r cpu)" "few samples," "hits are enough"
"$cpprof" merge -q -o two cpprofdata exact
unlike "$("$cpprof" report -r pagefaults two)" "few samples," \
	"several runs have no one command"
# A wait is in its sample as a whole, so many hits are no reason for noise.
"$top_builddir/t/lib/make_fixture" waits waits
"$top_builddir/t/lib/make_fixture" troubled troubled
like "$("$cpprof" report -r real waits)" \
	"^  66.7 % more in samples than was consumed" \
	"a count that lacks a part of a wait"
for columns in 40 80; do
	at $columns -r real waits
	out=$(echo $out)
	like "$out" "real 6.00 s, the sum of 2 threads 1 sample, each for 10 ms or more" \
		"$columns columns: real time of several threads is their sum"
	like "$out" "66.7 % more in samples than was consumed" \
		"$columns columns: no word of it goes"
	like "$out" "80 % of CPU is the kernel's: 'cpprof run -r syscalls,iotime -- PROG' shows why" \
		"$columns columns: where the kernel works most, the run to make"
done
"$top_builddir/t/lib/make_fixture" calls calls
like "$("$cpprof" report calls)" \
	"^42 % of wall not running: 'cpprof run -r blocked:1ms,runqueue -- PROG' shows why" \
	"where a program waits for a quarter of the time, the run to make"
# Four resources, all that can be wrong: 23 lines, and below them the pager's own.
echo 'expect rough' | PAGER=cat "$top_builddir/t/lib/pty" 24 80 \
	"$cpprof" report troubled >raw
if [ $? -eq 77 ]; then
	skip 3 "no terminals to be had"
else
	got=$(tr -d '\r' <raw | sed 's/\x1b\[[0-9]*m//g' | head -n 23 |
		awk '!NF { part++ } part == 1 && $4 == "%" || part == 1 && $4 == "%?" {
			functions++ } part == 2 && NF { paths++ }
			END { print functions " functions, " paths " paths" }')
	is "$got" "6 functions, 4 paths" "the first screen of 80 x 24"
	like "$(cat raw)" "[2-7] more remarks: 'cpprof info troubled'" "and where the rest is"
	like "$(cat raw)" "processors busy in the mean" \
		"what is in no sample is not taken for rest"
fi
"$top_builddir/t/lib/make_fixture" tasks tasks
like "$("$cpprof" report tasks)" "^wall 999 ms   CPU 100 ms   not running 899 ms" \
	"while anything runs one processor is busy: short rests are rests"
unlike "$("$cpprof" report -r cpu)" "sum of|the kernel's" "one thread, no such count"
at 80 exact -r majorfaults
unlike "$out" '\?' "nothing is rough where each event was sampled"
like "$out" "^ +100.0 %  db_get_property$" \
	"where main is in no sample, paths start at the first functions"
# Where the innermost function has a name, its callers may have none.
cat >hidden.c <<'END'
static volatile char block[1 << 16];
__attribute__((noinline)) void visible(int c)
{
	for (int i = 0; i < 1 << 16; i++)
		block[i] = c;
}
static __attribute__((noinline)) int hidden(int c) { visible(c); return block[c]; }
int main(void)
{
	int n = 0;
	for (int i = 0; i < 3000; i++)
		n += hidden(i);
	return n == 1;
}
END
sed 's/^__att/#line 2355 "hashopenssl__.c.h"\n&/' hidden.c >placed.c
if cc -O1 -g -o placed placed.c 2>/dev/null && can_profile; then
	"$cpprof" run -q -r cpu -o placed.data -- ./placed
	for columns in 64 66 68 70 72 74; do
		COLUMNS=$columns "$cpprof" report -F placed.data
	done >lines
	unlike "$(cat lines)" ':2(3|35)?$' "a line's number is not broken"
else
	skip 1 "no cc, or no profiles: ${why-}"
fi
if cc -O1 -s -rdynamic -o hidden hidden.c 2>/dev/null && can_profile; then
	"$cpprof" run -q -r cpu -o nameless -- ./hidden
	like "$(COLUMNS=200 "$cpprof" report nameless)" \
		'^[0-9.]+ % goes through functions without a name, most in hidden: ' \
		"callers without names"
else
	skip 1 "no cc, or no profiles: ${why-}"
fi

# Nothing is left out: what main is not in, and where there is no stack.
printf 'main;f 60\nother;g 25\n[no user stack] 15\n' >folded
"$cpprof" import -q -o outside folded
out=$("$cpprof" report outside)
like "$out" "^   60.0 %  main > f
   25.0 %  other > g
   15.0 %\? \[no user stack\]
" "paths that begin elsewhere stand beside main's"
like "$out" "^15.0 % \[no user stack\]: the kernel begins or ends" "... what a marker means"
unlike "$("$cpprof" shell -c 'root main; report' outside)" "other > g" \
	"a root that was chosen has its own alone"
done_testing
