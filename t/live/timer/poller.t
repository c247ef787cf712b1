#!/bin/sh
# Times for users without a clock of the kernel: by polling the threads, with
# an instant's stop (cpu, user, system, real) or without any (blocked, and real
# where perf has a clock).  Against what the programs know of themselves, with
# perf_event_open refused and as an ordinary user.
. "$(dirname "$0")/../../lib/lib.sh"

why=$("$cpprof" run -q -o "$tmp/can" --timer=stop -r cpu -- true 2>&1) ||
	skip_all "no stop timers here: $why"
refuse=$top_builddir/t/lib/refuse
data=$tmp/data truth=$tmp/truth
cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' \
	/proc/self/status)

# balanced RESOURCE WHAT
balanced() {
	is $(($(of "$1" weight) + $(of "$1" lost) + $(of "$1" unsampled) + \
		$(of "$1" kernel))) "$(of "$1" total)" \
		"$2: the books of $1 balance"
}

# agrees RESOURCE WHAT [AWK OPTIONS...]
agrees() {
	r=$1 said=$2
	shift 2
	"$cpprof" export --format=folded --resource="$r" "$data" \
		>"$tmp/folded"
	awk -f "$top_srcdir/t/lib/truth.awk" -v resource="$r" \
		-v each=$(($(of "$r" squares) / $(of "$r" hits) + 1)) \
		"$@" "$truth" \
		"$tmp/folded"
	ok $? "$said: $r as the program tells it"
}

# observe WHAT OPTIONS... -- COMMAND...
observe() {
	said=$1
	shift
	"$cpprof" run -q -o "$data" "$@" >"$truth" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "$said: runs to its end"
}

# CPU time, against the program's own clocks and the kernel's of its process.
observe "burn, stopped" --timer=stop -r cpu:4ms,user:4ms,system:4ms -- \
	"$samples/burn" --threads=2 --children=1 --ms=40 --truth
agrees cpu "burn, stopped" -v others=0.1 -v unsampled=0.2
for r in cpu user system; do
	balanced $r "burn, stopped"
done
sum=$(($(of user total) + $(of system total)))
near=$(($(of cpu total) - sum))
[ ${near#-} -le 2 ]
ok $? "user and system are cpu ($sum, $(of cpu total))"
[ $((100 * $(of cpu weight))) -gt $((60 * $(of cpu total))) ]
ok $? "most of it is in samples ($(of cpu weight) of $(of cpu total))"

# Time that passed before a system call is not the call's.
observe "steps" --timer=stop -r cpu:1ms,syscalls -- \
	"$top_builddir/t/live/target/monitor_target" steps 1000
balanced cpu "steps"
"$cpprof" export --format=folded --resource=cpu "$data" >"$tmp/folded"
share=$(awk '!/^\[unsampled\]/ { all += $NF } /;spin / { n += $NF }
	END { print int(100 * n / (all + !all)) }' "$tmp/folded")
[ "$share" -ge 50 ]
ok $? "steps: cpu is where it was used, beside calls ($share % in spin)"
# Nor does a thread run that is in line for a processor since it was woken.
# (At times it is found at the end of its turn; it was at 105 to 209.)
for try in 1 2 3; do
	observe "contended, $try" --timer=stop -r cpu:1ms -- \
		"$top_builddir/t/live/target/monitor_target" contended 4000
	balanced cpu "contended, $try"
	"$cpprof" export --format=folded --resource=cpu "$data" >"$tmp/folded"
	share=$(awk '!/^\[unsampled\]/ { all += $NF } !/;spin / { n += $NF }
		END { print int(1000 * n / (all + !all)) }' "$tmp/folded")
	[ "$share" -gt 90 ] || break
done
[ "$share" -le 90 ]
ok $? "contended: cpu is where it was used, beside a lock ($share of 1000 not)"
# ... and its time in line is in no wait that it did not begin.
observe "contended" --timer=stop -r runqueue:1ms,blocked -- taskset -c "$cpu" \
	"$top_builddir/t/live/target/monitor_target" contended 4000
"$cpprof" export --format=folded --resource=runqueue "$data" >"$tmp/folded"
share=$(awk '{ all += $NF } /;spin / { n += $NF }
	END { print int(100 * n / (all + !all)) }' "$tmp/folded")
[ "$share" -ge 15 ]
ok $? "contended: in line where it lost its processor ($share % in spin)"
observe "steps" --timer=stop -r blocked:1ms,syscalls -- \
	dd if=/dev/zero of=/dev/null bs=1 count=3000 status=none
[ $((4 * $(of blocked unsampled))) -le "$(of blocked total)" ]
ok $? "a thread that the tracer stops does not wait"

# A call that such a stop has interrupted goes on as restart_syscall, and is itself.
observe "naps" --timer=stop -r real:1ms,cpu -- \
	sh -c '"$1" count 200; :' sh "$top_builddir/t/live/target/monitor_target"
is "$("$cpprof" report -r real --function --syscalls -t 0 "$data" |
	grep -o '\[[a-z_]*\] *\[system call\]' | sort -u | grep -c 'nanosleep\|restart')" 1 \
	"naps: one call, however often it is interrupted"
# Waits are read without a stop: where each began, in every thread.
observe "blocker, stopped" --timer=stop -r real:1ms,blocked:1ms -- \
	"$samples/blocker" --truth
for r in real blocked; do
	balanced $r "blocker, stopped"
done
agrees blocked "blocker, stopped" -v others=0.9

# Without a stop at all: blocked alone never interrupts.
observe "blocker, read" --timer=stop -r blocked:1ms -- \
	"$samples/blocker" --truth
agrees blocked "blocker, read" -v others=0.9
if command -v strace >/dev/null; then
	strace -f -e trace=ptrace -o "$tmp/trace" "$cpprof" run -q \
		-o "$data" --timer=stop -r blocked:1ms -- sleep 0.3 2>/dev/null
	if grep -q PTRACE_SEIZE "$tmp/trace"; then
		is "$(grep -c PTRACE_INTERRUPT "$tmp/trace")" 0 \
			"blocked interrupts nobody"
	else
		skip 1 "strace cannot be used here"
	fi
else
	skip 1 "no strace here"
fi

# A thread that waits when all is over has waited up to then.
"$cpprof" run -q -o "$data" --timer=stop --duration=300ms -r blocked:10ms -- \
	sleep 0.6
within "$(of blocked weight)" 100000 "$(run_us)" \
	"a wait that goes on is credited until collecting ends"

# A rhythm of the program that is the timer's too needs varying intervals.
observe "periodic, randomized" --timer=stop --randomize -r cpu:1ms -- \
	"$samples/periodic" --truth
# folded stacks then have weights, each sample one interval's
agrees cpu "periodic, randomized" \
	-v each=$((1000 * ($(of cpu squares) / $(of cpu hits) + 1)))
"$samples/io" --truth >"$truth"
observe "io, randomized" --timer=stop --randomize -r bytes:1000 -- \
	"$samples/io" --truth
first=$(of bytes samples):$(of bytes weight)
observe "io, randomized" --timer=stop --randomize -r bytes:1000 -- \
	"$samples/io" --truth
[ "$(of bytes samples):$(of bytes weight)" != "$first" ]
ok $? "varying intervals: others in each run"
balanced bytes "io, randomized"
[ "$(of bytes weight)" -ne $(($(of bytes hits) * 1000)) ]
ok $? "varying intervals: samples weigh what they stand for"
[ $((100 * $(of bytes weight))) -gt $((98 * $(of bytes total))) ]
ok $? "and together as much as was moved"

# Many that wait, and many that are gone before a look.
observe "fifty sleepers" --timer=stop -r blocked:10ms -- sh -c \
	'i=0; while [ $i -lt 50 ]; do sleep 0.5 & i=$((i + 1)); done; wait'
balanced blocked "fifty sleepers"
[ "$(of blocked total)" -ge 20000000 ]
ok $? "fifty sleepers: their time is counted, but in line ($(of blocked total) us)"
[ "$(of blocked unsampled)" -lt "$(($(of blocked total) / 5))" ]
ok $? "fifty sleepers: read ($(of blocked unsampled) us are not)"
observe "short threads" --timer=stop -r cpu:1ms -- \
	"$samples/shortlived" --threads=1000 --us=200
balanced cpu "short threads"
[ "$(of cpu total)" -ge 190000 ]
ok $? "short threads: all their time is counted ($(of cpu total) us)"

# A stop for a fork, a signal or an exec comes before the one that was asked for:
# the thread is polled again all the same.
observe "forks" --timer=stop -r cpu:1ms -- sh -c 'trap : USR1; i=0
	while [ $i -lt 200 ]; do (:); kill -USR1 $$; i=$((i + 1)); done
	while [ $i -lt 300000 ]; do i=$((i + 1)); done'
balanced cpu "forks"
[ "$(of cpu unsampled)" -lt "$(($(of cpu total) / 3))" ]
ok $? "forks: looked at after them ($(of cpu unsampled) of $(of cpu total) us are not)"

# At a user's every setting.
chmod 777 "$tmp"
ordinary='setpriv --reuid=65534 --regid=65534 --clear-groups'
[ "$(id -u)" = 0 ] && $ordinary test -x "$cpprof" 2>/dev/null || ordinary=
for who in "" "$ordinary"; do
	as=${who:+ordinary user}
	$who "$refuse" EPERM perf_event_open,bpf "$cpprof" run -o "$tmp/w" \
		-r cpu,syscalls,bytes-read -- dd if=/dev/zero of=/dev/null \
		bs=1 count=20000 status=none >/dev/null 2>"$tmp/err"
	status=$?
	[ $status != 77 ] || {
		skip 6 "no seccomp filters"
		continue
	}
	is $status 0 "perf_event_open and bpf refused${as:+, $as}: it runs"
	like "$(cat "$tmp/err")" 'cpu: .*EINTR' "... and says what may happen"
	mv "$tmp/w" "$data"
	[ "$(of bytes-read total)" -ge 20000 ] &&
		[ "$(of bytes-read total)" -le 40000 ]
	ok $? "... bytes ($(of bytes-read total))"
	[ "$(of syscalls total)" -ge 40000 ]
	ok $? "... calls ($(of syscalls total))"
	[ "$(of cpu samples)" -gt 0 ]
	ok $? "... samples of cpu"
	"$cpprof" report --format=paper --resource=cpu --function "$data" >"$tmp/report"
	like "$(cat "$tmp/report")" '^0\.[0-9]* .*(read|write)' \
		"... where the time goes"
	[ -n "$ordinary" ] || break
done

# perf's clock and reading together: an ordinary user's real time.
if [ -n "$ordinary" ]; then
	$ordinary "$cpprof" run -q \
		-o "$tmp/w" -r real:1ms,blocked:1ms -- "$samples/blocker" \
		--truth >"$truth" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "an ordinary user's real time"
	mv "$tmp/w" "$data"
	for r in real blocked; do
		balanced $r "an ordinary user"
	done
	agrees blocked "an ordinary user" -v others=0.9
	is "$("$cpprof" report -r blocked "$data" | grep 'may not see')" "" \
		"nothing of a wait is hidden from one"
	like "$("$cpprof" info "$data" | grep timer:)" \
		'per-task, polled' "no stop was needed"
	# ... beside a timer that traces
	from=$(date +%s%N)
	$ordinary "$cpprof" run -q -o "$tmp/w" -r real:1ms,signals -- \
		"$samples/burn" --threads=0 --children=0 --ms=200 2>"$tmp/err"
	took=$((($(date +%s%N) - from) / 1000))
	is "$?:$(cat "$tmp/err")" 0: "real time beside signals"
	mv "$tmp/w" "$data"
	balanced real "real time beside signals"
	[ "$(of real total)" -le $took ]
	ok $? "time on a processor counts once ($(of real total) of $took us)"
else
	skip 9 "no way to be an ordinary user here"
fi
# Time in line for a processor at the end of a wait is no part of it and a resource
# of its own, as much as the kernel counted, and credited to its stack: of naps the
# program tells it.
target=$top_builddir/t/live/target/monitor_target
for timer in stop per-task per-cpu; do
	what="$timer: naps behind another"
	if ! "$cpprof" run -q -o "$data" --timer=$timer -r runqueue,blocked -- \
		true 2>"$tmp/err" || [ ! -r /proc/thread-self/schedstat ]; then
		skip 4 "$what: no such timers, or no schedstat: $(cat "$tmp/err")"
		continue
	fi
	"$target" occupy "$cpu" &
	other=$!
	observe "$what" --timer=$timer -r runqueue:1ms,blocked:1ms -- \
		"$target" naps 20 "$cpu"
	kill $other
	wait $other 2>/dev/null
	balanced runqueue "$what"
	balanced blocked "$what"
	line=$(cat "$truth")
	[ $(($(of runqueue total) + $(of blocked total))) -ge "$line" ]
	ok $? "$what: all is counted ($line us in line)"
	# what a poll did not see before the end is not told apart
	[ $timer = per-cpu ] || continue
	# by a clock of the kernel's own, to some us a nap
	[ $(($(of runqueue total) + 20 * 10)) -ge "$line" ]
	ok $? "$what: as the kernel counts it ($(of runqueue total) us)"
	[ "$(of blocked total)" -ge 20000 ] &&
		[ "$(of blocked total)" -le $((40000 + $(of runqueue total) / 2)) ]
	ok $? "$what: and in no wait ($(of blocked total) us)"
	at=$("$cpprof" export --format=folded --resource=runqueue "$data" |
		awk '/do_naps.*nanosleep/ { n += $NF } END { print n * 1000 }')
	[ "$at" -ge $((line / 3)) ]
	ok $? "$what: where it naps ($at us)"
done

if "$cpprof" run -q -o "$data" --timer=per-task -r real -- true 2>"$tmp/err" &&
	[ -r /proc/thread-self/schedstat ]; then
	# A thread that runs and has others before it, over and over.
	"$target" occupy "$cpu" &
	other=$!
	"$target" occupy "$cpu" &
	third=$!
	observe "work behind others" --timer=per-task -r real:1ms -- \
		taskset -c "$cpu" "$samples/burn" --threads=1 --children=1 --ms=100
	kill $other $third
	wait $other $third 2>/dev/null
	balanced real "work behind others"
	[ $((4 * $(of real unsampled))) -le "$(of real total)" ]
	ok $? "work behind others: real is where it works ($(of real \
		unsampled) of $(of real total) us are not)"
	# Where it has lost its processor is no wait for a lock.
	observe "locked behind others" --timer=per-task -r real:1ms -- \
		taskset -c "$cpu" "$target" contended 2000
	at=$("$cpprof" export --format=folded --resource=real "$data" |
		awk '/pthread_mutex_lock/ { n += $NF } END { print n * 1000 }')
	[ $((10 * at)) -le $((13 * $(cat "$truth"))) ] &&
		[ $((4 * at)) -ge $((3 * $(cat "$truth"))) ]
	ok $? "real is at a lock for as long as the program says ($at us, $(cat "$truth"))"
else
	skip 4 "no per-task timers here, or no schedstat: $(cat "$tmp/err")"
fi

# A thread that could run waits for no event: time in line for a processor that
# another has is real, and not blocked.
for timer in stop per-task per-cpu; do
	what="$timer: compute behind others"
	if ! "$cpprof" run -q -o "$data" --timer=$timer -r real,blocked -- true \
		2>"$tmp/err"; then
		skip 2 "$what: $(cat "$tmp/err")"
		continue
	fi
	"$target" occupy "$cpu" &
	other=$!
	"$target" occupy "$cpu" &
	third=$!
	observe "$what" --timer=$timer -r real:1ms,blocked:1ms,cpu -- \
		taskset -c "$cpu" "$samples/burn" --threads=0 --children=0 --ms=50
	kill $other $third
	wait $other $third 2>/dev/null
	line=$(($(of real total) - $(of cpu total)))
	[ $((2 * $(of blocked total))) -le $line ]
	ok $? "$what: $(of blocked total) us are blocked, $line us not run"
done
done_testing
