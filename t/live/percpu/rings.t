#!/bin/sh
# Broken rings, and rings that are too small: a run ends, samples and losses add
# up, and one resource's flood costs no other its samples.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "no profiles here: $why"
target=$top_builddir/t/live/target/ring_target
data=$tmp/data

# run TIMER RESOURCES COMMAND...: into $data
run() {
	timer=$1 resources=$2
	shift 2
	timeout -k 5 60 "$cpprof" run -q --timer="$timer" -r "$resources" \
		-o "$data" -- "$@" >"$tmp/out" 2>&1
	is $? 0 "$(basename "$1") $2, $timer, $resources: runs and ends" ||
		sed 's/^/# /' "$tmp/out"
}

# even RESOURCE: samples, losses and [unsampled] add up to the total
even() {
	is $(($(of "$1" weight) + $(of "$1" lost) + $(of "$1" unsampled) + \
		$(of "$1" kernel))) "$(of "$1" total)" "... $1 is balanced"
}

# Ticks, faults and calls nest in one another.  A record of a sample without a
# stack once took less room than the kernel wrote, and cost the nested one its
# header.
if "$cpprof" run -q --timer=per-cpu -o "$tmp/can" -r syscalls -- true \
	>/dev/null 2>&1; then
	for i in 1 2; do
		run per-cpu cpu:200us,pagefaults,syscalls:1,bytes:4096 \
			"$target" nest
		even pagefaults
		even syscalls
		even bytes
	done
	# A clock that ticks while the stack is copied for a system call's sample.
	run per-cpu cpu:200us,syscalls:1 \
		"$top_builddir/t/live/target/monitor_target" nested 4 600
	[ "$(of cpu probes)" -gt 0 ]
	ok $? "... what the copying takes is [probes] ($(of cpu probes) of \
$(of cpu total) us)"
	within "$(of cpu truncated)" 0 $((1 + $(of cpu samples) / 20)) \
		"... and no sample of cpu with half a stack"
	off=$(($(of cpu weight) + $(of cpu lost) + $(of cpu unsampled) + \
		$(of cpu probes) - $(of cpu total)))
	within "${off#-}" 0 $((8000 + $(of cpu total) / 10)) \
		"... cpu is balanced, to noise"
	run per-cpu real:200us,cpu:100us,syscalls:1,pagefaults "$target" nest 100
	even pagefaults
	even syscalls
else
	skip 15 "no BPF programs here"
fi

# Copies of the stack of 4 bytes: no record after them begins at a multiple of 8.
"$target" edge 1 >/dev/null 2>&1
if [ $? -eq 77 ]; then
	skip 2 "the end of user space is taken"
else
	for timer in auto per-task; do
		run $timer cpu:50us "$target" edge 700
	done
fi

# Two that count the same event: the kernel gives their samples one id.
run per-task pagefaults,minorfaults "$target" pages 500
faults=$(($(of pagefaults hits) + $(of pagefaults lost)))
within "$faults" 500 5000 "pagefaults has samples"
within $(($(of minorfaults hits) + $(of minorfaults lost))) 500 "$faults" \
	"... and minorfaults its own"
even minorfaults

# A flood of faults in the small rings of an ordinary user, of this test alone: what
# others of his lock in memory makes them smaller.
others="setpriv --reuid=$((50000 + $$ % 5000)) --regid=65533 --clear-groups"
mkdir "$tmp/others" && chmod 777 "$tmp/others"
if [ "$(id -u)" -eq 0 ] && $others test -x "$cpprof" 2>/dev/null &&
	$others "$cpprof" run -q -o "$tmp/others/can" -r cpu -- true \
		>/dev/null 2>&1; then
	data=$tmp/others/data
	timeout -k 5 60 $others "$cpprof" run -q -r cpu:100us,pagefaults \
		-o "$data" -- "$target" nest 400 >/dev/null 2>&1
	is $? 0 "ring_target nest by an ordinary user: runs and ends"
	[ "$(of cpu samples)" -gt "$(of cpu lost_samples)" ]
	ok $? "... cpu keeps samples ($(of cpu samples), \
$(of cpu lost_samples) lost) beside pagefaults ($(of pagefaults samples), \
$(of pagefaults lost_samples) lost)"
	even pagefaults
	data=$tmp/data
else
	skip 3 "no way to be an ordinary user here"
fi

# A flood of uprobes, which drowns itself and nothing else.
if "$cpprof" run -q --timer=per-cpu -o "$tmp/can" -r calls=often -- \
	"$target" calls 1 >/dev/null 2>&1; then
	run per-cpu cpu:1ms,calls=often "$target" calls 1000
	within "$(of cpu lost)" 0 $(($(of cpu total) / 20)) \
		"calls=often: cpu loses next to nothing"
	even calls=often
else
	skip 3 "no uprobes here"
fi

# Bursts for which the rings are too small at first: they grow, to 64 MiB in two
# or three steps, which hold one burst of per-CPU timers; of per-task timers, whose
# copies of the stack are all of one size, they hold a fifth.
bursts() {
	run "$1" "$2:1" "$target" bursts 8
	even "$2"
	within "$(of "$2" lost)" 0 "$3" "... fewer are lost in later bursts"
	# An event is moved in some 20 ms, in which the rings must be read.
	if command -v strace >/dev/null && timeout -k 5 120 strace -f -o "$tmp/trace" \
		-e trace=ioctl "$cpprof" run -q --timer="$1" -r "$2:1" \
		-o "$data" -- "$target" bursts 3 >/dev/null 2>&1; then
		sed -n 's/^\([0-9]*\) .*ioctl(\([0-9]*\), PERF_EVENT_IOC_SET_OUTPUT.*/\1 \2/p' \
			"$tmp/trace" >"$tmp/moved"
		reader=$(sed -n '1s/ .*//p' "$tmp/moved")
		within "$(grep -vc "^$reader " "$tmp/moved")" 1 9999 \
			"... events have moved to larger rings"
		is "$(grep "^$reader " "$tmp/moved" | sort | uniq -d)" "" \
			"... and none by the thread that reads"
	else
		skip 2 "no strace"
	fi
}
if "$cpprof" run -q --timer=per-cpu -o "$tmp/can" -r syscalls -- true \
	>/dev/null 2>&1; then
	bursts per-cpu syscalls 70000
	bursts per-task pagefaults 140000
else
	skip 10 "no BPF programs here, or no memory to be locked"
fi

# What the rings of all processors take, and the events of one: the target looks
# at its monitor.  64 MiB of records, and a page with the head of each.
cpus=$(nproc)
for timer in per-cpu per-task; do
	if ! "$cpprof" run -q --timer=$timer -o "$tmp/can" -r cpu -- true \
		>/dev/null 2>&1; then
		skip 2 "no $timer timers here"
		continue
	fi
	"$cpprof" run -q --timer=$timer -o "$data" -r cpu,pagefaults:1 -- \
		sh -c 'cat /proc/$PPID/maps' >"$tmp/maps"
	took=$(sed -n 's/^\([0-9a-f]*\)-\([0-9a-f]*\) .*\[perf_event\]$/\1 \2/p' \
		"$tmp/maps" | while read -r from to; do
		echo $(((0x$to - 0x$from) / 4096 - 1))
	done | awk '{ n += $1 } END { print n * 4096 }')
	within "$took" 1 $((64 << 20)) "$timer: the rings of $cpus processors: $took"
	"$cpprof" run -q --timer=$timer -o "$data" -r cpu -- \
		sh -c 'ls -l /proc/$PPID/fd' >"$tmp/fds"
	within "$(grep -c 'perf_event' "$tmp/fds")" $cpus $((7 * cpus)) \
		"$timer: events for cpu: no more than seven on each"
done

# An interval that was not given suits the rings of an ordinary user.
if [ "$(id -u)" -eq 0 ] && $others "$cpprof" run -q --timer=per-task \
	-o "$tmp/others/can" -r cpu -- true >/dev/null 2>&1; then
	cd "$tmp/others" || exit 99
	every=$($others "$cpprof" resources --timer=per-task |
		awk '$1 == "pagefaults" { print $3 }')
	told=$($others "$cpprof" run --timer=per-task -r pagefaults,majorfaults -- \
		"$target" pages 500 2>&1)
	like "$told" \
		"pagefaults \(.*, every $every( or more)?\).*majorfaults \(.*, every 1( or more)?\)" \
		"an ordinary user: page faults every $every, as his rings have room"
	told=$($others "$cpprof" run -r pagefaults:1 -- "$target" nest 400 2>&1)
	like "$told" "pagefaults \(.*, every 1( or more)?\)" "... a given interval stays"
	report=$($others "$cpprof" report 2>&1)
	lost=$(printf '%s\n' "$told" |
		sed -n 's/.* samples were lost (\([0-9]*\)\..*/\1/p')
	is "$(printf '%s\n' "$told" | sed -n 's/.* samples were lost (\([0-9.]*\) .*/\1/p')" \
		"$($others "$cpprof" info | awk '$1 == "[lost]:" { lost = $2 }
			/samples and losses:/ && lost { printf "%.1f\n", 100 * lost / $4 }')" \
		"... losses: run has the part that reports have"
	if [ "${lost:-0}" -gt 5 ]; then
		like "$told" "this loses fewer samples: -r pagefaults:[0-9]+" \
			"... losses: run names the interval that loses fewer"
		like "$(echo $report)" "this loses fewer: -r pagefaults:[0-9]+" \
			"... and report does"
	else
		skip 2 "nothing was lost"
	fi
	cd "$tmp" || exit 99
else
	skip 5 "no way to be an ordinary user here"
fi

# An event without an id is closed once.
if command -v strace >/dev/null && strace -o "$tmp/trace" -e inject=ioctl:error=ENODEV:when=99 \
	true >/dev/null 2>&1; then
	timeout -k 5 60 strace -f -o "$tmp/trace" \
		-e trace=ioctl,close -e inject=ioctl:error=ENODEV:when=3 \
		"$cpprof" run -q --timer=per-task -r cpu -o "$tmp/no" -- \
		true >/dev/null 2>&1
	is "$(grep -c 'close(.*EBADF' "$tmp/trace")" 0 \
		"PERF_EVENT_IOC_ID refused: no descriptor is closed twice"
else
	skip 1 "no strace that injects faults"
fi

done_testing
