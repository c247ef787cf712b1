#!/bin/sh
# A monitor that is killed takes nothing with it: the target runs to its proper
# end, and what had been written can be read.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "$why"
target=$top_builddir/t/live/target/monitor_target
dump=$top_builddir/t/lib/monitor_dump
refuse=$top_builddir/t/lib/refuse

# await FILE TEXT: until TEXT stands in FILE, 20 s at the most
await() {
	i=0
	until grep -qs "$2" "$1"; do
		i=$((i + 1))
		[ $i -lt 400 ] || return 1
		sleep 0.05
	done
}

# The system calls of cpprof before the exec of the target, right after it, and
# when it first waits; none is used by the target.
for call in signalfd4 sched_setscheduler ppoll; do
	rm -f "$tmp/f"* "$tmp/said"
	"$refuse" KILL $call "$cpprof" run -q -o "$tmp/f" -- \
		"$target" count 20 >"$tmp/said" 2>"$tmp/err"
	status=$?
	if [ $status = 77 ]; then
		skip 3 "no seccomp filters"
		continue
	fi
	is $status 159 "killed in $call"
	await "$tmp/said" counted
	is $? 0 "... the target runs to its end"
	if [ $call = ppoll ]; then
		"$dump" "$tmp/f" >"$tmp/dump" 2>"$tmp/err"
		is "$?:$(cat "$tmp/err")" "0:" "... what was written is readable"
	else
		[ ! -e "$tmp/f" ] || "$dump" "$tmp/f" >"$tmp/dump"
		ok $? "... nothing broken has the file's name"
	fi
done

# killed AFTER STEPS OPTIONS...: a run with OPTIONS of a target of STEPS (10 ms)
# is killed after so many seconds; whether the target gets to its end
killed() {
	killed_after=$1 killed_steps=$2
	shift 2
	rm -f "$tmp/f"* "$tmp/said"
	"$cpprof" run -q -o "$tmp/f" "$@" -- \
		"$target" count $killed_steps >"$tmp/said" 2>"$tmp/err" &
	pid=$!
	await "$tmp/said" counting
	sleep $killed_after
	kill -KILL $pid
	wait $pid 2>/dev/null
	await "$tmp/said" counted
}

# At any moment.
for ms in 0.02 0.1 0.5; do
	killed $ms 100 -r "${resources:-cpu,pagefaults}"
	is $? 0 "killed $ms s after the start: the target runs to its end"
	"$dump" "$tmp/f" >"$tmp/dump" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" "0:" "... the file is readable"
done

# samples: of cpu in the file so far
samples() {
	"$dump" "$tmp/f" 2>"$tmp/err" |
		awk '$1 == "resource" && $2 == "cpu" { n = $4 } END { print n + 0 }'
}

# Early: what the first moments had is there before the first second is over, of a
# program that has a processor.
busy='echo $$ begun; while [ -e "$1" ]; do :; done; echo counted'
for ms in 100 200 400 800; do
	rm -f "$tmp/f"* "$tmp/said"
	: >"$tmp/go"
	"$cpprof" run -q -o "$tmp/f" -r cpu:1ms -- sh -c "$busy" - "$tmp/go" \
		>"$tmp/said" 2>"$tmp/err" &
	pid=$!
	await "$tmp/said" begun
	read -r child begun <"$tmp/said"
	until [ "$(awk '{ print 10 * ($14 + $15) }' "/proc/$child/stat")" \
		-ge $ms ]; do sleep 0.02; done
	kill -KILL $pid
	wait $pid 2>/dev/null
	rm "$tmp/go"
	await "$tmp/said" counted
	n=$(samples)
	[ "$n" -eq 0 ] || break
done
[ "$n" -gt 0 ]
ok $? "killed when the program has had $ms ms: with samples ($n)"

# When something was flushed.
rm -f "$tmp/f"* "$tmp/said"
: >"$tmp/go"
"$cpprof" run -q -o "$tmp/f" -r "${resources:-cpu,pagefaults}" -- sh -c \
	'while [ -e "$1" ]; do :; done; echo counted' - "$tmp/go" \
	>"$tmp/said" 2>"$tmp/err" &
pid=$!
i=0
until n=$(samples) && [ "$n" -gt 0 ]; do
	i=$((i + 1))
	[ $i -lt 400 ] || break
	sleep 0.1
done
kill -KILL $pid
wait $pid 2>/dev/null
rm "$tmp/go"
await "$tmp/said" counted
is $? 0 "killed after a flush: the target runs to its end"
[ "$n" -gt 0 ] && [ "$(samples)" -ge "$n" ]
ok $? "... with the samples up to then ($n)"
is "$("$dump" "$tmp/f" 2>"$tmp/err" | grep -c '^end')" 0 \
	"... and does not claim to be complete"

# Where the target is under ptrace, stopped now and again.
for spec in cpu:1ms,real:1ms blocked:1ms syscalls:1,cpu:1ms; do
	"$cpprof" run -q --timer=stop -r $spec -o "$tmp/can" -- true \
		2>"$tmp/err" || {
		skip 3 "no stop timers: $(head -n 1 "$tmp/err")"
		continue
	}
	for ms in 0.02 0.3 0.7; do
		killed $ms 100 --timer=stop -r $spec
		is $? 0 "$spec by stops: killed after $ms s, the target runs on"
	done
done

done_testing
