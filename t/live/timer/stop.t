#!/bin/sh
# Stop timers: counts to the unit, path by path; agreement with strace -c by
# name; programs that do awkward things do the same under them; and a monitor
# that is killed at any moment leaves the program to go on.
. "$(dirname "$0")/../../lib/lib.sh"

run() {
	timeout -k 1 600 "$cpprof" run -q --timer=stop "$@"
}
why=$(run -r syscalls -o "$tmp/can" -- true 2>&1) || skip_all "$why"
target=$top_builddir/t/live/target/monitor_target
refuse=$top_builddir/t/lib/refuse
dump=$top_builddir/t/lib/monitor_dump
data=$tmp/data

# total RESOURCE: what FILE says was consumed
total() {
	"$dump" "$data" | awk -v r="$1" '$1 == "resource" && $2 == r { print $7 }'
}

# Every kind of transfer, by path, at intervals of one.
run -r syscalls:1,bytes-read:1,bytes-written:1,bytes:1 -o "$data" -- \
	"$samples/io" --truth >"$tmp/truth" 2>"$tmp/err"
is "$?:$(cat "$tmp/err")" 0: "io runs to its end"
for resource in syscalls bytes-read bytes-written bytes; do
	"$cpprof" export --format=folded --resource=$resource "$data" \
		>"$tmp/folded"
	awk -f "$top_srcdir/t/lib/truth.awk" -v resource=$resource -v exact=1 \
		"$tmp/truth" "$tmp/folded"
	ok $? "io: $resource, exactly as the program tells, path by path"
done

is "$("$cpprof" report --processes --format=csv "$data" |
	awk -F'"' 'NR == 2 { print $6 }')" "$(cd "$samples" && pwd -P)/io" \
	"the program of the process"

# With an interval, the hits and the rest add up to the total.
run -r bytes:1000,syscalls:7,iotime -o "$data" -- "$samples/io" >/dev/null
"$dump" "$data" >"$tmp/dump"
awk '$1 == "resource" && $2 != "iotime" {
	n++
	if ($6 + $10 != $7 || $10 >= $3 || $6 != $5 * $3) bad = 1
} END { exit bad || n != 2 }' "$tmp/dump"
ok $? "hits and the rest of the last interval are the total"
like "$(awk '$1 == "resource" && $2 == "iotime" { print $7 }' "$tmp/dump")" \
	'^[1-9]' "time in transfers is counted"

# A call that moves 512 bytes of zeros takes a microsecond, its two stops a
# hundred, which are not its time.  One that waits takes as long as that.
before=$(date +%s%N)
run -r iotime:10us -o "$data" -- dd if=/dev/zero of=/dev/null bs=512 \
	count=3000 2>/dev/null
took=$((($(date +%s%N) - before) / 1000))
within "$(total iotime)" 1 $((took / 4)) "iotime has not the time of stops"
unlike "$("$cpprof" info "$data")" 'was stopped' "... which no other time has"
run -r iotime:10us,real -o "$data" -- dd if=/dev/zero of=/dev/null bs=512 \
	count=100 2>/dev/null
like "$("$cpprof" info "$data")" 'real: the program was stopped [2-9][0-9][0-9]' \
	"a clock beside it has: the file says so"
run -r iotime:10us -o "$data" -- sh -c '(sleep 1; echo) | cat >/dev/null'
within "$(total iotime)" 600000 1000000000 "iotime has the time of waits"

# Remainders of threads are handed on: the calls of each of 300 threads are
# less than an interval.  A thread starts anywhere in its first one, so what
# is left in the end is that of a few threads.
run -r syscalls:50 -o "$data" -- "$target" mayflies 300
"$dump" "$data" >"$tmp/dump"
awk '$1 == "resource" { off = $7 - $6; if (off < 0) off = -off
	exit !(off < 8 * $3 && $7 > 20 * $3) }' "$tmp/dump"
ok $? "what short threads leave is handed on ($(
	awk '$1 == "resource" { print $6, "of", $7 }' "$tmp/dump"))"

# It makes hits at events that consume, not where the next thread ends.
run -r bytes-read:4KiB -o "$data" -- sh -c 'i=0; while [ $i -lt 60 ]; do
	cat "$1"; i=$((i + 1)); done' sh "$top_srcdir/t/live/run/full.t" >/dev/null
"$cpprof" export --format=folded "$data" >"$tmp/folded"
is "$(sed -n 's/.*;\([^;]*\) [0-9]*$/\1/p' "$tmp/folded" | sort -u |
	grep -v 'read\|unsampled')" "" "... to calls that read"

if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	strace -f -c -S name -o "$tmp/strace" dd if=/dev/zero of=/dev/null \
		bs=100 count=500 2>/dev/null
	awk '$4 ~ /^[0-9]+$/ && $NF != "total" && $NF != "execve" {
		print $NF, $4 }' "$tmp/strace" >"$tmp/calls"
	specs=$(awk '{ printf "%ssyscalls=%s:1", n++ ? "," : "", $1 }' \
		"$tmp/calls")
	run -r "$specs" -o "$data" -- dd if=/dev/zero of=/dev/null bs=100 \
		count=500 2>/dev/null
	is "$("$dump" "$data" | sed -n 's/^resource syscalls=//p' |
		awk '{ print $1, $6 }')" "$(cat "$tmp/calls")" \
		"strace -c has the same number of calls by name"
else
	skip 1 "strace cannot be used here"
fi

# What a balance is against is said.
run -r cpu,bytes -o "$data" -- "$samples/io" >/dev/null
is "$("$cpprof" info "$data" | sed -n 's/.*consumed (\(.*\)):.*/\1/p')" \
	"the kernel's count
cpprof's own count" "whose count the total is"

# A number that is no call's counts as any other, by all timers.
if command -v perl >/dev/null; then
	for timer in stop per-cpu; do
		timeout 60 "$cpprof" run -q --timer=$timer -r syscalls:1 \
			-o "$data" -- perl -e 'for (1 .. 20) {
				syscall($_) for 511, 512, 100000, -1 }' || {
			skip 1 "no $timer timers here"
			continue
		}
		is "$("$cpprof" export --format=folded "$data" |
			awk '/;syscall [0-9]+$/ { n += $NF } END { print n }')" \
			80 "$timer: calls with numbers of none"
	done
else
	skip 2 "there is no perl"
fi

# Signals
run -r signals:1,signals=SIGUSR1:1 -o "$data" -- sh -c \
	'trap : USR1; kill -USR1 $$; kill -USR1 $$; trap "" USR2; kill -USR2 $$;
	kill -CONT $$; kill -TERM $$' 2>/dev/null
is $? 143 "a fatal signal is the program's own"
is "$(total signals=SIGUSR1)" 2 "signals by name"
is "$(total signals)" 3 "ignored ones are not delivered"

# A child from before cpprof was cpprof is none of the target's.
timeout -k 1 60 sh -c 'sleep 60 & echo $! >"$1"; kill -STOP $!; shift
	exec "$@"' sh "$tmp/pid" "$cpprof" run -q --timer=stop -r signals:1 -o "$data" -- \
	sh -c 'kill -USR1 $$' 2>/dev/null
is $? 138 "with a stopped child of another's, the status is the program's own"
kill -KILL "$(cat "$tmp/pid")"
"$dump" "$data" >"$tmp/dump"
is "$(total signals):$(grep -c ^process "$tmp/dump")" 1:1 \
	"... of which no signals and no process are told"

# Killed in the middle of a call: what that has moved counts.
run -r bytes-written:1 -o "$data" -- sh -c 'echo $$ >"$1"
	exec dd if=/dev/zero bs=1M count=1' sh "$tmp/pid" 2>/dev/null | {
	dd of="$tmp/came" bs=4096 count=10 iflag=fullblock 2>/dev/null
	kill -KILL "$(cat "$tmp/pid")"
	cat >>"$tmp/came"
}
is "$(total bytes-written)" "$(cat "$tmp/pid" "$tmp/came" | wc -c)" \
	"killed in a write: as many bytes as came out"

# Mappings that become code by mprotect, or are moved.
run -r cpu,syscalls:1 -o "$data" -- "$target" protect 100
is "$(of syscalls truncated):$(of cpu truncated)" 0:0 \
	"code by mprotect and mremap: all stacks are whole ($(of cpu samples))"

# Mappings are read where they may be others, and not at each of 6000 calls: that would
# be eight times as many bytes as without samples, of which each stop has some.
# needed INTERVAL: how many bytes cpprof read, at so many calls a sample
needed() {
	sh -c '"$@"
		sed -n "s/^rchar: //p" /proc/$$/io' sh timeout -k 1 600 "$cpprof" run -q \
		--timer=stop -r "syscalls:$1" -o "$data" -- "$target" mappings 6000 60
}
if bare=$(needed 1000000) && [ "$bare" ]; then
	all=$(needed 1)
	[ "$all" -lt $((bare * 2)) ]
	ok $? "6000 mappings, and a sample at each call: $all bytes read, $bare without"
else
	skip 1 "the kernel does not count what a process reads"
fi

# The same, bare and under stop timers
while read -r what; do
	# shellcheck disable=SC2086
	timeout -k 1 60 "$target" $what >"$tmp/bare" 2>/dev/null
	bare=$?
	# shellcheck disable=SC2086
	run -r syscalls:100,signals -o "$data" -- "$target" $what \
		>"$tmp/traced" 2>/dev/null
	is "$?:$(cat "$tmp/traced")" "$bare:$(cat "$tmp/bare")" \
		"$what: as it is bare"
done <<END
exit 3
signal 15
mayflies 100
processes 20
leader-first
exec-thread
exec-chain 5
spawns 20
close-all
stop-self
signals
tracers
END
like "$("$cpprof" info "$data")" 'traced by another part of it' \
	"what was given up is told"
out=$(COLUMNS=200 "$cpprof" report -r syscalls "$data")
like "$out" 'traced by another part of it' "... in a report, too"
unlike "$out" 'all accounted for' "... which does not say that all is there"

# The first process of a PID namespace meets a fault.
if unshare -Urpf true 2>/dev/null; then
	(unshare -Urpf "$target" crash) 2>/dev/null
	bare=$?
	(timeout -k 1 20 "$cpprof" run -q --timer=stop -r syscalls -o "$data" -- \
		unshare -Urpf "$target" crash) 2>/dev/null
	is $? $bare "a crash of a PID namespace's first process ends it"
else
	skip 1 "unshare makes no namespaces here"
fi

# Where perf and BPF are refused, and for an ordinary user
# auto: what "auto" comes to behind COMMAND...
auto() {
	"$@" "$cpprof" run -q -r syscalls:1,bytes-read:1 -o "$tmp/w/d" -- \
		"$samples/io" >/dev/null 2>"$tmp/err"
}
mkdir -m 777 "$tmp/w"
cat "$samples/io" >"$tmp/w/io" && chmod 755 "$tmp/w/io"
auto "$refuse" EPERM perf_event_open,bpf
is "$?:$(cat "$tmp/err")" 0: "perf_event_open and bpf refused: stop timers"
like "$("$cpprof" info "$tmp/w/d")" 'timer: stop' "which the file says"
rm -rf "$tmp/w/d"
# (the leak checker of a sanitized build would want ptrace for itself)
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 \
	"$refuse" EPERM ptrace "$cpprof" run -q --timer=stop -r syscalls -o "$data" \
	-- true 2>"$tmp/err"
is $? 125 "ptrace refused: an error"
like "$(cat "$tmp/err")" 'ptrace: Operation not permitted' "with its cause"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null &&
	setpriv --reuid=65534 --clear-groups test -x "$cpprof"; then
	auto setpriv --reuid=65534 --clear-groups
	is "$?:$(cat "$tmp/err")" 0: "an ordinary user's stop timers"
else
	skip 1 "no way to be an ordinary user here"
fi

# The monitor is killed: the program goes on to its end, none of its signals
# lost, no thread left stopped.
cat >"$tmp/busy" <<'END'
n=0 i=0
trap 'n=$((n + 1))' USR1
echo ready
while [ $i -lt 1000 ]; do
	i=$((i + 1))
	kill -USR1 $$
done
echo "$n of 1000"
END
# until WHAT: until it stands in $tmp/out, for some seconds
until_says() {
	n=0
	while ! grep -q "$1" "$tmp/out" 2>/dev/null && [ $n -lt 3000 ]; do
		sleep 0.01
		n=$((n + 1))
	done
	[ $n -lt 3000 ]
}
wrong=
i=0
while [ $i -lt 50 ]; do
	i=$((i + 1))
	: >"$tmp/out"
	"$cpprof" run -q --timer=stop -r syscalls:50,signals -o "$tmp/killed" \
		-- sh "$tmp/busy" >"$tmp/out" 2>/dev/null &
	monitor=$!
	until_says ready
	sleep "0.00$((i % 10))"
	kill -KILL $monitor 2>/dev/null
	wait $monitor 2>/dev/null
	until_says "1000 of 1000" || wrong="$wrong $i:$(tail -n 1 "$tmp/out")"
done 2>/dev/null
is "$wrong" "" "killed 50 times: the program came to its end with all signals"
"$cpprof" info "$tmp/killed" >/dev/null 2>&1
ok $? "what was written so far can be read"
done_testing
