#!/bin/sh
# What a server of debuginfod has is shown where this machine lacks it: the source
# lines of a function and the program itself.  A server that says nothing costs
# little and a line.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "$why"
needs python3 readelf strip
[ -n "$(ls /usr/lib/*/libdebuginfod.so.1 /usr/lib*/libdebuginfod.so.1 2>"$tmp/ls")" ] ||
	skip_all "no debuginfod library"
cd "$tmp" || exit 99
unset DEBUGINFOD_URLS
DEBUGINFOD_CACHE_PATH=$tmp/cache
export DEBUGINFOD_CACHE_PATH

mkdir built
cat >built/closing.c <<'END_C'
#include <unistd.h>

__attribute__((noinline)) void close_nothing(void)
{
	close(-1); /* the only line that costs */
}

int main(void)
{
	for (int i = 0; i < 20; i++)
		close_nothing();
	return 0;
}
END_C
${CC:-cc} -g -O1 -Wl,--build-id -o prog "$tmp/built/closing.c" || exit 99
"$cpprof" run -q --timer=stop -r syscalls:1 -o data -- ./prog || exit 99
like "$("$cpprof" list close_nothing data)" 'close[(]-1[)];' "here are its lines"
strip -o bare prog || exit 99
"$cpprof" run -q --timer=stop -r syscalls:1 -o bare.data -- ./bare || exit 99

# served: what the server has of the program
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
mkdir -p "web/buildid/$id/source$tmp/built"
mv prog "web/buildid/$id/executable"
mv built/closing.c "web/buildid/$id/source$tmp/built/closing.c"
unlike "$("$cpprof" list close_nothing data 2>&1)" 'close[(]-1[)];' \
	"without the file there are none"

# served_by COMMAND...: starts a server that prints its port
served_by() {
	: >server # no port of the server before
	"$@" >>server 2>server.log &
	server=$!
	trap 'kill $server; rm -rf "$tmp"' EXIT
	for _ in $(seq 100); do
		port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' server)
		[ -z "$port" ] || break
		sleep 0.3
	done
	DEBUGINFOD_URLS=http://127.0.0.1:$port/
	export DEBUGINFOD_URLS
}
served_by python3 -u -m http.server --bind 127.0.0.1 --directory web 0
like "$("$cpprof" list close_nothing data 2>&1)" 'close[(]-1[)];' \
	"a server has the source"
like "$("$cpprof" list --asm close_nothing data 2>&1)" 'call.*close' \
	"and the program's code"
rm -rf cache
asked=$(grep -c "GET /buildid/$id/executable" server.log)
"$cpprof" symbolize -q -o named bare.data # the file that ran is here
is "$(grep -c "GET /buildid/$id/executable" server.log)" "$asked" \
	"... which is not asked for what is here"
rm bare
unlike "$("$cpprof" report bare.data)" close_nothing "stripped: no names"
"$cpprof" symbolize -q -o named bare.data
like "$("$cpprof" report named)" close_nothing "the server gives them later"
cp "$(command -v env)" prog
like "$("$cpprof" list --asm close_nothing data 2>&1)" 'call.*close' \
	"... of the build that ran, where its path has another"
rm prog
if "$cpprof" run -q -r calls=getenv -o env.data -- env >env.out 2>env.err; then
	is "$(grep DEBUGINFOD env.out)" "$(env | grep DEBUGINFOD)" \
		"a program that starts does not see who was asked"
else
	skip 1 "no calls of functions in libraries for this user"
fi
kill $server

rm -rf cache
served_by python3 -uc '
import socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(20)
print("port", s.getsockname()[1])
time.sleep(1000)'
out=$(timeout 60 "$cpprof" list close_nothing data 2>&1)
is "$?" 0 "a silent server holds nobody up"
is "$(echo "$out" | grep -c 'debuginfod sent too little in 2 s')" 1 "a line says so"
unset DEBUGINFOD_URLS
kill $server
trap 'rm -rf "$tmp"' EXIT
done_testing
