#!/bin/sh
# Files that ask for more than they hold: import takes time and memory in
# proportion to what there is, tells figures that are too large, and loses none.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99

# import_ FILE: $rc and $err.  The limits end what would take hours and all of
# the memory; what is in proportion stays far below them.
import_() {
	err=$(
		[ -n "${SANITIZERS:-}" ] || ulimit -v 1000000
		timeout -k 5 300 "$cpprof" import -q "$1" -o out 2>&1
	)
	rc=$?
}
# varint N, field NUMBER N: the tag and length of a run of N bytes
varint() {
	n=$1
	while [ "$n" -gt 127 ]; do
		printf "\\$(printf %o $((n % 128 + 128)))"
		n=$((n / 128))
	done
	printf "\\$(printf %o "$n")"
}
field() {
	varint $(($1 * 8 + 2))
	varint "$2"
}
# many N BYTE: that byte N times, in octal
many() {
	head -c "$1" /dev/zero | tr '\0' "\\$2"
}
# profile: strings "", samples, count; a type; a function, a location, a sample
profile() {
	printf '\062\000\062\007samples\062\005count'
	printf '\012\004\010\001\020\002'
	printf '\052\004\010\001\020\001\042\006\010\001\042\002\010\001'
	printf '\022\004\010\001\020\001'
}

profile >p
import_ p
is "$rc$err $("$cpprof" export out)" "0 samples 1" "a profile"
{
	profile
	field 6 3000000
	many 3000000 170
	field 13 3000000
	many 3000000 3
} >p
import_ p
is "$rc$err" "0" "one long comment, three million times"
{
	profile
	yes "$(printf '\052\002\010\001')" | head -n 500000 | tr -d '\n'
} >p
import_ p
is "$rc$err" "0" "one function, half a million times"
{
	profile
	yes 2 | head -n 20000000 | tr '\n' '\0'
} | gzip -1 >p
import_ p
like "$rc $err" "^1 .*more functions, places and frames than its size can tell" \
	"20 million strings in $(($(wc -c <p) / 1024)) KiB are told"
{
	profile
	field 2 $((50000000 + 7))
	field 1 50000000
	many 50000000 1
	printf '\020\001'
} | gzip >p
import_ p
like "$rc $err" "^1 .*more functions, places and frames than its size can tell" \
	"a stack of 50 million frames in $(($(wc -c <p) / 1024)) KiB is told"
{
	profile
	field 6 2000000
	many 2000000 170
	printf '\052\004\010\002\020\003'
	field 4 $((4 * 300000 + 2))
	printf '\010\002'
	yes x | head -n 300000 | tr -d '\n' | sed 's/x/\o042\o002\o010\o002/g'
} >p
import_ p
like "$rc $err" "^1 .*few long names stand in too many places" \
	"one long name in 300 000 lines"

# Folded stacks have no comments, and their lines may be long.
printf '# a;b 2\n#c;d 3\n' >stacks
import_ stacks
is "$rc$err $("$cpprof" export out | sort | tr '\n' ' ')" "0 # a;b 2 #c;d 3 " \
	"names that begin with #"
{
	many 20000 141
	printf ';leaf 7\nb;leaf 1\n'
} >stacks
import_ stacks
is "$rc$err $("$cpprof" export out | sed 's/a\{20000\}/A/' | tr '\n' ' ')" \
	"0 A;leaf 7 b;leaf 1 " "a first line of 20 000 bytes"
for n in 4294967295 4294967296 1000000000000; do
	echo "a;b $n" >stacks
	import_ stacks
	is "$rc$err $("$cpprof" export out)" "0 a;b $n" "a count of $n"
done
printf 'a;b 9000000000000000000\n' >stacks
import_ stacks
like "$rc $err" "^1 .*stacks: import: its counts are too large" "a count of 9e18 is told"
printf 'a 1 1.0: 9000000000000000000 e:\n\t1 f (x)\n\n' >one
cat one one >two
import_ two
like "$rc $err" "^1 .*two: import: its figures add up to 2\^63 and more" \
	"a sum above 2^63 is told"

# What is sampled is never called exact.
printf 'main;a 30\nmain;b 70\n' >stacks
for i in before after; do
	import_ stacks
	mv out $i
done
printf 'main;a 31\nmain;b 70\n' >stacks
import_ stacks
unlike "$("$cpprof" diff before after -- out)" "exact|a change:" \
	"one more of 100 samples is no change"
like "$("$cpprof" report -F --intervals before)" '30\.0 % +21\.9\.\.39\.6 %' \
	"samples have intervals"
printf 'main;a 30\nmain;b 70\n' | counted exact
cp exact exact2
cp exact exact3
like "$("$cpprof" diff exact exact2 -- exact3)" "the same in every run" \
	"counted events are compared"
unlike "$("$cpprof" report -F --intervals exact)" '\.\.' "and have none"
"$cpprof" export -f perf-script exact | "$cpprof" import -q -o back -
unlike "$("$cpprof" report -F --intervals back)" '\.\.' \
	"also when they come back from an export"
done_testing
