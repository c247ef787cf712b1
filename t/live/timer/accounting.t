#!/bin/sh
# Totals are those of the kernel's own plain counters, and samples and named
# losses add up to them.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "$why"
dump=$top_builddir/t/lib/monitor_dump
count=$top_builddir/t/live/target/monitor_count
target=$top_builddir/t/live/target/monitor_target
data=$tmp/file

# counted EVENT own|command
counted() {
	awk -v e="$1" -v c="$([ "$2" = own ] && echo 2 || echo 3)" \
		'$1 == e { print $c }' "$tmp/counts"
}

# observe RESOURCES COMMAND...: under the plain counters, whose own process
# (and its fork, until that execs) is there beside the command's
observe() {
	spec=$1
	shift
	stolen=$(steal)
	"$cpprof" run -q -o "$data" --timer=$timer -r "$spec" -- \
		"$count" "$tmp/counts" "$@" >"$tmp/out" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" "0:" \
		"$timer: $spec: $(basename "$1") runs to its end"
	stolen=$(($(steal) - stolen))
	"$dump" "$data" >"$tmp/dump"
	threads=$(grep -c '^thread' "$tmp/dump")
}

cpus=$(getconf _NPROCESSORS_ONLN)

# balanced RESOURCE: samples and losses add up to the total, and [unsampled] is
# less than an interval for each thread and processor
balanced() {
	sum=$(($(of "$1" weight) + $(of "$1" lost) + $(of "$1" unsampled) + \
		$(of "$1" kernel) + $(of "$1" setuid) + $(of "$1" probes)))
	# wide, a thread starts anywhere in its first interval
	within $sum "$(of "$1" total)" $(($(of "$1" total) + \
		$([ $timer = per-cpu ] && of "$1" interval || echo 0) * threads)) \
		"$1:$(of "$1" interval): samples and losses are the total"
	is "$(of "$1" weight)" \
		$(($(of "$1" hits) * $(of "$1" interval))) \
		"$1:$(of "$1" interval): weight is hits by interval"
	within "$(of "$1" unsampled)" 0 \
		$(($(of "$1" interval) * threads * cpus)) \
		"$1:$(of "$1" interval): [unsampled] is remainders"
}

# What a thread does after it was added to its process's times, on its way out,
# wait4 lacks; samples may fall there.  21 us a thread were seen on a loaded
# machine, with sanitizers.
way_out=40

# A clock's samples may be a few more than its total has room for: inherited by
# noise, wide by an interval for each thread at the most.
clock_balanced() {
	sum=$(($(of "$1" weight) + $(of "$1" lost) + $(of "$1" unsampled) + \
		$(of "$1" kernel) + $(of "$1" setuid) + $(of "$1" probes)))
	total=$(of "$1" total)
	within "$sum" "$total" $((total * $([ $timer = per-cpu ] && echo 103 ||
		echo 115) / 100 + 10000 + way_out * threads)) \
		"$2: samples and losses are the total, but for noise"
}

# What monitor_count does before it counts: its start.
start=400
books() {
	timer=$1
	more=$([ $timer = per-cpu ] && echo 1 || echo 0) # the fork, before its exec
	for interval in 1 10 100; do
		observe "pagefaults:$interval" "$samples/faults" --threads=6 --children=4
		within "$threads" 13 $((13 + more)) "all threads are known"
		within $(($(of pagefaults total) - $(of pagefaults kernel) - \
			$(counted pagefaults own))) 0 $start \
			"pagefaults:$interval: the total is the kernel's count"
		balanced pagefaults
		[ $interval = 1 ] || continue
		if [ "$(of pagefaults lost_samples)" -gt 0 ]; then
			skip 1 "this user's rings are too small for every fault"
			continue
		fi
		is "$(awk '$1 == "process" && ($6 == "faults" || $3 in mine) {
				mine[$2] = 1 }
			$1 == "thread" && $3 in mine { n += $6 }
			END { print n + 0 }' "$tmp/dump")" \
			"$(counted pagefaults command)" \
			"pagefaults:1: the command's samples are its count exactly"
	done

	for interval in 1 7; do
		observe "minorfaults:$interval,majorfaults:$interval" \
			"$samples/faults" --pages=300
		within $(($(of minorfaults total) - $(of minorfaults kernel) - \
			$(counted minorfaults own))) 0 $start \
			"minorfaults:$interval: the total is the kernel's count"
		balanced minorfaults
		balanced majorfaults
	done

	# On a disk, where there is one.
	major=$tmp/major
	for dir in "$top_builddir" "$HOME"; do
		[ "$(stat -f -c %T "$dir" 2>/dev/null)" = tmpfs ] || [ ! -w "$dir" ] ||
			major=$dir/monitor_books.major
	done
	observe majorfaults "$target" major "$major" 200
	rm -f "$major"
	if [ "$(cat "$tmp/out")" -lt 100 ]; then
		skip 4 "no disk here whose pages can be dropped"
	else
		within $(($(of majorfaults total) - $(of majorfaults kernel))) \
			"$(counted majorfaults command)" \
			$(($(cat "$tmp/out") + 50)) "majorfaults: the total"
		balanced majorfaults
	fi

	# Clocks, to 2 % and 5 ms: per-cpu it is what wait4 says; else perf's, which
	# has the interrupts too, the timer's own among them.
	near() {
		within "$1" $(($2 * 98 / 100 - 5000)) \
			$(($2 * 102 / 100 + 5000 + way_out * threads)) "$3"
	}
	count_agrees() {
		usage=$(awk '$1 == "rusage" { print $2 }' "$tmp/counts")
		if [ $timer = per-cpu ]; then
			near "$(of cpu total)" "$usage" \
				"$1: the total is what wait4 says"
		else
			near "$(of cpu total)" "$(counted cpu own)" \
				"$1: the total is the kernel's count"
		fi
	}

	for interval in 1ms 100us; do
		observe "cpu:$interval" "$samples/burn" --threads=3 --children=2
		count_agrees "cpu:$interval"
		[ $timer = per-cpu ] || within "$(of cpu total)" \
			$((usage * 98 / 100 - 5000)) \
			$((usage * 14 / 10 + 5000 + stolen)) \
			"cpu:$interval: ... and near what wait4 says"
		clock_balanced cpu "cpu"
		total=$(of cpu total)
		within $((100 * $(of cpu weight) / total)) \
			$((50 - 100 * stolen / total)) 115 \
			"cpu:$interval: most of it is in samples"
	done

	# user and system need kernel mode.
	if "$cpprof" run -q -o "$data" --timer=$timer -r system -- true 2>"$tmp/err"; then
		observe cpu,user,system,pagefaults:10 "$samples/faults" --pages=9000
		is $(($(of user total) + $(of system total))) "$(of cpu total)" \
			"user + system = cpu, exactly"
		is $(($(of user weight) + $(of system weight))) \
			"$(of cpu weight)" "... and so in samples"
		for r in user system; do
			# as well as cpu's do, its share of a gtick aside
			over=$(($(of cpu weight) + $(of cpu probes) - $(of cpu total)))
			within $(($(of $r weight) + $(of $r lost) + \
				$(of $r unsampled) + $(of $r probes) - \
				$(of $r total))) 0 \
				$((over > 0 ? over + 2 : 2)) \
				"$r: samples and losses are the total"
			like "$("$cpprof" info "$data" |
				sed -n "/^resource $r /,/^\$/p")" \
				'consumed \(an estimate\).*at 95 %' \
				"$r: how sure that is"
		done
		balanced pagefaults
		observe cpu:1ms,user:700us,system:300us "$samples/burn" \
			--threads=3 --children=2
		is $(($(of user total) + $(of system total))) "$(of cpu total)" \
			"at three intervals: user + system = cpu, exactly"
		[ "$(of system total)" -gt 0 ]
		ok $? "a program that faults has system time"
	else
		like "$(cat "$tmp/err")" 'perf_event_paranoid=1' \
			"system: what would make kernel mode visible"
		skip 8 "kernel mode is hidden from this user"
	fi

	# Ten thousand threads, each shorter than the interval.
	observe cpu:1ms "$target" mayflies 10000 200
	within "$threads" 10003 $((10003 + more)) "mayflies: every thread is known"
	count_agrees mayflies
	if [ $timer = per-task ]; then
		within "$(awk '$1 == "thread" && $5 == "mayfly" { n += $7 }
			END { print n + 0 }' "$tmp/dump")" 1600000 "$(of cpu total)" \
			"mayflies: [unsampled] under their names has what they burned"
	else
		within "$(of cpu weight)" $(($(of cpu total) * 85 / 100)) \
			$(($(of cpu total) * 115 / 100 + way_out * threads)) \
			"mayflies: the per-CPU timers sample them"
	fi
	clock_balanced cpu "mayflies"

	observe pagefaults:100,cpu "$target" processes 1000 300
	within "$threads" 1003 $((1003 + more)) "1000 processes are known"
	within $(($(of pagefaults total) - $(of pagefaults kernel) - \
		$(counted pagefaults own))) 0 $start "1000 processes: the faults"
	balanced pagefaults
	count_agrees "1000 processes"

	# Execs: each program of the chain counts.
	observe pagefaults:1,cpu "$target" exec-chain 100
	is "$(grep -c '^process .* exec ' "$tmp/dump")" 102 "every program is known"
	within $(($(of pagefaults total) - $(of pagefaults kernel) - \
		$(counted pagefaults own))) 0 $start "exec chain: the faults"
	balanced pagefaults

	# Threads that the kernel makes in a process are its threads.
	observe pagefaults:1 "$target" kernel-thread 300
	if [ "$(cat "$tmp/out")" = done ]; then
		within "$(of pagefaults total)" 300 1000 \
			"a thread of io_uring: its 300 faults count"
		within $(($(of pagefaults total) - $(of pagefaults kernel) - \
			$(counted pagefaults own))) 0 $start "... the total is the kernel's count"
		balanced pagefaults
	else
		skip 5 "$(cat "$tmp/out")"
	fi

	observe pagefaults:1 sh -c "$samples/pqr >/dev/null; $samples/calls | cat"
	within $(($(of pagefaults total) - $(of pagefaults kernel) - \
		$(counted pagefaults own))) 0 $start "a shell's children: the faults"
	balanced pagefaults
	like "$(cat "$tmp/dump")" '^process [0-9]+ [0-9]+ [0-9]+ exec pqr .*/pqr$' \
		"... a program by name and file"
}

books per-task
if "$cpprof" run -q --timer=per-cpu -o "$data" -- true 2>"$tmp/err"; then
	books per-cpu
else
	skip 80 "$(head -n 1 "$tmp/err")"
fi

# Faults inside read(2), hidden from an ordinary user: the losses have them, and
# all others are where the program says.
mkdir -m 777 "$tmp/w"
data=$tmp/w/file
user=
[ "$(id -u)" -ne 0 ] || user='setpriv --reuid=65534 --regid=65534 --clear-groups'
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 2 ]; then
	skip 4 "kernel mode is hidden from nobody"
elif ! $user test -x "$samples/faults"; then
	skip 4 "an ordinary user may not come here"
elif $user "$cpprof" run -q -o "$data" --timer=per-task -r pagefaults -- true \
	2>"$tmp/err"; then
	rm -f "$data"
	$user "$cpprof" run -q -o "$data" --timer=per-task -r pagefaults:1 -- \
		"$samples/faults" --pages=2000 --threads=1 --children=1 \
		--truth >"$tmp/truth" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "an ordinary user's faults"
	"$dump" "$data" >"$tmp/dump"
	within "$(of pagefaults kernel)" 2000 2400 \
		"[kernel] has the 2000 inside pread, and exec's"
	is $(($(of pagefaults weight) + $(of pagefaults lost) + \
		$(of pagefaults unsampled) + $(of pagefaults kernel))) \
		"$(of pagefaults total)" "... and the books balance"
	"$cpprof" export --format=folded "$data" >"$tmp/folded"
	awk -f "$top_srcdir/t/lib/truth.awk" -v resource=pagefaults -v exact=1 \
		-v except=touch_in_kernel "$tmp/truth" "$tmp/folded"
	ok $? "... all others are seen, path by path"
else
	skip 4 "$(head -n 1 "$tmp/err")"
fi

done_testing
