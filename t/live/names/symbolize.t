#!/bin/sh
# Names looked up after the run, by files of another machine below a folder: as
# if they had been there at once, and never by a file that is not the one that ran.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "$why"
needs strip objcopy readelf
cd "$tmp" || exit 99
unset DEBUGINFOD_URLS

mkdir built
cat >built/closing.c <<'END_C'
#include <unistd.h>

__attribute__((noinline)) static void close_nothing(void)
{
	close(-1); /* the only line that costs */
	__asm__ volatile(""); /* no tail call */
}

__attribute__((noinline)) static void close_often(int n)
{
	for (int i = 0; i < n; i++)
		close_nothing();
	__asm__ volatile("");
}

static inline __attribute__((always_inline)) void close_inlined(void)
{
	close(-2);
}

int main(int argc, char **argv)
{
	(void)argv;
	close_often(20 * argc);
	close_inlined();
	return 0;
}
END_C
cat >quiet.c <<'END_C' # its code has no name at all
#include <unistd.h>

__attribute__((constructor)) static void quiet(void)
{
	close(-1);
	__asm__ volatile("");
}
END_C
${CC:-cc} -shared -fPIC -Wl,--build-id -o libquiet.so quiet.c && strip libquiet.so ||
	exit 99
${CC:-cc} -g -O1 -Wl,--build-id,--no-as-needed,-rpath,"$tmp" -o prog \
	"$tmp/built/closing.c" libquiet.so || exit 99
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || skip_all "no build id here"

# profile DATA
profile() {
	"$cpprof" run -q --timer=stop -r syscalls:1 -o "$1" -- ./prog || exit 99
}

# stacks DATA: folded, of the program's own system calls
stacks() {
	"$cpprof" export -f folded "$1" | grep ';main;'
}

profile whole
stacks=$(stacks whole)
like "$stacks" 'close_often;close_nothing' "named at once: the stacks that are right"
cp prog named_prog
strip -g prog
profile lineless
cp prog lineless_prog
strip prog
profile data
cp data before
mv prog stripped

# image NAME: a root folder, in whose place of the program is a FILE
image() {
	mkdir -p "$1$tmp"
	[ -z "${2:-}" ] || cp "$2" "$1$tmp/prog"
}

# symbolized DATA OPTIONS...: what it says
symbolized() {
	data=$1
	shift
	"$cpprof" symbolize -o named "$@" "$data" 2>&1
}

# books DATA: what the run consumed, and when
books() {
	"$cpprof" info "$1" | grep -v '^file: \|^  /\|symbols:\|^notes:\|^$'
}

# lines DATA: in which the program makes its calls
lines() {
	"$cpprof" export -f folded --sites "$1" | grep -o 'closing[.]c:[0-9]*' |
		sort -u
}

image whole_image named_prog
is "$(lines lineless) $(stacks lineless)" " $(echo "$stacks" | sed 's/;close_inlined//')" \
	"without debug information: neither lines nor inlined calls"
said=$(symbolized lineless --sysroot=whole_image)
is "$? $(lines named)" "0 $(lines whole)" "named later: the lines"
like "$(lines named)" ':5' "... of which the call is one"
is "$(stacks named)" "$stacks" "... and the inlined calls"
unlike "$(stacks data)" 'close_often|close_nothing' "stripped: no names"
said=$(symbolized data --sysroot=whole_image)
is "$? $(stacks named)" "0 $stacks" "named later: the same stacks"
after=$(echo "$said" | sed -n 's/^cpprof: \([0-9]*\) of [0-9]* addresses have a name in named; .*/\1/p')
[ "${after:-0}" -gt "$(echo "$said" | sed -n 's/.*; before, \([0-9]*\) had one$/\1/p')" ]
ok $? "it says so: $said"
is "$(books named)" "$(books data)" "all else is as it was"
like "$("$cpprof" info data)" 'notes:.*|symbols: .*prog .*no symbol table' "a note was there"
unlike "$("$cpprof" info named)" 'symbols: .*prog ' "... and is not any more"
cmp -s data before
ok $? "the file that was read is as it was"

said=$(symbolized named -o again)
is "$? $(stacks again)" "2 $stacks" "where nothing is found names stay"
is "$(echo "$said" | grep -v '^hint: .*--sysroot=DIR')" "$(echo "$said" | head -n 1)
cpprof: named: symbolize: no name was found for it" "... and nothing is missed"
is "$("$cpprof" symbolize -q -o again named 2>&1)" \
	"$(echo "$said" | tail -n 2)" "... which is an error for --quiet, too"

symbolized data >/dev/null
is "$("$cpprof" info named | grep -c 'symbols: .*libquiet')" 1 "still without symbols: one note"

image lineless_image lineless_prog
symbolized data --sysroot=lineless_image >/dev/null
is "$(stacks named)" "$(stacks lineless)" "a name is better than none"
symbolized whole --sysroot=lineless_image >/dev/null
is "$(stacks named) $(lines named)" "$stacks $(lines whole)" \
	"a name alone is no better than one with lines and inlined calls"

sed 's/20 \* argc/40 * argc/' built/closing.c >other.c
${CC:-cc} -g -O1 -Wl,--build-id -o other other.c || exit 99
image other_image other
said=$(symbolized data --sysroot=other_image)
is "$? $(stacks named)" "2 $(stacks data)" "another build: names nothing"
like "$said" "addresses without a name: .*/prog .build id $id.: its build id is another" \
	"... and is refused by name"
cp other prog # here, not there
symbolized data --sysroot=whole_image >/dev/null
is "$(stacks named)" "$stacks" "another build here, the right one there"
mv other_image "$tmp/o"
cp named_prog prog
symbolized data --sysroot=o >/dev/null
is "$(stacks named)" "$stacks" "the right one here, another build there"
rm prog

image empty_image
said=$(symbolized data --sysroot=empty_image)
is "$? $(stacks named)" "2 $(stacks data)" "an empty folder names nothing"
like "$said" "/prog .build id $id.: No such file" "... and the file is missed by name"

objcopy --only-keep-debug named_prog debug
image debug_image stripped
there=debug_image/usr/lib/debug/.build-id/$(echo "$id" | cut -c 1-2)
mkdir -p "$there"
cp debug "$there/$(echo "$id" | cut -c 3-).debug"
symbolized data --sysroot=debug_image >/dev/null
is "$(stacks named)" "$stacks" "by a separate debug file there"
rm "debug_image$tmp/prog"
symbolized data --sysroot=debug_image >/dev/null
is "$(stacks named)" "$stacks" "... by that alone"

image linked_image
mkdir linked_image/opt
cp named_prog linked_image/opt/prog
ln -s /opt/prog "linked_image$tmp/prog"
symbolized data --sysroot=linked_image >/dev/null
is "$(stacks named)" "$stacks" "an absolute link stays in the folder"
ln -sf ../../../../../../../../../../../../named_prog "linked_image$tmp/prog"
symbolized data --sysroot=linked_image >/dev/null
is "$(stacks named)" "$(stacks data)" "... and one with .. does not leave it"

ln -sf loop "linked_image$tmp/loop"
ln -sf loop/prog "linked_image$tmp/prog"
symbolized data --sysroot=linked_image >/dev/null
is "$(stacks named)" "$(stacks data)" "... and one in a circle leads nowhere"
"$top_builddir/t/lib/refuse" EPERM openat2 \
	"$cpprof" symbolize -q --sysroot=whole_image -o named data
is "$(stacks named)" "$stacks" "in a container that does not know openat2()"

"$cpprof" symbolize -q --sysroot=whole_image -o - - <data >named 2>&1
is "$?" 1 "what cannot be read twice is refused"
"$cpprof" symbolize -q --sysroot=whole_image -o - data >named
is "$(stacks named)" "$stacks" "to standard output"
like "$("$cpprof" symbolize data 2>&1)" "no file to write" "without -o"
like "$("$cpprof" symbolize -o data data 2>&1)" "write: it is one of the inputs" "onto itself"
like "$("$cpprof" symbolize --sysroot=nowhere -o x data 2>&1)" "^cpprof: nowhere: sysroot: No such" \
	"a sysroot that is none"

# Lines and code of the other machine.
image whole_image named_prog
mkdir -p "whole_image$tmp/built"
mv built/closing.c "whole_image$tmp/built/closing.c"
unlike "$("$cpprof" list close_nothing whole 2>&1)" 'close[(]-1[)];' "list without the source"
like "$("$cpprof" list --sysroot=whole_image close_nothing whole 2>&1)" 'close[(]-1[)];' \
	"list --sysroot: the source"
like "$("$cpprof" list --sysroot=whole_image --asm close_nothing whole 2>&1)" 'call.*close' \
	"... and the code"
like "$("$cpprof" list --sysroot=o --asm close_nothing whole 2>&1)" \
	'build id: not the file that ran' "... not of another build"
like "$("$cpprof" shell -c "set sysroot whole_image; list close_nothing; set" whole 2>&1)" \
	'close[(]-1[)];' "set sysroot"
like "$("$cpprof" shell -c "set sysroot whole_image; set source-path image; list close_nothing
set" whole 2>&1)" 'close[(]-1[)];' "... whose folder set source-path keeps"
done_testing
