#!/bin/sh
# contexts: every call of a program that is compiled for it, stack by
# stack, against what the program knows of itself, however its functions,
# threads and processes end.
. "$(dirname "$0")/../../lib/lib.sh"

data=$tmp/data
cc=$(command -v gcc) || skip_all "no gcc"
source=$top_srcdir/t/live/target/contexts.c
r=contexts
GMON_OUT_PREFIX=$tmp/gmon # of programs with -pg
export GMON_OUT_PREFIX

cat >"$tmp/lib.c" <<'END'
__attribute__((noinline)) void NAME(
	void (*in)(const char *), void (*out)(void), const char *name)
{
	in(name);
	out();
}

void call(void (*in)(const char *), void (*out)(void))
{
	in("call");
	NAME(in, out, TEXT);
	out();
}
END

# compile NAME FLAGS...
compile() {
	compile_name=$1
	shift
	"$cc" -D_GNU_SOURCE -std=gnu11 -w -O2 -g "$@" -pthread \
		-fno-optimize-sibling-calls -o "$tmp/$compile_name" "$source" \
		-ldl &&
		for lib in first second; do
			"$cc" -std=gnu11 -w -O2 "$@" -DNAME=$lib \
				-DTEXT="\"$lib\"" -shared -fPIC -o \
				"$tmp/$compile_name.$lib.so" "$tmp/lib.c"
		done
}
compile hooks -finstrument-functions && compile pg -pg ||
	skip_all "no such programs here"

# run PROGRAM ARGUMENT...: its profile, and the truth; its output on ours
run() {
	run_program=$tmp/$1
	shift
	: >"$tmp/truth"
	"$cpprof" run -q -r $r $run_options -o "$data" -- "$run_program" "$@" \
		3>>"$tmp/truth" >"$tmp/out" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" "0:" "$(basename "$run_program") $*: runs"
}

# stacks: of the profile, from main or the thread's first function on
stacks() {
	"$cpprof" export --format=folded "$data" | sed -E '
		s/^(__libc_start_call_main|start_thread);//
		s/(^|;)(msort_with_tmp|__?qsort_r|qsort|[^;]*sort_r[^;]*);/\1/g' |
		awk '{ n[$1] += $2 } END { for (s in n) print s, n[s] }' | sort
}

# exactly WHAT: the stacks are the truth's
exactly() {
	awk '{ n[$1]++ } END { for (s in n) print s, n[s] }' "$tmp/truth" |
		sort >"$tmp/want"
	stacks >"$tmp/got"
	cmp -s "$tmp/want" "$tmp/got"
	ok $? "$1: each stack, exactly" || diff "$tmp/want" "$tmp/got" |
		head -n 20 | sed 's/^/# /'
	# those of one number, one after the other, add up
	for of in processes:2 threads:3; do
		"$cpprof" report --${of%:*} -n 100000 -t 0 -f csv "$data" |
			awk -F, 'NR > 1 { n[$7] += $10 }
				END { for (i in n) print i, n[i] }' |
			sort >"$tmp/got"
		awk -v of=${of#*:} '{ n[$of]++ }
			END { for (i in n) print i, n[i] }' "$tmp/truth" |
			sort >"$tmp/want"
		cmp -s "$tmp/want" "$tmp/got"
		ok $? "$1: of its ${of%:*}" || diff "$tmp/want" "$tmp/got" |
			head -n 20 | sed 's/^/# /'
	done
	is "$(of $r total)" "$(wc -l <"$tmp/truth")" "$1: and so the total"
	is "$(of $r hits)" "$(of $r total)" "... which is all in samples"
}

for how in hooks pg; do
	for what in sort jump "threads 300" "forks 12" execs \
		"loads $tmp/$how.first.so $tmp/$how.second.so"; do
		run $how $what
		exactly "$how, ${what%% /*}"
	done
done

# --- recursion ---

# The same profiles as of whole stacks, from each function and to it.
for how in hooks pg; do
	for seed in 1 2 3; do
		run $how random $seed
		is "$(of $r total)" "$(wc -l <"$tmp/truth")" \
			"$how, random $seed: all calls"
		[ "$(stacks | wc -l)" -lt "$(sort -u "$tmp/truth" | wc -l)" ]
		ok $? "... in fewer contexts than there are stacks"
		sed 's/ .*/ 1/' "$tmp/truth" | counted "$tmp/whole"
		for root in main a b c; do
			for view in down up; do
				for file in whole data; do
					"$cpprof" report --$view=$root -t 0 \
						--no-fold --names=short -f csv \
						"$tmp/$file" |
						cut -d, -f 3-6 | sort |
						grep -v '"__libc_start' \
						>"$tmp/$file.csv"
				done
				cmp -s "$tmp/whole.csv" "$tmp/data.csv"
				ok $? "$how, random $seed: $view $root" ||
					diff "$tmp/whole.csv" "$tmp/data.csv" |
					head -n 5 | sed 's/^/# /'
			done
		done
	done
done

# A million functions deep: bounded, and each call counted.
for how in hooks pg; do
	run $how deep 1000000
	is "$(of $r total):$(of $r hits)" \
		"$(cat "$tmp/out"):$(cat "$tmp/out")" "$how, deep: all calls"
	[ "$(stacks | wc -l)" -lt 10 ]
	ok $? "... in few contexts"
done

# Handlers that come in the middle of a hook are lost by name, or counted.
for how in hooks pg; do
	run $how signals 3000000
	is "$(of $r total)" "$(cat "$tmp/out")" "$how, signals: all calls"
	is "$(($(of $r hits) + $(of $r lost)))" "$(cat "$tmp/out")" \
		"... in samples or lost"
	stacks >"$tmp/got"
	is "$(grep -c 'main;signals;spin;leaf ' "$tmp/got")" 1 \
		"... below their callers"
	is "$(grep -vc '^main[; ]' "$tmp/got")" \
		"$(grep -c '^\[lost\] ' "$tmp/got")" \
		"... all below main"
	is "$(awk '$1 == "main;signals;one" { print $2 }' "$tmp/got")" 1 \
		"... and after the handlers as before them"
done

# The same at each instruction of a hook, also where it makes a context.
for how in hooks pg; do
	run $how steps
	is "$(($(of $r hits) + $(of $r lost)))" "$(cat "$tmp/out")" \
		"$how, steps: all calls, in samples or lost"
	stacks >"$tmp/got"
	is "$(grep -E '^main;steps(;one)?(;leaf)? ' "$tmp/got")" \
		"main;steps 1
main;steps;leaf 1
main;steps;one 3
main;steps;one;leaf 3" "... of the interrupted hooks none"
	is "$(grep -vc '^main[; ]' "$tmp/got")" \
		"$(grep -c '^\[lost\] ' "$tmp/got")" \
		"... all below main"
done

# A function that no file has.
run hooks generated
is "$(of $r hits)" "$(cat "$tmp/out")" "hooks, generated: all calls"
is "$(stacks)" "[truncated] 1
[truncated];leaf 1
main 1
main;generated 1
main;generated;leaf 1" "... below [truncated]"

# No memory for more contexts.
for how in hooks pg; do
	run $how full
	is "$(($(of $r hits) + $(of $r lost)))" "$(cat "$tmp/out")" \
		"$how, full: all calls, in samples or lost"
	[ "$(of $r lost)" -gt 0 ] && [ "$(of $r hits)" -gt 10000 ]
	ok $? "... some of them are lost"
	stacks | grep -q '^main;full;l16;l15;'
	ok $? "... the others have their stacks"
done

# --- C++ ---

if command -v g++ >/dev/null; then
	cat >"$tmp/throws.cc" <<-'END'
		#include <cstdio>
		#include <cstdlib>
		#define OUT __attribute__((noinline))
		static long n, thrown;
		OUT void leaf() { n++; }
		OUT void calm(int i) { n += i > 0; }
		OUT void thrower(int i) { n++; leaf(); if (i % 2) throw i; }
		extern "C" void middle(void (*)(int), int);
		OUT void between(int i) { n++; middle(thrower, i); leaf(); }
		struct scope { OUT ~scope() { n++; } };
		OUT void catcher(int i)
		{
			n++;
			try {
				scope s;
				between(i);
			} catch (int) {
				thrown++;
			}
			leaf();
		}
		OUT void direct(int i)
		{
			n++;
			try {
				middle(thrower, i);
			} catch (int) {
				thrown++;
			}
			middle(calm, 1);
			leaf();
		}
		int main()
		{
			n++;
			for (int i = 0; i < 10; i++)
				direct(i);
			for (int i = 0; i < 1000; i++)
				catcher(i);
			printf("%ld\n", n + 1020); /* and middle's */
		}
	END
	# C has no clean-up: middle's end is not told
	echo 'void middle(void (*f)(int), int i) { f(i); __asm__(""); }' \
		>"$tmp/middle.c"
	"$cc" -O2 -finstrument-functions -c -o "$tmp/middle.o" \
		"$tmp/middle.c" &&
		g++ -O2 -finstrument-functions \
			-finstrument-functions-exclude-file-list=/usr/include \
			-o "$tmp/throws" "$tmp/throws.cc" "$tmp/middle.o" ||
		exit 99
	run throws
	is "$(of $r hits)" "$(cat "$tmp/out")" "exceptions: all calls"
	is "$(stacks | sed "s/([a-z]*)//g")" "main 1
main;catcher 1000
main;catcher;between 1000
main;catcher;between;leaf 500
main;catcher;between;middle 1000
main;catcher;between;middle;thrower 1000
main;catcher;between;middle;thrower;leaf 1000
main;catcher;leaf 1000
main;catcher;scope::~scope 1000
main;direct 10
main;direct;leaf 10
main;direct;middle 20
main;direct;middle;calm 10
main;direct;middle;thrower 10
main;direct;middle;thrower;leaf 10" "... below the functions that catch them"
else
	skip 3 "no g++"
fi

# --- the rest of a run ---

run hooks sort
like "$("$cpprof" info "$data")" "own count.: 136 calls" \
	"info says who has counted"
for how in -static -static-pie; do
	"$cc" -D_GNU_SOURCE -w -O2 -pg $how -o "$tmp/static" "$source" \
		2>"$tmp/err" || { skip 1 "no $how programs here"; continue; }
	"$cpprof" run -q -r $r -o "$data" -- "$tmp/static" sort 2>"$tmp/err"
	is "$?:$(head -n 1 "$tmp/err")" "125:cpprof: contexts: start: the $(
		)program cannot count its calls: it is linked statically" \
		"$how: an error"
done

run_options=--delay=3600s
run hooks sort
is "$(of $r total)" 0 "nothing counts while nothing is collected"
run_options=

"$cpprof" run -q -r $r -o "$data" -- true 2>"$tmp/err"
like "$("$cpprof" info "$data" 2>&1; cat "$tmp/err")" \
	"no function of the run told of a call" "a program without hooks is told"

"$cpprof" run -q --no-preload -r $r -o "$data" -- true 2>"$tmp/err"
is "$?:$(wc -l <"$tmp/err")" 125:2 "without the object: an error in two lines"
like "$(cat "$tmp/err")" "cannot count its calls: --no-preload" "... with why"

if "$cpprof" run -q -r cpu -o "$data" -- true 2>/dev/null; then
	"$cpprof" run -q -r $r,cpu -o "$data" -- "$tmp/hooks" forks 6 \
		3>"$tmp/truth"
	is "$(of $r hits)" "$(wc -l <"$tmp/truth")" "beside another resource"
else
	skip 1 "no clock here"
fi

# Of a program that the monitor does not outlive: it goes on.
is "$("$tmp/hooks" deep 10)" "$("$cpprof" run -q -r $r -o "$data" -- \
	"$tmp/hooks" deep 10)" "the program prints what it prints bare"
for what in env "sh -c env"; do
	is "$("$cpprof" run -q -r $r -o "$data" -- $what | grep -v '^_=')" \
		"$(env | grep -v '^_=')" "the environment ($what)"
done
"$cpprof" run -q -r contexts -o "$tmp/none" -- "$tmp/nosuch" 2>"$tmp/err"
is "$?:$(head -n 1 "$tmp/err")" "127:cpprof: $tmp/nosuch: exec: No such file or directory" \
	"there is no such program"
done_testing
