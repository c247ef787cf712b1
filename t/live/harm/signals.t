#!/bin/sh
# SIGINT and SIGTERM: the first is the program's; a second one, and any after
# the program's end, ends the monitor with what it has, in every phase.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "$why"
f=$tmp/file
hold=$tmp/hold

# await COMMAND...: until it succeeds, 30 s at the most
await() {
	i=0
	until "$@" 2>/dev/null; do
		[ $((i += 1)) -lt 600 ] || return 1
		sleep 0.05
	done
}
complete() {
	"$cpprof" info "$f" >"$tmp/info" 2>"$tmp/err" && [ ! -s "$tmp/err" ] &&
		grep -q '^exit status:' "$tmp/info"
}
said() {
	grep -qs "$1" "$tmp/said"
}

# A program that heeds no signal until it may end, as $pid's child $child.
deaf='trap "" INT TERM; echo $$; while [ -e "$1" ]; do :; done; exit 7'
start() {
	: >"$hold"
	: >"$tmp/said"
	rm -f "$f"
	"$cpprof" run -q -o "$f" "$@" -- sh -c "$deaf" - "$hold" >"$tmp/said" \
		2>"$tmp/err" &
	pid=$!
	await said '^[0-9]'
	child=$(cat "$tmp/said")
	sleep 0.3
}

for how in per-cpu:cpu,syscalls per-task:cpu stop:syscalls,cpu; do
	timer=${how%%:*} spec=${how#*:}
	if ! "$cpprof" run -q --timer="$timer" -r "$spec" -o "$f" -- true \
		2>"$tmp/err"; then
		skip 6 "no $timer timers: $(head -n 1 "$tmp/err")"
		continue
	fi
	start --timer="$timer" -r "$spec"
	kill -TERM $pid
	sleep 0.6
	complete
	[ $? -ne 0 ] && kill -0 $pid
	ok $? "$timer: the first is the program's"
	kill -INT $pid
	await complete
	ok $? "$timer: the second ends the profile"
	like "$(cat "$tmp/info")" 'warning: collecting was ended by a signal' \
		"$timer: which it says"
	[ "$("$cpprof" export --format=folded -r cpu "$f" | wc -l)" -gt 0 ]
	ok $? "$timer: and has samples"
	kill -0 $pid && kill -0 "$child"
	ok $? "$timer: the program goes on, and cpprof in its place"
	rm -f "$hold"
	wait $pid
	is $? 7 "$timer: with its status"
done

start -r cpu
kill -TERM $pid
sleep 0.3
kill -TERM $pid
await complete
sleep 0.3
kill -TERM $pid
wait $pid
is $? 143 "one too many: cpprof ends by it"
kill -0 "$child"
ok $? "... the program goes on"
rm -f "$hold"

# Stopped and continued by its number alone, as cpulimit(1) does: cpprof goes on.
: >"$tmp/said"
"$cpprof" run -q -o "$f" -- sh -c 'echo $$; sleep 0.5; exit 7' >"$tmp/said" &
pid=$!
await test -s "$tmp/said"
child=$(cat "$tmp/said")
kill -STOP "$child"
await grep -q '^State:.T' "/proc/$child/status"
sleep 0.2
grep -q '^State:.[RSD]' "/proc/$pid/status"
ok $? "a SIGSTOP to the program alone does not stop cpprof"
kill -CONT "$child"
wait $pid
is $? 7 "... which has its status when it is continued alone"

# The leak checker of a sanitized build cannot run under strace.
no_leaks="ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# Before the program: to cpprof alone, as soon as it has a child.
slow() {
	exec env "$no_leaks" strace -D -o "$tmp/strace" -e trace=clone \
		-e inject=clone:delay_exit=4000000:when=1 "$@"
}
rm -f "$tmp/ran" "$f"
slow "$cpprof" run -q -o "$f" -- sh -c 'sleep 1; echo >"$0"' "$tmp/ran" \
	2>"$tmp/err" &
pid=$!
if await grep -q DELAYED "$tmp/strace"; then
	kill -TERM $pid
	wait $pid
	is $? 143 "before the program: it gets the signal"
	sleep 1.3
	[ ! -e "$tmp/ran" ]
	ok $? "... and does not run without cpprof"
	if [ -e "$f" ]; then
		complete
		like "$(cat "$tmp/info")" '^exit status: killed by signal 15' \
			"... the file has its end"
	else
		skip 1 "cpprof took so long to begin that the signal ended it"
	fi
else
	wait $pid
	skip 3 "no strace here that delays a call"
fi

# ... where it takes so long to begin that the signal ends cpprof itself.
rm -f "$tmp/ran" "$tmp/strace"
env "$no_leaks" strace -D -f -o "$tmp/strace" -e trace=signalfd4 \
	-e inject=signalfd4:delay_exit=6000000:when=1 \
	"$cpprof" run -q -o "$f" -- sh -c 'sleep 1; echo >"$0"' "$tmp/ran" \
	2>"$tmp/err" &
pid=$!
if await grep -q DELAYED "$tmp/strace"; then
	kill -TERM $pid
	wait $pid
	is $? 143 "long before the program: it gets the signal"
	sleep 1.3
	[ ! -e "$tmp/ran" ]
	ok $? "... and does not run without cpprof"
else
	wait $pid
	skip 2 "no strace here that delays a call"
fi

# To the group, where the program heeds them: they are not cpprof's.
for name in ABRT TRAP PROF VTALRM IO PWR; do
	rm -f "$f"
	setsid -w "$cpprof" run -q -o "$f" -- \
		sh -c "trap 'exit 4' $name; kill -$name 0; exit 5" 2>/dev/null
	status=$?
	complete
	is "$status:$?" 4:0 "$name to the group: the program's status, and a file"
done

# One to it and one to its group, as timeout(1) sends them.
: >"$tmp/said"
setsid "$cpprof" run -q -o "$f" -- sh -c 'trap "sleep 0.5; exit 3" TERM
	echo ready; while :; do sleep 0.05; done' >"$tmp/said" &
pid=$!
await said ready
kill -TERM $pid
kill -TERM -$pid
wait $pid
is $? 3 "two at a time"
complete
like "$(cat "$tmp/info")" '^exit status: 3' "... are one"

# Before the last samples are read: the program lets cpprof stand still, fills
# the rings and ends; then cpprof is held when it has waited for the program.
is_over() {
	grep -q ') Z ' "/proc/$(cat "$tmp/said")/stat"
}
start_filled() {
	: >"$tmp/said"
	env "$no_leaks" "$cpprof" run -q -r pagefaults:1 -o "$f" -- sh -c \
		'kill -STOP $PPID
		"$0" flood 30000 >/dev/null; echo $$; exit 5' \
		"$top_builddir/t/live/target/monitor_target" >"$tmp/said" &
	pid=$!
	await is_over
	strace -f -p $pid -o "$tmp/strace" -e trace=wait4 -e \
		inject=wait4:delay_exit=2000000:when=1 2>"$tmp/tracer" &
	await test -s "$tmp/tracer"
	kill -CONT $pid
	grep -q attached "$tmp/tracer"
}
if ! "$cpprof" run -q -r pagefaults:1 -o "$f" -- true 2>"$tmp/err"; then
	skip 4 "$(head -n 1 "$tmp/err")"
elif ! start_filled; then
	wait $pid
	skip 4 "$(head -n 1 "$tmp/tracer")"
else
	await grep -q DELAYED "$tmp/strace"
	kill -TERM $pid
	wait $pid
	is $? 5 "before the last samples are read: it ends with the program's status"
	complete
	like "$(cat "$tmp/info")" \
		'a signal ended the reading of the last samples' "... and says so"
	like "$(cat "$tmp/info")" '^exit status: 5' "... the file is complete"
	like "$(cat "$tmp/info")" '  difference: (0|-?1) fault' \
		"... the books balance"
fi

# While names are looked up, which here takes until somebody lets it.
held() {
	for worker in $(cat /proc/$pid/task/$pid/children); do
		[ "$worker" != "$child" ] && kill -STOP "$worker"
		return
	done
	return 1
}
tries=0
while [ $((tries += 1)) -le 5 ]; do
	start -r cpu:100us
	rm -f "$hold"
	until held || ! kill -0 $pid 2>/dev/null; do :; done
	grep -qs '^State:.T' "/proc/$worker/status" && break
	wait $pid
	worker=
done 2>/dev/null
if [ -z "$worker" ]; then
	skip 3 "names were looked up too fast to be in the way"
else
	kill -INT $pid
	wait $pid
	is $? 7 "while names are looked up: it ends"
	complete
	ok $? "... the file is complete"
	like "$(cat "$tmp/info")" 'a signal ended the look-up of names' \
		"... and says what it lacks"
fi
done_testing
