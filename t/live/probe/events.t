#!/bin/sh
# Resources of one's own: the kernel's tracepoints and the probes that programs
# declare, how often and by the numbers in them, against what cpprof counts by other
# means, what perf counts, and what programs know of themselves.
. "$(dirname "$0")/../../lib/lib.sh"

data=$tmp/data truth=$tmp/truth folded=$tmp/folded
probes=$top_builddir/t/live/target/probes

# run RESOURCES COMMAND...: into $data, its output to $truth
run() {
	spec=$1
	shift
	timeout -k 5 60 "$cpprof" run -q -r "$spec" -o "$data" -- "$@" \
		>"$truth" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" "0:" "$spec: $(basename "$1") runs"
}

# stacks RESOURCE: with hits
stacks() {
	"$cpprof" export --format=folded --resource="$1" "$data" |
		sed 's/;\[[a-z]*\] / /' | sort
}

# total RESOURCE: what the kernel counted
total() {
	"$top_builddir/t/lib/monitor_dump" "$data" |
		awk -v r="$1" '$1 == "resource" && $2 == r { print $7 }'
}

# error RESOURCE WANTED HINT WHAT
error() {
	timeout -k 5 60 "$cpprof" run -q -r "$1" -o "$data" -- \
		sh -c "echo ran >$tmp/ran" >/dev/null 2>"$tmp/err"
	is "$?:$(wc -l <"$tmp/err"):$(cat "$tmp/ran" 2>&1 | grep -c ran$)" \
		125:2:0 "$4: an error in two lines, before anything runs"
	like "$(cat "$tmp/err")" "$2" "$4: the reason"
	like "$(cat "$tmp/err")" "^hint: .*$3" "$4: the way out"
}

error usdt:nothing "which probe" "usdt:PROVIDER:NAME" "no probe's name"
error usdt:no:such "no such probe" "usdt:/PATH/TO/PROGRAM:no:such" \
	"a probe that there is not"
error "usdt:no:such.5" "no such argument" "arg1" "no argument's name"
error usdt:nolib:no:such "no such library" "path" "no library"
error tracepoint:exec "which event" "resources --search" "half a name"
error tracepoint:a/b:c "which event" "resources --search" "a path"
is "$(timeout 60 "$cpprof" resources --search=no-such-thing 2>&1 | grep -c '^hint')" 1 \
	"what is not found has a way out"

if timeout 60 "$cpprof" resources tracepoint:sched:sched_process_exec \
	>"$tmp/out" 2>&1 && grep -q per-CPU "$tmp/out"; then
	calls=tracepoint:syscalls:sys_enter_write
	bytes=tracepoint:syscalls:sys_exit_write.ret
	run $calls,syscalls=write:1,$bytes,bytes-written:1 \
		dd if=/dev/zero of="$tmp/file" bs=1000 count=300 status=none
	is "$(total $calls) $(total $bytes)" \
		"$(total syscalls=write) $(total bytes-written)" \
		"events of a system call are its calls, their results its bytes"
	stacks $calls >"$tmp/1"
	stacks syscalls=write >"$tmp/2"
	cmp "$tmp/1" "$tmp/2"
	ok $? "... and each is where the call is"
	stacks $bytes >"$tmp/1"
	stacks bytes-written >"$tmp/2"
	cmp "$tmp/1" "$tmp/2"
	ok $? "... and so are the bytes"
	run tracepoint:syscalls:sys_exit_close.ret,syscalls=close:1 sh -c \
		'exec 7>&- 8>&- 9>&-; :'
	is "$(total tracepoint:syscalls:sys_exit_close.ret)" 0 \
		"numbers less than none add nothing"
	run tracepoint:sched:sched_process_exec:1,tracepoint:task:task_rename \
		sh -c '/bin/true; /bin/true; exec /bin/true'
	is "$(total tracepoint:sched:sched_process_exec)" 4 \
		"programs that are executed"
	if command -v perf >/dev/null &&
		perf stat -x, -o "$tmp/stat" -e sched:sched_process_fork \
			-- true 2>/dev/null; then
		set -- sh -c 'for i in 1 2 3 4 5 6 7; do (:) & done; wait'
		run tracepoint:sched:sched_process_fork "$@"
		perf stat -x, -o "$tmp/stat" -e sched:sched_process_fork -- "$@"
		is "$(total tracepoint:sched:sched_process_fork)" \
			"$(awk -F, '/fork/ { print $1 }' "$tmp/stat")" \
			"as many as perf counts"
	else
		skip 2 "perf has no tracepoints here"
	fi
	error tracepoint:sched:sched_proces_exec "no such event" \
		"sched:sched_process_exec" "a wrong event"
	error tracepoint:shed:sched_process_exec "no such system" "sched" \
		"a wrong system"
	error tracepoint:sched:sched_process_exec.comm "is no number" "pid" \
		"a text"
	timeout 60 "$cpprof" resources --search disk >"$tmp/out"
	like "$(cat "$tmp/out")" '^tracepoint:[a-z0-9]*:.*' \
		"resources --search finds events by what they are about"
	unlike "$(cat "$tmp/out")" '^tracepoint:syscalls' "... and no others"
	first=$(sed -n 's/^tracepoint:\([a-z0-9]*:[^ ]*\).*/\1/p' "$tmp/out" |
		head -n 1)
	run "tracepoint:$first" true
	# the same by the kernel's counters of each thread
	if timeout 60 "$cpprof" run -q --timer=per-task -r $calls -o "$data" -- \
		sh -c 'echo a; echo b' >/dev/null 2>"$tmp/err"; then
		is "$(total $calls)" 2 "per-task timers count events, too"
	else
		skip 1 "$(head -n 1 "$tmp/err")"
	fi
else
	like "$(cat "$tmp/out")" "^hint: |no better timer" \
		"who has no tracepoints is told why"
fi

truth_of() {
	"$cpprof" export --format=folded --resource="$1" "$data" >"$folded"
	awk -f "$top_srcdir/t/lib/truth.awk" -v resource="$1" -v exact=1 \
		"$truth" "$folded"
	ok $? "$1, path by path, exactly"
}

if timeout 60 "$cpprof" run -q --timer=per-cpu -r usdt:t:plain -o "$data" -- \
	"$probes" >"$truth" 2>"$tmp/err"; then
	for all in "plain plain.arg1 plain.arg2 plain.arg3 plain.arg4" \
		"memory.arg1 memory.arg2 memory.arg3 armed"; do
		run "$(for p in $all; do echo "usdt:t:$p"; done | paste -sd ,)" \
			"$probes"
		for p in $all; do
			truth_of "usdt:t:$p"
		done
	done
	is "$(total usdt:t:armed)" 5 "a probe with a semaphore is come to"
	run usdt:t:plain.arg5 "$probes"
	is "$(total usdt:t:plain.arg5)" 0 "a constant less than none adds nothing"
	run "usdt:$probes:t:plain.arg1:7" sh -c "'$probes'"
	is "$(total "usdt:$probes:t:plain.arg1")" 24 \
		"in a program that it runs, every seventh"
	for argument in plain.arg6 memory.arg4 plain.arg7; do
		timeout 60 "$cpprof" run -q -r usdt:t:$argument -o "$data" -- \
			"$probes" >/dev/null 2>"$tmp/err"
		is "$?:$(grep -c 'no whole number' "$tmp/err")" 125:1 \
			"$argument: no number that can be had is refused"
	done
else
	like "$(cat "$tmp/err")" "^hint:" "who has no uprobes is told why"
fi
# breakpoints serve where the probe is in the program and needs no tracer
if timeout 60 "$cpprof" run -q --timer=per-task -r usdt:t:plain -o "$data" -- \
	"$probes" >"$truth" 2>"$tmp/err"; then
	truth_of usdt:t:plain
	timeout 60 "$cpprof" run -q --timer=per-task -r usdt:t:armed -o "$data" \
		-- "$probes" >/dev/null 2>"$tmp/err"
	is "$?" 125 "... and are refused where it does"
else
	skip 2 "no breakpoints here: $(head -n 1 "$tmp/err")"
fi
done_testing
