#!/bin/sh
# Names of generated code from perf maps and jitdumps: chosen as their text
# says, by the time of the sample where there are times, and hostile files.
. "$(dirname "$0")/../../lib/lib.sh"

dump=$top_builddir/t/lib/symdump
needs cc
cd "$tmp" || exit 99

# with_map [JITDUMP]: the text in ./map becomes the perf map of symdump's
# process (jitdump likewise), whose names for ./addrs (address, time) are
# printed.  No other user's file is touched: the number is a new process's.
cat >run.sh <<'END'
map=/tmp/perf-$$.map
rm -f "$map"
[ -f map ] && { cp map "$map" || exit 1; }
[ -n "$owner" ] && chown "$owner" "$map"
[ -n "$link" ] && rm "$map" && ln -s "$PWD/map" "$map"
[ -n "$fifo" ] && rm "$map" && mkfifo "$map"
if [ -f log ]; then
	./make_log $$ <log >"jit-$$.dump"
	[ -n "$cut" ] && truncate -s "$cut" "jit-$$.dump"
	exec "$dump" //anon "$PWD/jit-$$.dump" <addrs
fi
exec "$dump" //anon <addrs
END
with_map() {
	export dump owner link fifo cut
	sh run.sh >out 2>&1 &
	pid=$!
	wait $pid
	rm -f "/tmp/perf-$pid.map" "jit-$pid.dump"
	awk -F'\t' '$1 == "note" { print "note", $3; next }
		{ print $1, $3, $4, $5, $9 }' out | sed "s/$pid/PID/g"
}
owner= link= fifo= cut=

### maps

cat >map <<'END'
1000 20 first
0x1020 0x10 second function, with spaces
1030 10 Old
1030 10 New
1034 4 inside
zzzz 10 no number
2000 0 empty
2000
2000 10
ffffffffffffffff 10 goes round
10000000000000000 10 too large
 3000 8 led by a space
END
printf '3010 8 crlf\r\n4000 ffffffffffffb000 everything' >>map
cat >addrs <<'END'
1000 5
101f 5
1020 5
1030 5
1034 5
1038 5
1040 5
2000 5
3000 5
3010 5
5000 5
END
is "$(with_map | grep -v ^note)" "1000 1000 1020 4 first
101f 1000 1020 4 first
1020 1020 1030 4 second function, with spaces
1030 1030 1040 4 New
1034 1034 1038 4 inside
1038 1030 1040 4 New
1040 1040 1041 0 anon+0x1040
2000 2000 2001 0 anon+0x2000
3000 3000 3008 4 led by a space
3010 3010 3018 4 crlf
5000 4000 fffffffffffff000 4 everything" \
	"a map names its addresses; its last line for one holds; bad lines do not" ||
	cat out
out=$(with_map | grep ^note)
like "$out" 'process PID: of 11 addresses .* 3 held several functions.*last' \
	"a note counts those that had several names"
like "$out" 'process PID: 2 of 11 addresses .* no name; .*/tmp/perf-PID\.map' \
	"and those that have none"

rm map
like "$(with_map)" 'note process PID: 11 of 11 addresses' "without a map: a note"

echo '1000 20 first' >map
link=1
like "$(with_map)" '11 of 11 .* no name: perf-PID\.map is a link' \
	"a link is not followed"
link='' fifo=1
like "$(with_map)" '11 of 11 .* no name: perf-PID\.map is no regular file' \
	"a fifo is not waited for"
fifo=''
if [ "$(id -u)" = 0 ]; then
	owner=12345
	like "$(with_map)" '11 of 11 .* no name: perf-PID\.map belongs to another' \
		"another user's map is not taken"
	owner=''
else
	skip 1 "only root can give files away"
fi
head -c 3000000 /dev/urandom >map
with_map >noise
like "$(tail -n 1 noise)" '^note process PID' "noise in a map names nothing"
awk 'BEGIN { for (i = 0; i < 200000; i++) print "0 ffffffffffff all" i }' >map
is "$(with_map | awk '$5 == "all199999"' | wc -l | tr -d ' ')" 11 \
	"many lines that hold everything: the last"
rm map

# A map that takes more memory than its size allows: the process is named, and
# where its map would be.
awk 'BEGIN { for (i = 0; i < 6000000; i++)
	printf "%x 10 a_function_with_a_name_%d\n", 4096 + 16 * i, i }' >map
printf '1000 5\n' >addrs
out=$(with_map)
like "$out" 'note process PID: 1 of 1 .* write them to /tmp/perf-PID\.map|^1000 ' \
	"a huge map"
unlike "$out" 'note : |to  \(' "... no note has an empty name"
rm -f map

### jitdumps

cat >make_log.c <<'END'
/* Lines "load TIME ADDR SIZE INDEX NAME", "move TIME ADDR SIZE INDEX", "junk
 * TIME", "close TIME", "clock": a jitdump.  "debug TIME ADDR MORE N", then N
 * times "ADDR LINE FILE": lines of code, in a record that is larger by MORE.  Of
 * names "@" is a space, "#" byte 0, "!" byte 255. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void u32(uint32_t x) { fwrite(&x, 4, 1, stdout); }
static void u64(uint64_t x) { fwrite(&x, 8, 1, stdout); }
static void put_name(const char *p)
{
	for (; *p; p++)
		putchar(*p == '@' ? ' ' : *p == '#' ? 0 : *p == '!' ? 255 : *p);
	putchar(0);
}
static int debug(unsigned long long time)
{
	unsigned long long addr, at[16];
	unsigned line[16], n, size = 32;
	char name[16][256];
	int more;
	if (scanf("%llx %d %u", &addr, &more, &n) != 3 || n > 16) return -1;
	for (unsigned i = 0; i < n; i++) {
		if (scanf("%llx %u %255s", &at[i], &line[i], name[i]) != 3)
			return -1;
		size += 16 + (unsigned)strlen(name[i]) + 1;
	}
	u32(2); u32(size + (unsigned)more); u64(time); u64(addr); u64(n);
	for (unsigned i = 0; i < n; i++) {
		u64(at[i]); u32(line[i]); u32(1);
		put_name(name[i]);
	}
	for (; more > 0; more--) putchar(0);
	return 0;
}
int main(int argc, char **argv)
{
	char kind[16], name[256];
	unsigned long long time, addr, size, index;
	unsigned pid = (unsigned)atoi(argv[1]);
	(void)argc;
	u32(0x4A695444); u32(1); u32(48); u32(62); u32(0); u32(pid); u64(0);
	u64(getenv("ticks") ? 1 : 0); u64(0);
	while (scanf("%15s %llu", kind, &time) == 2) {
		if (!strcmp(kind, "load")) {
			if (scanf("%llx %llx %llu %255s", &addr, &size, &index,
				name) != 4) return 1;
			u32(0); u32((uint32_t)(16 + 40 + strlen(name) + 1 + size));
			u64(time); u32(pid); u32(pid); u64(addr); u64(addr);
			u64(size); u64(index);
			put_name(name);
			for (; size; size--) putchar(0xcc);
		} else if (!strcmp(kind, "move")) {
			if (scanf("%llx %llx %llu", &addr, &size, &index) != 3)
				return 1;
			u32(1); u32(16 + 48); u64(time); u32(pid); u32(pid);
			u64(addr); u64(0); u64(addr); u64(size); u64(index);
		} else if (!strcmp(kind, "debug")) {
			if (debug(time)) return 1;
		} else if (!strcmp(kind, "junk")) {
			u32(77); u32(16 + 8); u64(time); u64(1);
		} else {
			u32(3); u32(16); u64(time);
		}
	}
	return 0;
}
END
cc -o make_log make_log.c || exit 99
cat >log <<'END'
load 100 1000 20 1 early
load 200 1100 20 2 other
junk 250
load 300 1000 20 3 late
move 400 1200 20 2
load 500 1100 20 4 reused
load 90 1300 10 5 unsorted
close 600
load 700 1000 20 9 closed
END
cat >addrs <<'END'
1000 150
1004 350
1008 99
1100 450
1110 550
1210 450
1214 50
1300 95
1400 1
END
is "$(with_map | grep -v ^note)" "1000 1000 1020 4 early
1004 1000 1020 4 late
1008 1000 1020 4 early
1100 1100 1120 4 other
1110 1100 1120 4 reused
1210 1200 1220 4 other
1214 1200 1220 4 other
1300 1300 1310 4 unsorted
1400 1400 1401 0 anon+0x1400" \
	"a jitdump names by time: what was there at the address's first sample"
like "$(with_map)" 'note process PID: of 9 .* 3 held several .*when the address' \
	"a note counts those that were given on"
echo '1400 10 from_map' >map
like "$(with_map)" '^1400 1400 1410 4 from_map' "a map fills in what it lacks"
like "$(with_map)" '^1000 1000 1020 4 early' "and overrides nothing"
rm map
ticks=1
export ticks
like "$(with_map)" '^1000 1000 1020 4 late' "times of another clock: the last"
unset ticks
bad=0
for cut in 0 1 17 40 55 72 90 110 150 200 280; do
	with_map >cut.out
	[ "$(grep -vc ^note cut.out)" = 9 ] || bad=1
done
cut=''
ok $bad "a log that was cut anywhere"

# Lines: "address file:line" of each.
lines() {
	with_map >map.out
	awk -F'\t' '$1 != "note" { print $1, $8 }' out
}
cat >log <<'END'
debug 100 1000 0 4
1000 7 /src/a.c
1004 9 !
1008 3 /src/b.h
100c 0 /src/b.h
load 110 1000 20 1 first
debug 120 1100 0 1
1100 5 /src/other.c
load 130 1200 20 2 without
debug 140 1000 0 1
1000 70 /src/late.c
load 150 1000 20 3 late
debug 160 1300 4 3
1304 6 /src/a.c
1300 5 /src/a.c
1308 8 /src/a.c
load 170 1300 20 4 unsorted
move 180 1400 20 4
END
cat >addrs <<'END'
1000 115
1003 115
1004 115
1008 115
100c 115
1010 160
1200 190
1301 190
1304 190
1308 190
1404 190
END
is "$(lines)" "1000 /src/a.c:7
1003 /src/a.c:7
1004 /src/a.c:9
1008 /src/b.h:3
100c /src/b.h:0
1010 /src/late.c:70
1200 :0
1301 :0
1304 /src/a.c:6
1308 /src/a.c:8
1404 :0" "a jitdump tells the lines of the code that it told them for"
bad=0
for cut in 50 60 64 79 81 100 130 150 180 222 280 400; do
	lines >cut.out
	[ "$(wc -l <cut.out)" = 11 ] || bad=1
done
cut=''
ok $bad "... cut anywhere"
mv log honest
bad=0
for more in -100 -40 -16 -9 -1 9 16 40 4000; do
	sed "s/^debug 100 1000 0/debug 100 1000 $more/" honest >log
	lines >lies.out
	[ "$(grep -cE '^[0-9a-f]+ (/src/.*:[0-9]+|:0)$' lies.out)" = 11 ] || bad=1
done
ok $bad "... with a size that lies"
cat >log <<'END'
debug 100 1000 7 3
1040 2 file:///srv/s%20b/app.mjs
1048 3 file:///srv/s%20b/app.mjs
104c 4 node:internal/util
load 110 1000 20 1 JS:*f
debug 120 1100 5 3
1140 2 ab#cdefgh#pp.js
1144 3 /srv/lib/util.js
1148 4 ab#cdefgh#pp.js
load 130 1100 20 2 JS:*get@size@/srv/app/app.js:1:9
debug 140 1200 0 2
1240 2 ab#cdefgh#pp.js
1244 3 ab#cdefgh#pp.js
load 150 1200 20 3 JS:*eval
debug 160 1300 0 1
1340 2 /srv/app.js
load 170 1300 20 4 JS:^baseline
END
cat >addrs <<'END'
1000 190
1007 190
1008 190
100c 190
1100 190
1104 190
1108 190
1208 190
1308 190
END
is "$(lines)" "1000 /srv/s b/app.mjs:2
1007 /srv/s b/app.mjs:2
1008 /srv/s b/app.mjs:3
100c node:internal/util:4
1100 /srv/app/app.js:2
1104 /srv/lib/util.js:3
1108 /srv/app/app.js:4
1208 :0
1308 :0" "lines as V8 writes them: shifted, files as URLs or in freed memory"
rm log

### live: the sample, node

# named COMMAND...: profiles it, and removes the map it leaves behind
named() {
	"$cpprof" run -q -o data sh -c 'echo $$ >pid; exec "$@"' sh "$@" >log.out
	rm -f "/tmp/perf-$(cat pid).map"
}
if can_profile; then
	named "$samples/jit"
	out=$("$cpprof" report --format=paper --down=main data)
	like "$out" '^0\.[0-9]* \((jit!)?main run_framed jit_framed_outer jit_framed_inner\)' \
		"generated functions are in the profile by name"
	like "$out" '^0\.[0-9]* \((jit!)?main run_back jit_calls_back work_below\)' \
		"and what they call"
	like "$out" '^0\.[0-9]* \((jit!)?main run_leaf jit_leaf\)' \
		"and one without a frame"
else
	skip 3 "no profiles here: $why"
fi
cat >spin.js <<'END'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
function inner(a) {
	let s = 0
	for (let i = 0; i < a.length; i++) s += Math.sqrt(a[i] * i)
	return s
}
let a = new Float64Array(1e5), t = 0
for (let i = 0; i < 2000; i++) t += inner(a)
console.log(fib(30), t)
END
cat >'hot line.mjs' <<'END'
function work(a) {
	let s = 0
	for (let i = 0; i < a.length; i++)
		s += Math.sin(a[i] * i)
	return s
}
let a = new Float64Array(1e5), t = 0
for (let i = 0; i < 100; i++) t += work(a.map((x, k) => k))
console.log(t)
END
# Asked with the option itself, node would leave a map behind.
has_option() {
	node --v8-options 2>&1 | grep -q -e "^ *$1 "
}
for option in --perf-basic-prof --perf-prof; do
	if ! command -v node >which || ! has_option $option ||
		! can_profile; then
		skip 3 "no node with $option, or no profiles"
		continue
	fi
	named node $option 'hot line.mjs'
	if [ $option = --perf-prof ]; then
		"$cpprof" list -f csv JS:work data >csv
		like "$(awk -F, '$5 ~ "/hot line.mjs\"$" { sum += $7; hot += $6 == 4 ? $7 : 0 }
			END { if (hot > 0.8 * sum) print "line 4" }' csv)" 'line 4' \
			"node $option: the line that takes the time" || cat csv
		like "$("$cpprof" list JS:work data)" \
			'^note: what node inlined is in the function that it' \
			"... and what else its lines may be"
		is "$("$cpprof" -c 'list JS:work; list JS:work' data | grep -c '^note: what node')" 1 \
			"... which is told once"
		named node --no-turbo-inlining $option 'hot line.mjs'
		unlike "$("$cpprof" list JS:work data)" '^note: what node' \
			"... and not where nothing is inlined"
	else
		like "$("$cpprof" list JS:work data 2>&1)" \
			'^hint: a jitdump can have the lines of optimized code \(node --perf-prof\)' \
			"node $option: the way to lines"
		like "$("$cpprof" list JS:work data 2>&1)" \
			'^cpprof: JS:work: no source line is known' "... not known"
	fi
	named node $option spin.js
	out=$("$cpprof" report --format=paper --function --threshold=0.001 data)
	like "$out" '^0\.[0-9]* JS:\*?inner .*spin\.js' \
		"node $option: a function of the script by name"
done

if command -v node >which && has_option --perf-basic-prof && can_profile; then
	sed 's/^let a/\n\nlet a/' spin.js >turn.js
	named node --perf-basic-prof spin.js
	mv data spin.data
	named node --perf-basic-prof turn.js
	like "$("$cpprof" diff --threshold=0 spin.data data)" \
		'^spin\.js before and turn\.js after are compared as one program$' \
		"node: scripts of two names are compared as one"
	is "$("$cpprof" diff --threshold=0 spin.data data | grep -c 'inner .*turn\.js')" 0 \
		"... with their functions"
else
	skip 2 "no node with --perf-basic-prof, or no profiles"
fi

# Code that takes the place of other code: its line stands below the other's in
# the map, and was not there when that was sampled.
cat >anew.c <<'END'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void run(uint8_t *code, size_t at, const char *name, FILE *map)
{
	/* mov $1000000, %ecx; dec %ecx; jnz; ret */
	static const uint8_t loop[] = {0xb9, 0x40, 0x42, 0x0f, 0, 0xff, 0xc9,
		0x75, 0xfc, 0xc3};
	struct timespec t;
	time_t end;

	/* of its own time: what others take is no part of its shares */
	memset(code, 0x90, 256);
	memcpy(code + at, loop, sizeof loop);
	fprintf(map, "%lx 100 %s\n", (unsigned long)code, name);
	fflush(map);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	end = t.tv_sec + 1;
	do {
		((void (*)(void))(uintptr_t)code)();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec < end);
}

int main(int argc, char **argv)
{
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	char name[64];
	FILE *map;

	snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
	map = fopen(name, "w");
	if (!map || code == MAP_FAILED)
		return 1;
	run(code, 0, "what_was_first", map);
	run(code, 128, "what_came_then", map);
	fclose(map);
	if (argc > 1 && utimensat(AT_FDCWD, name, long_ago, 0))
		return 1;
	puts(name);
	return 0;
}
END
if can_profile; then
	${CC:-cc} -O1 -o anew anew.c || exit 99
	map=$("$cpprof" run -q -o data -- ./anew 2>log)
	out=$("$cpprof" report --format=paper --function --threshold=0.01 data)
	for name in what_was_first what_came_then; do
		like "$out" "^0\.[2-8][0-9]* $name " \
			"a map that grows: $name has its time"
	done
	rm -f "$map"
	map=$("$cpprof" run -q -o data -- ./anew stale 2>log)
	rm -f "$map"
	unlike "$("$cpprof" report --function --threshold=0.01 data)" \
		'what_was_first|what_came_then' \
		"a map of an earlier process with that number names nothing"
	like "$("$cpprof" info data)" \
		"addresses of generated code .*: ${map##*/} is older than the process" \
		"... and a note says so"
else
	skip 4 "$why"
fi

# A process in namespaces of its own has another /tmp and another number.
if [ "$(id -u)" = 0 ] && can_profile &&
	unshare -m -p -f --mount-proc true 2>log; then
	"$cpprof" run -q -o data -- unshare -m -p -f --mount-proc sh -c '
		mount -t tmpfs none /tmp && cat >/tmp/jit &&
			chmod 700 /tmp/jit && exec /tmp/jit
	' <"$top_builddir/samples/jit" >log 2>&1
	out=$("$cpprof" report --format=paper -d '[all]' --threshold=0.02 data)
	like "$out" '[ (]jit_leaf\)' \
		"in a mount and process namespace of its own, both gone since"
	if command -v node >log 2>&1 &&
		node --perf-prof -e 0 >log 2>&1; then
		"$cpprof" run -q -o data -- unshare -m -p -f --mount-proc \
			sh -c 'mount -t tmpfs none /tmp && cat >/tmp/spin.js &&
				cd /tmp && exec node --perf-prof spin.js
			' <spin.js >log 2>&1
		out=$("$cpprof" report --format=paper --function --threshold=0.001 data)
		like "$out" '^0\.[0-9]* JS:\*?inner .*spin\.js' \
			"the same of a jitdump"
	else
		skip 1 "no node that writes jitdumps"
	fi
else
	skip 2 "no namespaces to be had"
fi
done_testing
