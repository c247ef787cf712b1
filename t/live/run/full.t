#!/bin/sh
# A disk that is full: told, and a file that was there before is left as it was.
. "$(dirname "$0")/../../lib/lib.sh"
cd "$tmp" || exit 99
mkdir data files
"$top_builddir/t/lib/make_fixture" data/large large || exit 99
"$top_builddir/t/lib/make_fixture" data/before empty || exit 99

# limited WHAT COMMAND...: which writes kept and may not: files end at 512 bytes
limited() {
	what=$1
	shift
	cp data/before files/kept
	(
		ulimit -f 1
		cd files && exec "$@"
	) >"$tmp/out" 2>"$tmp/err"
	is "$?" 1 "$what: status 1"
	like "$(cat "$tmp/err")" "^cpprof: (-c: )?kept: write: File too large" \
		"... the file and the reason are named"
	is "$(cmp files/kept data/before)" "" "... the file is as it was"
	is "$(ls -A files | grep -v 'kept.partial')" kept "... with nothing beside it"
}
limited export "$cpprof" export -o kept ../data/large
limited "the shell's >" "$cpprof" shell -c 'function 0 >kept' ../data/large
limited merge "$cpprof" merge -o kept ../data/large

# When there is room.
cd files || exit 99
chmod 640 kept
ln -s kept link
"$cpprof" export -o link ../data/large
is "$? $(stat -c %a kept) $(readlink link) $(wc -l <kept)" \
	"0 640 kept $("$cpprof" export ../data/large | wc -l)" \
	"a file keeps its mode, a link stays one"
ln kept other
"$cpprof" export -o kept ../data/large
[ kept -ef other ]
ok $? "and so does a file of two names"
"$cpprof" export -o /dev/null ../data/large
is "$? $(stat -c %F /dev/null)" "0 character special file" "no plain file"
done_testing
