#!/bin/sh
# Functions of programs without symbols and unwind information, bounded by the
# direct calls that were made: held against the symbols before stripping.
. "$(dirname "$0")/../lib/lib.sh"

can_profile || skip_all "no profiles here: $why"
needs cc nm strip
cd "$tmp" || exit 99

cat >prog.c <<'END_C'
#define FN __attribute__((noinline, noclone))
static volatile unsigned long sink;
FN static void spin(unsigned long n) { while (n--) sink += n; sink++; }
FN int c(int n) { spin(20000000); sink++; spin(10000000); sink++; return n; }
FN int b(int n) { int r = c(n); sink++; r += c(n + 1); sink++; return r; }
FN int hop(int n) { sink++; return b(n + 1); }
FN int a(int n) { int r = b(n); sink++; r += hop(n); sink++; return r; }
static int (*volatile pointer)(int) = a;
int main(int argc, char **argv)
{
	int r = a(argc);
	(void)argv;
	sink++;
	r += pointer(argc);
	sink++;
	return r == 3;
}
END_C
for how in -O1 -O2 -Os "-O2 -fno-omit-frame-pointer"; do
	# shellcheck disable=SC2086
	cc $how -fno-asynchronous-unwind-tables -fno-unwind-tables \
		-fno-ipa-icf -o prog prog.c 2>log &&
		strip -o bare prog &&
		"$cpprof" run -q -r cpu -o data ./bare ||
		skip_all "no such programs here: $(tail -n 1 log)"
	nm prog | awk '$2 ~ /[tT]/ { sub(/^0*/, "", $1); print $1, $3 }' |
		sort >symbols
	"$cpprof" report --format=paper --function --threshold=0.02 data |
		sed -n 's/^[0-9.]* bare+0x\([0-9a-f]*\) .*/\1/p' | sort |
		join -a 1 - symbols >found
	for f in spin a b c; do
		grep -q " $f\$" found || echo "$f"
	done >missing
	is "$(cat missing)" "" "$how: functions that were called directly"
	# Addresses of main stay alone: nothing in the run says where it starts.
	main=$((0x$(awk '$2 == "main" { print $1 }' symbols)))
	awk 'NF == 1 { print $1 }' found | while read -r at; do
		[ $((0x$at)) -gt $main ] && [ $((0x$at)) -lt $((main + 100)) ] ||
			echo "$at"
	done >wrong
	is "$(cat wrong)" "" "$how: and no part of one stands for itself"
done
done_testing
