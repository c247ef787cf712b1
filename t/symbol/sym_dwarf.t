#!/bin/sh
# Lines and inlined calls, for every instruction of optimized programs, against
# addr2line of binutils, in each place where DWARF may lie.
. "$(dirname "$0")/../lib/lib.sh"

dump=$top_builddir/t/lib/symdump
needs addr2line objdump objcopy strip cc
cd "$tmp" || exit 99

cat >prog.h <<'END'
static inline int add(int a, int b)
{
	return a * 3 + b;
}
END
cat >one.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "prog.h"
int other(int, const char *);
static inline int step(int x)
{
	int y = add(x, 7);

	if (y % 5 == 0)
		y = add(y, rand());
	return y;
}
static inline int walk(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += step(i) ^ sum;
	return sum;
}
__attribute__((noinline)) int work(int n)
{
	return walk(n) + walk(n / 2);
}
int main(int argc, char **argv)
{
	printf("%d\n", work(argc * 1000) + other(argc, argv[0]));
	return 0;
}
END
cat >two.c <<'END'
#include <string.h>
#include <stdlib.h>
#include "prog.h"
__attribute__((noinline)) static int rare(const char *s)
{
	if (strlen(s) > 900)
		abort();
	return add((int)strlen(s), 1);
}
int other(int n, const char *s)
{
	int r = 0;

	while (n-- > 0)
		r = add(r, rare(s));
	return r;
}
END

# Every address of an instruction within the bounds of the functions above;
# addr2line gives the padding behind them to the function before.
addresses() {
	for function in $(nm -S "$1" | awk 'NF == 4 &&
		$4 ~ /^(main|work|other|rare)/ { print "0x" $1 "+0x" $2 }'); do
		objdump -d --no-show-raw-insn --start-address="${function%+*}" \
			--stop-address="$(printf '0x%x' $((${function%+*} + ${function#*+})))" "$1" |
			awk '/^ *[0-9a-f]+:/ { sub(/:/, "", $1); print $1 }'
	done | sort -u
}

# entered FILE: of lines by address only the last where a function begins: what it
# inlines is not at work where it is called
entered() {
	nm "$1" | awk '$2 ~ /^[tTwW]$/ { sub(/^0*/, "", $1); print $1 }' >starts
	awk 'NR == FNR { start[$1]; next }
		held && $1 != at { print held; held = "" }
		$1 in start { at = $1; held = $0; next }
		{ print }
		END { if (held) print held }' starts -
}

# addr2line's answer as "address name file:line", innermost first
oracle() {
	addr2line -a -f -i -e "$1" <"$2" | sed 's/ (discriminator [0-9]*)//' |
		awk '/^0x/ { a = $0; sub(/^0x0*/, "", a); n = 0; next }
			n++ % 2 == 0 { f = $0; next }
			{ sub(/:\?$/, ":0"); print a, f, $0 }' | sed "$edit"
}

# the same from symdump, clones' suffixes cut off
ours() {
	"$dump" "$1" <"$2" | awk -F'\t' '$1 != "note" {
		sub(/\.(cold|part|constprop|isra|lto_priv).*/, "", $9)
		print $1, $9, $8 }' | sed "$edit"
}

# same FILE WHAT [FILE-WITH-DWARF]
same() {
	oracle "${3:-$1}" addrs | entered "${3:-$1}" >want
	ours "$1" addrs >got
	if [ -s want ] && cmp -s want got; then
		ok 0 "$2"
	else
		ok 1 "$2"
		diff want got | head -n 20 | sed 's/^/# /'
	fi
}

edit=
for flags in "-g" "-gdwarf-4" "-gdwarf-5" "-gdwarf-4 -gz=zlib" \
	"-g -O3 -funroll-loops" "-g -flto" "-g -no-pie" "-g -ffunction-sections"; do
	# shellcheck disable=SC2086
	if ! cc -O2 $flags -o prog one.c two.c 2>log; then
		skip 1 "cannot build with $flags"
		continue
	fi
	addresses prog >addrs
	# binutils takes the file of a link-time unit from the wrong table
	[ "$flags" = "-g -flto" ] && edit='s/ [^ ]*:/ FILE:/'
	same prog "every address: $flags"
	edit=
done

if command -v clang >which && clang -O2 -g -o prog one.c two.c 2>log; then
	addresses prog >addrs
	same prog "every address: clang -g"
else
	skip 1 "no clang"
fi

cc -O2 -g -o prog one.c two.c || exit 99
addresses prog >addrs
ok "$([ "$(wc -l <addrs)" -gt 50 ]; echo $?)" "there are many addresses"
ok "$([ "$(ours prog addrs | awk '{ print $1 }' | uniq -d | wc -l)" -gt 10 ]
	echo $?)" "and many in inlined calls"

objcopy --only-keep-debug prog prog.debug
cp prog bare
strip bare
objcopy --add-gnu-debuglink=prog.debug bare
same bare "a separate file by debuglink" prog

mv prog.debug elsewhere
unlike "$(ours bare addrs)" 'one\.c' "without that file: no lines"
mkdir .debug
mv elsewhere .debug/prog.debug
same bare "a separate file in .debug" prog

# C++: a static function is one function, inlined or not
cat >anon.cc <<'END'
static volatile unsigned long sink;
#define LOOP(s, n, k) while (n--) { s = s * k + n; \
	__asm__ volatile("" : "+r"(s)); } return s
namespace { unsigned long spin(unsigned long n) { unsigned long s = 1; LOOP(s, n, 31); } }
static unsigned long turn(unsigned long n) { unsigned long s = 7; LOOP(s, n, 33); }
static unsigned long gone(unsigned long n) { unsigned long s = 5; LOOP(s, n, 35); }
__attribute__((noinline)) void work() { sink += spin(60) + turn(70) + gone(80); }
unsigned long (*volatile p)(unsigned long) = spin;
unsigned long (*volatile q)(unsigned long) = turn;
int main() { work(); sink += p(60) + q(70); return 0; }
END
for compiler in g++ clang++; do
	if ! $compiler -O2 -g -o anon anon.cc 2>log; then
		skip 1 "no $compiler"
		continue
	fi
	addrs=$(nm -S anon | awk '$4 == "_Z4workv" { print "0x" $1, "0x" $2 }')
	set -- $addrs
	got=$(objdump -d --no-show-raw-insn anon --start-address="$1" \
		--stop-address=$(($1 + $2)) |
		awk '/^ *[0-9a-f]+:/ { sub(/:/, "", $1); print $1 }' |
		"$dump" anon | awk -F'\t' '$1 != "note" && $2 > 0 { print $9 }' |
		sed 's/^gone(unsigned long)$/gone/' | sort -u)
	is "$got" "(anonymous namespace)::spin(unsigned long)
gone
turn(unsigned long)" "$compiler: static functions by the names of their copies"
done

# the code of a lambda stands in a type in a block of the function around it
cat >lambda.cc <<'END'
static volatile unsigned long sink;
template <class F> __attribute__((noinline)) void call(F f) { sink += f(sink); }
static inline unsigned long turn(unsigned long n) { return n * 33 + sink; }
int main()
{
	for (int i = 0; i < 3; i++) {
		auto f = [i](unsigned long n) __attribute__((noipa, noinline)) {
			auto g = [n](unsigned long k)
				__attribute__((noipa, noinline)) {
				return turn(k + n); };
			return turn(n) + g(n + i); };
		call(f);
	}
	return 0;
}
END
for compiler in g++ clang++; do
	if ! $compiler -O2 -g -o lambda lambda.cc 2>log; then
		skip 1 "no $compiler"
		continue
	fi
	got=$(nm -S lambda | awk '$4 ~ /^_ZZ.*4mainE.*clEm/ { print $1, $2 }' |
		while read -r at size; do
			objdump -d --no-show-raw-insn lambda \
				--start-address="0x$at" \
				--stop-address=$((0x$at + 0x$size)) |
				awk '/^ *[0-9a-f]+:/ { sub(/:/, "", $1); print $1 }' |
				"$dump" lambda | awk -F'\t' '$1 != "note" {
					sub(/.*\//, "", $10)
					print ($2 > 0 ? $9 : "lambda"), $10 }' |
				sort -u
		done | sed 's/(unsigned long)//' | sort)
	is "$got" "lambda lambda.cc:7
lambda lambda.cc:8
turn lambda.cc:3
turn lambda.cc:3" \
		"$compiler: what a lambda inlines, and where it is"
done

# each inlined call of it begins at another line
cat >inlined.cc <<'END'
static volatile unsigned long sink;
int main(int argc, char **argv)
{
	auto f = [argc](unsigned long n) __attribute__((always_inline)) {
		unsigned long r = 0;
		if (argc > 1)
			for (unsigned long k = 0; k < n; k++)
				r += sink * k;
		else
			sink = sink + n;
		return r;
	};
	for (int i = 0; i < argc; i++)
		sink = sink + f(i);
	sink = sink ^ f(7);
	return (int)f(sink);
}
END
for compiler in g++ clang++; do
	if ! $compiler -O2 -g -o inlined inlined.cc 2>log; then
		skip 1 "no $compiler"
		continue
	fi
	is "$(objdump -d --no-show-raw-insn inlined |
		awk '/^[0-9a-f]+ </ { on = /<main>:/ }
		on && /^ *[0-9a-f]+:/ { sub(/:/, "", $1); print $1 }' |
		"$dump" inlined | awk -F'\t' '$9 ~ /operator/ { print $10 }' |
		sort -u | grep -c .)" 1 \
		"$compiler: a lambda has one place, wherever it is inlined"
done

# in no function: no lines, and one frame
is "$(echo 1 | "$dump" prog | awk -F'\t' '$1 != "note" { print $2, $8 }')" \
	"0 :0" "an address in no function has one frame without a line"
done_testing
