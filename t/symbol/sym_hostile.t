#!/bin/sh
# Files that are made to hang, exhaust or crash a symbolizer cost at most their
# own names.
. "$(dirname "$0")/../lib/lib.sh"

dump=$top_builddir/t/lib/symdump
needs cc nm objcopy strip mkfifo
unset DEBUGINFOD_URLS
cd "$tmp" || exit 99

cat >prog.c <<'EOF'
#include <stdlib.h>
static inline int twice(int n) { return rand() + n * 2; }
__attribute__((noinline)) int victim(int n)
{
	return twice(n) ^ rand();
}
int main(int argc, char **argv)
{
	return victim(argc) + (argv[0] == 0);
}
EOF
cc -O2 -g -gz=none -Wl,--build-id -o whole prog.c || exit 99
addr=$(nm whole | awk '$3 == "victim" { print $1 }')

# names FILE: the name of victim's first byte, in limited time and memory
names() {
	(
		ulimit -v "${memory:-unlimited}"
		echo "$addr" | exec timeout -k 5 60 "$dump" "$1"
	) >out 2>err
	echo $? >rc
	cat out err
}
like "$(names whole)" 'victim' "the program, to begin with"
like "$(names whole)" 'prog\.c' "has lines"

### names of pipes

objcopy --only-keep-debug whole trap.debug
cp whole linked && strip -g linked && objcopy --add-gnu-debuglink=trap.debug linked
# one without a build id goes by the checksum
objcopy --remove-section=.note.gnu.build-id linked linked-crc
like "$(names linked-crc)" 'prog\.c' "a debug link is followed"
echo >>trap.debug
unlike "$(names linked-crc)" 'prog\.c' "but not to a file of another checksum"
rm trap.debug
mkfifo trap.debug
like "$(names linked-crc)" victim ".gnu_debuglink names a pipe: nobody waits"
is "$(cat rc)" 0 "and it ends"
mkdir .debug && mv trap.debug .debug/
like "$(names linked)" victim "the same in .debug"
is "$(cat rc)" 0 "and it ends"
mkfifo linked.debug
like "$(names linked)" victim "the same by the file's own name"
is "$(cat rc)" 0 "and it ends"

printf 'shared.debug\0aaaaaaaaaaaaaaaaaaaa' >altlink
objcopy --add-section .gnu_debugaltlink=altlink whole alt 2>log
mkfifo shared.debug
like "$(names alt)" victim ".gnu_debugaltlink names a pipe: nobody waits"
is "$(cat rc)" 0 "and it ends"

# the same where functions are looked up to be probed, before the program runs
if [ -z "$(timeout -k 5 60 "$cpprof" run -q -r calls=rand -o data -- ./whole \
	2>&1)" ]; then
	timeout -k 5 60 "$cpprof" run -q -r calls=rand -o data -- ./linked-crc \
		>out 2>&1
	unlike "$?" '^(124|137)$' "calls=F: nobody waits for the debug link"
	timeout -k 5 60 "$cpprof" run -q -r calls=victim -o data -- ./alt \
		>out 2>&1
	unlike "$?" '^(124|137)$' "calls=F: nor for a shared file"
else
	skip 2 "no probes here"
fi

### a small file with a line table of millions of rows

number() { # N: four bytes, lowest first
	# shellcheck disable=SC2059
	printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $(($1 & 255)) \
		$(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)))"
}
rows=15000000
objcopy --dump-section .debug_line=line whole 2>log
size=$(wc -c <line)
{
	number $((size - 4 + rows))
	tail -c +5 line | head -c $((size - 4 - 3))
	head -c $rows /dev/zero | tr '\0' '\1' # DW_LNS_copy
	tail -c 3 line
} >bomb.line
cp whole bomb
if objcopy --update-section .debug_line=bomb.line bomb 2>log &&
	objcopy --compress-debug-sections=zlib bomb 2>log &&
	[ "$(wc -c <bomb)" -lt 100000 ]; then
	if [ -z "$SANITIZERS" ]; then
		names bomb >got
		like "$(cat got)" victim "a line table bomb costs no names"
		like "$(cat got)" 'note.*too (much memory|long) for its size' \
			"only its lines, and a note says so"
		# whoever limits the child's parent's memory sees that it is enough
		memory=500000
		like "$(names bomb)" victim "nor much memory"
		memory=
	else
		skip 3 "sanitizers take memory as they like"
	fi
else
	skip 3 "objcopy does not build it"
fi
done_testing
