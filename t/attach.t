#!/bin/sh
# attach: all threads, present and to come, by every kind of timer; the process
# goes on untouched; errors tell the way out.
. "${top_srcdir:-.}/t/lib.sh"

target=$top_builddir/t/attach_target
dump=$top_builddir/t/monitor_dump
data=$tmp/data

# start MS: the target, as $pid
start() {
	: >"$tmp/out"
	"$target" "$1" >"$tmp/out" &
	pid=$!
	until grep -q ready "$tmp/out"; do sleep 0.01; done
}

attach() {
	timeout -k 1 60 "$cpprof" attach -q -o "$data" "$@" 2>"$tmp/err"
}

# functions RESOURCE: "FRACTION FUNCTION [#HITS]"
functions() {
	"$cpprof" report --function --threshold=0 -r "$1" "$data" |
		sed '1,/^-----/d'
}

for how in wide:cpu inherited:cpu wide:syscalls:1 stop:syscalls:1; do
	timer=${how%%:*} spec=${how#*:}
	resource=${spec%%:*}
	if ! "$cpprof" run -q --timer="$timer" -r "$spec" -o "$tmp/can" -- \
		true 2>"$tmp/err" && ! grep -q 'no samples' "$tmp/err"; then
		skip 6 "no $timer timers here: $(head -n 1 "$tmp/err")"
		continue
	fi
	start 60000
	attach --timer="$timer" -r "$spec" --duration=500ms --children "$pid"
	is "$?:$(cat "$tmp/err")" 0: "$how: attached for a while"
	kill -0 "$pid"
	ok $? "$how: the process goes on"
	functions "$resource" >"$tmp/functions"
	like "$(cat "$tmp/functions")" ' busy \[' "$how: threads there were"
	"$dump" "$data" >"$tmp/dump"
	ok $((1 - ($(grep -c '^thread' "$tmp/dump") > 10))) \
		"$how: threads to come"
	is "$(grep -c '^process' "$tmp/dump")" 2 "$how: the child too"
	kill "$pid"
	wait "$pid"
	is "$?:$(tail -n 1 "$tmp/out")" "7:0 interrupted" \
		"$how: no wait was interrupted, neither then nor at the end"
done

# To the end of the process
start 4000
attach -r "$spec" "$pid"
is "$?:$(cat "$tmp/err")" 0: "to the end of the process"
is "$(tail -n 1 "$tmp/out")" "0 interrupted" "which has come"

# Ctrl-C
start 60000
"$cpprof" attach -q -r "$spec" -o "$data" "$pid" 2>"$tmp/err" &
monitor=$!
sleep 0.3
kill -TERM $monitor
wait $monitor
is "$?:$(cat "$tmp/err")" 0: "a signal to cpprof ends it in order"
kill -0 "$pid"
ok $? "not the process"
"$cpprof" info "$data" >"$tmp/info"
ok $? "and the file is whole"
like "$(cat "$tmp/info")" 'still running' "which says that it still runs"

# The monitor is killed
"$cpprof" attach -q --timer=stop -r syscalls -o "$data" "$pid" 2>/dev/null &
monitor=$!
sleep 0.2
kill -KILL $monitor
wait $monitor 2>/dev/null
kill "$pid"
wait "$pid"
is "$?:$(tail -n 1 "$tmp/out")" "7:0 interrupted" \
	"a killed monitor leaves it alone"

mkdir -m 777 "$tmp/w"

# Errors
attach 4194305
is $? 1 "no such process: status 1"
like "$(cat "$tmp/err")" '4194305: attach: no such process' "and the reason"
attach me
like "$(cat "$tmp/err")" 'me: attach: not the number' "no number"
attach
like "$(cat "$tmp/err")" 'no process given' "nothing"
start 60000
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	strace -q -o /dev/null -p "$pid" &
	tracer=$!
	sleep 0.3
	attach --timer=stop -r syscalls "$pid"
	like "$(cat "$tmp/err")" "already traced by process $tracer" \
		"another tracer is named"
	kill $tracer
	wait $tracer
else
	skip 1 "strace cannot be used here"
fi
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null &&
	setpriv --reuid=65534 --clear-groups test -x "$cpprof"; then
	setpriv --reuid=65534 --clear-groups "$cpprof" attach -q \
		-o "$tmp/w/none" "$pid" 2>"$tmp/err"
	like "$(cat "$tmp/err")" "$pid: attach: it is another user's" \
		"another user's process"
else
	skip 1 "no way to be an ordinary user here"
fi
kill "$pid"
wait "$pid"
done_testing
