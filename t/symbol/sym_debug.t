#!/bin/sh
# Symbols and lines from where debug information lies apart: the build id's
# folder, .gnu_debugdata, dwz's shared file, debuginfod; against addr2line and
# nm of the file that still had everything.
. "$(dirname "$0")/../lib/lib.sh"

dump=$top_builddir/t/lib/symdump
needs addr2line nm objcopy strip cc
unset DEBUGINFOD_URLS
cd "$tmp" || exit 99

cat >prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct pair { int a, b; };
static inline int add(struct pair p) { return p.a * 3 + p.b; }
static __attribute__((noinline)) int hidden(int n)
{
	struct pair p = {n, rand()};

	return add(p) + n;
}
int main(int argc, char **argv)
{
	printf("%s %d\n", argv[0], hidden(argc));
	return 0;
}
END
sed 's/hidden/other/; s/\* 3/* 5/' prog.c >prog2.c
cc -O2 -g -Wl,--build-id -o prog prog.c && cc -O2 -g -Wl,--build-id -o prog2 prog2.c || exit 99

addresses() { # of main and the hidden function
	nm -S "$1" | awk 'NF == 4 && $4 ~ /^(main|hidden|other)$/ {
		print "0x" $1, "0x" $2 }' | while read -r lo size; do
		i=0
		while [ $i -lt $((size)) ]; do
			printf '%x\n' $((lo + i))
			i=$((i + 3))
		done
	done | sort
}
oracle() { # FILE: "address name file:line", innermost first
	addr2line -a -f -i -e "$1" <addrs | sed 's/ (discriminator [0-9]*)//' |
		awk '/^0x/ { a = $0; sub(/^0x0*/, "", a); n = 0; next }
			n++ % 2 == 0 { f = $0; next }
			{ sub(/:\?$/, ":0"); print a, f, $0 }'
}
ours() {
	"$dump" "$1" <addrs | awk -F'\t' '$1 != "note" { print $1, $9, $8 }'
}
addresses prog >addrs
oracle prog >want
ours prog >got
is "$(cat got)" "$(cat want)" "the whole program, to begin with"
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug prog prog.debug
cp prog bare && strip bare
unlike "$(ours bare)" 'hidden' "stripped, it has nothing of the function"

### debuginfod

if [ -z "$id" ] || ! command -v python3 >which ||
	! ldd "$dump" | grep -q libdw ||
	[ -z "$(ls /usr/lib/*/libdebuginfod.so.1 \
		/usr/lib*/libdebuginfod.so.1 2>which)" ]; then
	skip 2 "no debuginfod library or no python3"
else
	mkdir -p "web/buildid/$id"
	cp prog.debug "web/buildid/$id/debuginfo"
	python3 -u -m http.server --bind 127.0.0.1 --directory web 0 \
		>server 2>server.log &
	server=$!
	trap 'kill $server; rm -rf "$tmp"' EXIT
	i=0
	while [ $((i += 1)) -le 100 ]; do
		port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' server 2>log)
		[ -n "$port" ] && break
		sleep 0.3
	done
	DEBUGINFOD_CACHE_PATH=$tmp/cache
	DEBUGINFOD_URLS=http://127.0.0.1:$port/
	export DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS
	is "$(ours bare)" "$(cat want)" "a debuginfod server has the debug file"
	like "$(cat server.log)" "GET /buildid/$id/debuginfo" "it was asked"
	unset DEBUGINFOD_URLS
	kill $server
	wait $server 2>log
	trap 'rm -rf "$tmp"' EXIT
fi

### .gnu_debugdata: the symbols alone, packed

if command -v xz >which; then
	nm -D prog --format=posix --defined-only | awk '{ print $1 }' | sort >dyn
	nm prog --format=posix --defined-only |
		awk '$2 ~ /^[TtWw]$/ { print $1 }' | sort | comm -13 dyn - >keep
	objcopy -S --keep-symbols=keep prog.debug mini >log 2>&1
	xz -k mini
	objcopy --add-section .gnu_debugdata=mini.xz bare packed
	is "$("$dump" packed <addrs | awk -F'\t' '$1 != "note" { print $9 }' |
		sort -u)" "hidden
main" "symbols packed into .gnu_debugdata"
else
	skip 1 "no xz"
fi

### the file that dwz shares among programs

if command -v dwz >which; then
	cp prog one && cp prog2 two
	if dwz -m shared.debug one two 2>log && [ -s shared.debug ]; then
		ours one >got
		is "$(cat got)" "$(cat want)" "what dwz moved to a shared file"
	else
		skip 1 "dwz shares nothing: $(head -n 1 log)"
	fi
else
	skip 1 "no dwz"
fi

### the folder of build ids

libc=$(ldd "$(command -v sh)" | awk '/libc\.so/ { print $3 }')
id=$(readelf -n "$libc" 2>log | sed -n 's/.*Build ID: //p')
debug=/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
if [ -r "$debug" ]; then
	nm -S "$debug" | awk 'NF == 4 && $3 == "t" && $4 ~ /^_*[a-z]/ {
		print $1 }' | sort -u | awk 'NR % 40 == 1' >addrs
	"$dump" "$libc" "$id" <addrs |
		awk -F'\t' '$1 != "note" && $2 == 0 { print $3, $7 }' >got
	nm "$debug" | awk '$2 ~ /^[TtWwi]$/ { print $1, $3 }' |
		sed 's/^0*//; s/@.*//' | sort >have
	is "$(sort got | comm -23 - have)" "" \
		"local functions of the C library from /usr/lib/debug"
	ok "$([ "$(wc -l <got)" -gt 10 ]; echo $?)" "there are some"
else
	skip 2 "no debug symbols of the C library in /usr/lib/debug"
fi
done_testing
