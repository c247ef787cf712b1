#!/bin/sh
# Functions are told apart and put together as the source has them: lambdas,
# namespaces, functions of one file, functions that are inlined here and called
# there, and parts that gcc splits off and inlines back.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "$why"
cd "$tmp" || exit 99

# names FILE: the function profile's names
names() {
	"$cpprof" report --format=paper --function --threshold=0 "$1" |
		sed -n 's/^[01]\.[0-9]* \(.*\) \[[0-9]*\]$/\1/p'
}
# listed: the paths of a profile in the paper's form
listed() {
	sed -n 's/^[01]\.[0-9]* (\(.*\)) \[[0-9]*\]$/\1/p'
}
# paths FILE FUNCTION [OPTION]: those that start with it
paths() {
	"$cpprof" report --format=paper --down="$2" --threshold=0 $3 "$1" | listed
}
profile() {
	"$cpprof" run -q -r syscalls:1 -o data -- "$@" >out 2>&1 ||
		"$cpprof" run -q --timer=stop -r syscalls:1 -o data -- "$@"
}

# Each function calls close(-1) itself, so that it is in a sample.
cat >lambda.cc <<'END_C'
#include <unistd.h>
volatile int n;
namespace { int hidden(int x) { close(-1); return n + x; } }
namespace ns {
static int local(int x) { close(-1); return n * x; }
struct S {
	template <class T> static int both(T x) { close(-1); return n ^ (int)x; }
};
}
template <class F> static inline int twice(F f) { return f(1) + f(2); }
int main()
{
	auto one = [](int x) { close(-1); return n + x; };
	auto two = [](int x) { close(-1); return n - x; };
	return (twice(one) + twice(two) + twice(hidden) + twice(ns::local) +
		ns::S::both(1) + ns::S::both(1.5)) == 77;
}
END_C
for cc in g++ clang++; do
	if ! command -v $cc >which || ! $cc -O2 -g -o lambda lambda.cc; then
		skip 4 "no $cc"
		continue
	fi
	profile ./lambda
	names data >got
	# main::{lambda@lambda.cc:13:13}::operator(), main::$_0::operator()
	is "$(grep -c '^main::.*operator()' got)" 2 "$cc: two lambdas"
	is "$(grep -c '(anonymous namespace)::hidden' got)" 1 \
		"$cc: an anonymous namespace"
	is "$(grep -c '^ns::local' got)" 1 "$cc: a function of one file"
	is "$(grep -c 'ns::S::both<' got)" 2 "$cc: instances of a template"
done

# One name in two files, inlined in one and called in the other, inlined in both,
# called in both; and one function of a header in both ways.
cat >both.h <<'END_C'
static int shared(int x)
{
	close(-1);
	return x + 1;
}
END_C
cat >a.c <<'END_C'
#include <unistd.h>
#include "both.h"
static int helper(int x) { close(-1); return x * 2; }
static inline __attribute__((always_inline)) int tiny(int x)
{
	close(-1);
	return x ^ 1;
}
__attribute__((noinline)) static int large(int x) { close(-1); return x ^ 3; }
__attribute__((noinline)) int a(int x)
{
	return helper(x) + shared(x) + tiny(x) + large(x);
}
END_C
cat >b.c <<'END_C'
#include <unistd.h>
#include "both.h"
__attribute__((noinline)) static int helper(int x) { close(-1); return x - 2; }
static inline __attribute__((always_inline)) int tiny(int x)
{
	close(-1);
	return x ^ 2;
}
__attribute__((noinline)) static int large(int x) { close(-1); return x ^ 4; }
int b(int x)
{
	int (*volatile f)(int) = shared;

	return helper(x) + f(x) + tiny(x) + large(x);
}
END_C
cat >main.c <<'END_C'
int a(int), b(int);
int main(int argc, char **argv)
{
	(void)argv;
	return a(argc) + b(argc) == 77;
}
END_C
for cc in gcc clang; do
	if ! command -v $cc >which ||
		! $cc -O2 -g -o files main.c a.c b.c; then
		skip 9 "no $cc"
		continue
	fi
	profile ./files
	names data | grep helper | sort >got
	is "$(cat got)" "'a.c':helper
'b.c':helper" "$cc: two functions of one name, each by its file"
	for name in tiny large; do
		is "$(names data | grep $name | sort)" "'a.c':$name
'b.c':$name" "$cc: ... both of one kind: $name"
	done
	is "$(names data | grep shared)" shared \
		"$cc: one function, inlined here and called there"
	paths data helper | grep "^'[ab].c':helper$" | sort >got
	is "$(grep -c . got)" 2 "$cc: the name is both"
	is "$(paths data "'b.c':helper" | head -n 1)" "'b.c':helper" \
		"$cc: ... and with its file is one"
	is "$("$cpprof" shell -c "set format paper; threshold 0
root 'b.c':helper; down" data | listed)" "$(paths data "'b.c':helper")" \
		"$cc: ... in the shell too"
	is "$("$cpprof" report -F -t 0 -f json data |
		grep -o '"function":"helper","module":"files","file":"[^"]*"' |
		sed 's/.*\///' | sort | tr '\n' ' ')" 'a.c" b.c" ' \
		"$cc: JSON has module and file"
	cp data data2
	"$cpprof" merge -q -o twice data data2
	is "$(names twice | grep -c 'helper\|shared')" 3 \
		"$cc: a merged file has the same"
done

# The rare part of work is split off, and inlined back at -O3 and -Os, as no call
# is quicker with the rest inlined; fac is inlined into itself.
cat >split.c <<'END_C'
#include <stdio.h>
#include <unistd.h>
volatile unsigned sink;
unsigned work(unsigned n)
{
	if (__builtin_expect(n < 2, 1))
		return 1;
	sink += n;
	close(-1);
	for (unsigned i = 0; i < 1000; i++)
		sink += i * n;
	fprintf(stderr, "%u\n", sink);
	puts("x");
	return sink;
}
unsigned (*volatile indirect)(unsigned) = work;
__attribute__((cold, noinline)) static void rare(unsigned n) { sink += work(n); }
unsigned fac(unsigned n) { if (n < 2) { sink++; return 1; } close(-1); return n * fac(n - 1) + sink; }
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 5)
		rare((unsigned)argc);
	for (int i = 0; i < 3; i++)
		indirect((unsigned)(argc + i + 3));
	return fac((unsigned)argc + 9) == 7;
}
END_C
# hits ROOT PATH: hits of that path
hits() {
	"$cpprof" report --format=paper --down="$1" --threshold=0 data |
		sed -n "s/^[01]\.[0-9]* ($2) \[\([0-9]*\)\]\$/\1/p"
}
for o in -O2 -O3 -Os; do
	gcc $o -g -o split split.c || break
	profile ./split 2>err
	is "$(hits work 'work close'):$(hits work 'work work')" 3: \
		"gcc $o: a part inlined back is no recursion"
	is "$(hits fac fac):$(hits fac 'fac fac')" 9:8 \
		"gcc $o: recursion inlined into itself is"
done

# glibc makes calls in which threads can be cancelled in functions that all share
# (from 2.41 on; here the program has them).
cat >cancel.c <<'END_C'
#define FN __attribute__((noinline, noclone))
FN long __internal_syscall_cancel(long number, long fd)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(fd)
		: "rcx", "r11", "memory");
	return result;
}
FN long __syscall_cancel(long number, long fd)
{
	long result = __internal_syscall_cancel(number, fd);

	return result < 0 ? -1 : result;
}
FN int shut(int fd) { return (int)__syscall_cancel(3, fd) + 1; }
FN int same(int fd) { return (int)__syscall_cancel(32, fd) + 1; }
int main(void) { return shut(-1) + shut(-1) + same(-1); }
END_C
if gcc -O1 -o cancel cancel.c 2>err; then
	profile ./cancel
	is "$(paths data main --no-objects | sort)" "main
main same
main shut" "calls that all share functions are their callers'"
	is "$(hits main 'main shut'):$(hits main 'main same')" 2:1 "... with each hit"
else
	skip 2 "no gcc"
fi

# A program is called what the user calls it, be that a link to its file, but not
# what a script is called that it runs, nor one of several names.
cat >called.c <<'END_C'
#include <unistd.h>
static __attribute__((noinline)) int shut(int n) { return close(n) + n; }
int main(int argc, char **argv) { return shut(-argc) + shut(-1) + 3 + argc; }
END_C
if gcc -O1 -s -o called-file called.c 2>err; then
	ln -s called-file called-link
	printf '#!%s/called-link\n' "$PWD" >called-script
	chmod +x called-script
	modules() {
		"$cpprof" report --format=csv --function --threshold=0 data |
			grep -o '[a-z-]*called-[a-z]*[+!]*' | sort -u
		"$cpprof" report data | sed -n '1s/.* //p'
	}
	profile ./called-link
	is "$(modules | tr '\n' ' ')" "called-link called-link+ called-link " \
		"a program that was started by a link has its name"
	cp data by-link
	profile ./called-file
	is "$("$cpprof" diff by-link data | head -n 1)" \
		"called-link before and called-file after are compared as one program" \
		"... in a diff, too"
	profile ./called-script
	unlike "$(modules | sed '$d')" 'called-(script|link)' \
		"... which a script has not"
	profile sh -c './called-link; ./called-file; :'
	unlike "$(modules)" 'called-link' "... nor a file of two names"
else
	skip 4 "no gcc"
fi

cat >closure.rs <<'END_C'
use std::os::raw::c_int;
extern "C" { fn close(fd: c_int) -> c_int; }
fn twice<F: Fn(c_int) -> c_int>(f: F) -> c_int { f(1) + f(2) }
fn main() {
    let one = twice(|x| unsafe { close(-1) + x });
    let two = twice(|x| unsafe { close(-1) - x });
    std::process::exit((one + two == 77) as c_int);
}
END_C
if command -v rustc >which && rustc -O -g -o closure closure.rs 2>err; then
	profile ./closure
	is "$(names data | grep -c 'closure.*::main::{{closure}}\|main.*{closure#')" 2 \
		"rustc: two closures"
else
	skip 1 "no rustc"
fi

# What a stripped library exports is shown, though what it calls has nearly all of it.
cat >"$tmp/pack.c" <<'END'
static __attribute__((noinline)) long work(long n) { volatile long s = 0; while (n--) s += n; return s; }
static __attribute__((noinline)) long twice(long n) { return work(n) + work(n); }
long zz_pack(long n) { return twice(n) + 1; }
END
echo 'long zz_pack(long); int main(void) { return !zz_pack(100000000); }' >"$tmp/packs.c"
if can_profile && cc -O1 -shared -fPIC -s -o "$tmp/libpack.so" "$tmp/pack.c" 2>/dev/null &&
	cc -O1 -o "$tmp/packs" "$tmp/packs.c" "$tmp/libpack.so" -Wl,-rpath,"$tmp"; then
	"$cpprof" run -q -r cpu -o "$tmp/packed" -- "$tmp/packs"
	like "$("$cpprof" report "$tmp/packed")" "%  zz_pack  *libpack.so$" \
		"the one name of a library that has no other is in the table"
else
	skip 1 "no profiles here, or no cc"
fi

done_testing
