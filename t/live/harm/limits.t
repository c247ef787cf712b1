#!/bin/sh
# With few rights or little room: losses are counted, the impossible is refused
# with a hint, and the target is not harmed.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "$why"
target=$top_builddir/t/live/target/monitor_target
dump=$top_builddir/t/lib/monitor_dump
refuse=$top_builddir/t/lib/refuse
f=$tmp/file
chmod 777 "$tmp"

# A user of this test alone: what others of an ordinary user lock in memory would
# be missing here.
ordinary=
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	ordinary="setpriv --reuid=$((60000 + $$ % 5000)) --regid=65534 --clear-groups"
	# The tree may be out of this user's sight.
	$ordinary test -x "$cpprof" && $ordinary "$cpprof" run -q \
		-o "$tmp/can" -- true 2>/dev/null || ordinary=none
	rm -f "$tmp/can"
fi

# of RESOURCE COLUMN
of() {
	awk -v r="$1" -v c="$2" '$1 == "resource" && $2 == r { print $c }' \
		"$tmp/dump"
}

# balanced RESOURCE WHAT
balanced() {
	"$dump" "$f" >"$tmp/dump"
	is "$(booked "$1")" "$(of "$1" 7)" "$2: the books of $1 balance"
}

# booked RESOURCE: its samples and losses
booked() {
	echo $(($(of "$1" 6) + $(of "$1" 9) + $(of "$1" 10) + $(of "$1" 11) + \
		$(of "$1" 12) + $(of "$1" 17)))
}

# The target's flood begins when its monitor is stopped, which goes on when that is
# over.
flood="echo begun; until [ -e $tmp/go ]; do sleep 0.02; done; $target flood"
resumed="echo flooded; until [ -e $tmp/resumed ]; do sleep 0.02; done"

# ended: the monitor $pid has, even if nobody has waited for it
ended() {
	! grep -qs '^State:.[^ZX]' /proc/$pid/status
}

# held: the monitor $pid is stopped while its target floods; waits for it
held() {
	until grep -qs begun "$tmp/said" || ended; do sleep 0.02; done
	kill -STOP $pid
	: >"$tmp/go"
	until grep -qs flooded "$tmp/said" || ended; do sleep 0.02; done
	kill -CONT $pid
	: >"$tmp/resumed"
	wait $pid
}

# A monitor that cannot keep up: stopped while the target floods its ring.
"$cpprof" run -q -o "$f" -r pagefaults -- sh -c \
	"$flood 60000 3; $resumed; $target mayflies 100 50" \
	>"$tmp/said" 2>"$tmp/err" &
pid=$!
held
is "$?:$(cat "$tmp/err")" "0:" "a monitor that was stopped finishes"
balanced pagefaults "stopped"
[ "$(of pagefaults 8)" -gt 0 ]
ok $? "... [lost] has the samples there was no room for"
is "$(of pagefaults 9)" "$(of pagefaults 8)" "... and their faults"
is "$(grep -c '^thread .* mayfly ' "$tmp/dump")" 100 \
	"... all threads are known"

if [ "$ordinary" = none ] || { [ "$(id -u)" = 0 ] && [ -z "$ordinary" ]; }; then
	skip 16 "no ordinary user who could profile here"
else
	rm -f "$tmp/go"
	: >"$tmp/said"
	(
		ulimit -l 0
		exec $ordinary "$cpprof" run -q -o "$f" -r cpu,pagefaults -- \
			sh -c "$flood 30000 2; echo flooded"
	) >"$tmp/said" 2>"$tmp/err" &
	pid=$!
	held
	is "$?:$(cat "$tmp/err")" "0:" "nothing to lock: small rings"
	balanced pagefaults "small rings"
	balanced cpu "small rings"
	[ "$(of pagefaults 8)" -gt 0 ] && [ "$(of pagefaults 4)" -gt 10 ]
	ok $? "small rings: some are lost, some are there ($(of pagefaults 8), $(
		)$(of pagefaults 4))"
	ok $((!($(of pagefaults 13) & 4))) "the file says: user mode only"

	# The last records are lost, and none comes behind them that could tell.
	rm -f "$tmp/go"
	: >"$tmp/said"
	(
		ulimit -l 0
		exec $ordinary "$cpprof" run -q -o "$f" -r pagefaults:100000 -- \
			sh -c "echo begun; until [ -e $tmp/go ]; do
				sleep 0.02; done
				exec $target processes 6000 1"
	) >"$tmp/said" 2>"$tmp/err" &
	pid=$!
	until grep -qs begun "$tmp/said" || ended; do sleep 0.02; done
	kill -STOP $pid
	child=$(cat /proc/$pid/task/$pid/children)
	: >"$tmp/go"
	i=0
	until grep -qs '^State:.Z' "/proc/${child%% *}/status" ||
		[ $((i += 1)) -gt 3000 ]; do
		sleep 0.02
	done
	kill -CONT $pid
	wait $pid
	"$dump" "$f" >"$tmp/dump"
	known=$(grep -c '^process .* fork monitor_target' "$tmp/dump")
	[ "$known" -lt 6000 ]
	ok $? "no room for the last processes: $known of 6000 are known"
	like "$(cat "$tmp/dump")" '^note warning .* records of new .* were lost' \
		"... which the file says"

	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 1 ]; then
		$ordinary "$cpprof" run -q -o "$f.s" -r switches -- \
			echo ran >"$tmp/said" 2>"$tmp/err"
		is "$?:$(cat "$tmp/said")" "125:" "switches are refused"
		like "$(cat "$tmp/err")" 'perf_event_paranoid=1' \
			"... with the way out"
		[ ! -e "$f.s" ]
		ok $? "... and leaves no file"
	else
		skip 3 "kernel mode is not hidden here"
	fi

	# A set-uid program ends the counting, and the books say so.
	suid=
	for prog in /usr/bin/su /bin/su /usr/bin/chsh /usr/bin/passwd; do
		[ -u "$prog" ] && suid=$prog
	done
	if [ -z "$suid" ]; then
		skip 12 "no set-uid program here"
	else
		$ordinary "$suid" --help >"$tmp/bare" 2>&1
		bare=$?
		$ordinary "$cpprof" run -q -o "$f" -r cpu,pagefaults -- \
			"$suid" --help >"$tmp/said" 2>&1
		is "$?" $bare "set-uid: the status"
		is "$(sed 1,2d "$tmp/said")" "$(sed 1,2d "$tmp/bare")" \
			"set-uid: the same is said"
		balanced pagefaults set-uid
		[ "$(of pagefaults 12)" -gt 0 ]
		ok $? "set-uid: [uncounted: set-uid exec] has its faults"
		# The kernel tells a child's consumption, and no stranger's.
		rm -f "$f" # the run's own is to be waited for
		$ordinary "$cpprof" run --detach --timer=per-task -o "$f" \
			-r cpu,pagefaults -- sh -c '"$1" --help; :' sh \
			"$suid" >"$tmp/said" 2>"$tmp/err"
		i=0
		until grep -q 'pagefaults: a set-uid program' "$tmp/err" ||
			[ $((i += 1)) -gt 300 ]; do
			sleep 0.1
		done
		"$cpprof" info "$f" >"$tmp/info"
		like "$(cat "$tmp/info")" '\[uncounted: set-uid exec\]: not known' \
			"set-uid, detached: that it is not counted is in the books"
		"$cpprof" report "$f" >"$tmp/report"
		like "$(cat "$tmp/report")" 'in all is not known' "... and no total"
		like "$(cat "$tmp/report")" '\[uncounted: set-uid exec\], an unknown' \
			"... report says it"
		like "$(cat "$tmp/err")" 'faults \(at least [0-9]+ faults, every ' \
			"... and the end of the run has the least of it"
		like "$(cat "$tmp/err")" '^cpprof: pagefaults: a set-uid program' \
			"... and why"
		cp "$f" "$tmp/detached.1"
		cp "$f" "$tmp/detached.2"
		"$cpprof" merge -q -o "$tmp/merged" "$tmp"/detached.?
		"$cpprof" info "$tmp/merged" >"$tmp/info"
		like "$(cat "$tmp/info")" 'not known, in 2 processes' \
			"... a merged file knows no more"
		unlike "$(cat "$tmp/info")" '  consumed[^:]*: [0-9]' "... and has no total"
	fi
fi

# Refused: one line, the way out, the old file unchanged, no process left.
"$top_builddir/t/lib/make_fixture" "$tmp/keep" empty
cp "$tmp/keep" "$tmp/before"
for error in EPERM EACCES ENOSYS; do
	"$refuse" $error perf_event_open "$cpprof" run -q -o "$tmp/keep" \
		-r pagefaults -- echo ran >"$tmp/said" 2>"$tmp/err"
	status=$?
	[ $status != 77 ] || { skip 4 "no seccomp filters"; continue; }
	is "$status:$(cat "$tmp/said")" "125:" "$error: nothing is run"
	like "$(cat "$tmp/err")" 'perf_event_open: ' "$error: the operation"
	like "$(cat "$tmp/err")" '^hint: .*(perf_event.*cpprof resources|CONFIG_PERF_EVENTS)' \
		"$error: the way out"
	is "$(cmp "$tmp/keep" "$tmp/before"):$(ls "$tmp" | grep -c keep)" ":1" \
		"$error: the old file is as it was, and alone"
done

(
	ulimit -n 8
	"$cpprof" run -q -o "$tmp/keep" -r pagefaults -- echo ran
) >"$tmp/said" 2>"$tmp/err"
is "$?:$(cat "$tmp/said")" "125:" "few descriptors: nothing is run"
like "$(cat "$tmp/err")" '^hint: .*ulimit -n' "few descriptors: the way out"
is "$(cmp "$tmp/keep" "$tmp/before")" "" "few descriptors: the old file is as it was"

# The disk is full: the target does not care.
mkdir "$tmp/disk"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=256k none "$tmp/disk" 2>/dev/null
then
	trap 'umount "$tmp/disk" 2>/dev/null; rm -rf "$tmp"' EXIT
	cp "$tmp/before" "$tmp/disk/f"
	"$cpprof" run -o "$tmp/disk/f" -r pagefaults -- \
		"$target" flood 60000 4 >"$tmp/said" 2>"$tmp/err"
	is "$?:$(cat "$tmp/said")" "0:done" "disk full: the target ends well"
	like "$(cat "$tmp/err")" 'f: write: No space left' "... the error"
	like "$(cat "$tmp/err")" '^hint: .*partial' "... what was kept"
	is "$(cmp "$tmp/disk/f" "$tmp/before")" "" "... the old file has its name back"
	"$dump" "$tmp/disk/f.partial" >"$tmp/dump"
	is $? 0 "... what was kept is readable"
	umount "$tmp/disk"
else
	skip 5 "cannot mount a small disk"
fi

# Into a pipe.
mkfifo "$tmp/fifo"
cat "$tmp/fifo" >"$f" &
"$cpprof" run -q -o "$tmp/fifo" -r pagefaults -- "$target" flood 1000
is $? 0 "into a pipe"
wait
balanced pagefaults "into a pipe"
head -c 100 "$tmp/fifo" >/dev/null &
"$cpprof" run -q -o "$tmp/fifo" -r pagefaults -- "$target" flood 60000 2 \
	>"$tmp/said" 2>"$tmp/err"
is "$?:$(cat "$tmp/said")" "0:done" \
	"a pipe whose reader goes away: the target ends well"
wait

# For programs that ask what their monitor has: until that has read all there was,
# which it has when it waits, look after look.
settled='settled() {
	looks=0
	until [ $((looks += 1)) -gt 6 ]; do
		sleep 0.05
		grep -q "^State:.S" /proc/$PPID/status || looks=0
	done
}'

# What is kept of a process with generated code goes when the process does.
# shellcheck disable=SC2016
"$cpprof" run -q -o "$f" -r cpu:200us -- sh -c "$settled"'
	told() {
		settled
		find /proc/$PPID/fd -type l | wc -l
		grep VmRSS /proc/$PPID/status | tr -cd "0-9\n"
	}
	"$0" generators 150
	told
	"$0" generators 200
	told' "$target" >"$tmp/told"
{ read -r fds; read -r kb; read -r more_fds; read -r more_kb; } <"$tmp/told"
echo "# descriptors: $fds, then $more_fds; memory: $kb kB, then $more_kb"
ok "$([ $((more_fds - fds)) -lt 16 ]; echo $?)" \
	"200 processes with generated code leave no descriptors"
if [ -z "$SANITIZERS" ]; then
	ok "$([ $((more_kb - kb)) -lt 12000 ]; echo $?)" "nor memory"
else
	skip 1 "sanitizers keep what is freed"
fi

# The same of processes and threads that no sample hit.  The first ones make room
# for those that are remembered for a while; a monitor that is late may keep more of
# them for a moment, but not twice as many the second time: a leak grows each time.
# shellcheck disable=SC2016
"$cpprof" run -q -o "$f" --timer=per-task -r cpu:10ms -- sh -c "$settled"'
	told() {
		settled
		grep RssAnon /proc/$PPID/status | tr -cd "0-9\n"
	}
	"$0" processes 1000 20 >&2
	"$0" mayflies 10000 20 >&2
	told
	for _ in 1 2; do
		"$0" processes 2000 20 >&2
		"$0" mayflies 15000 20 >&2
		told
	done' "$target" >"$tmp/told" 2>"$tmp/err"
{ read -r kb; read -r more_kb; read -r most_kb; } <"$tmp/told"
echo "# memory: $kb kB, then $more_kb, then $most_kb"
if [ -z "$SANITIZERS" ]; then
	ok "$([ $((more_kb - kb)) -lt 200 ] ||
		[ $((most_kb - more_kb)) -lt 200 ]; echo $?)" \
		"17 000 more threads leave no memory"
else
	skip 1 "sanitizers keep what is freed"
fi
"$dump" "$f" >"$tmp/dump"
total=$(of cpu 7)
within $(($(of cpu 6) + $(of cpu 9) + $(of cpu 10) + $(of cpu 11))) \
	"$total" $((total * 103 / 100)) "... and the books balance"
within "$(awk '$1 == "thread" && $5 == "mayfly" { n += $7 }
	END { print n + 0 }' "$tmp/dump")" 400000 "$total" \
	"... [unsampled] has their names"

# Of programs that no process runs any more the file alone is open.
mkdir "$tmp/programs"
n=0
while [ $n -lt 400 ]; do
	n=$((n + 1))
	cp "$samples/queens" "$tmp/programs/$n"
done
# shellcheck disable=SC2016
"$cpprof" run -q -o "$f" -r pagefaults:10 -- sh -c "$settled"'
	told() {
		settled
		grep RssAnon /proc/$PPID/status | tr -cd "0-9\n"
	}
	for program in "$0"/1??; do "$program" --no; done 2>/dev/null
	told
	for program in "$0"/2??; do "$program" --no; done 2>/dev/null
	told
	for program in "$0"/3??; do "$program" --no; done 2>/dev/null
	told' "$tmp/programs" >"$tmp/told"
{ read -r kb; read -r more_kb; read -r most_kb; } <"$tmp/told"
echo "# memory: $kb kB, then $more_kb, then $most_kb"
if [ -z "$SANITIZERS" ]; then
	ok "$([ $((most_kb - kb)) -lt 3000 ]; echo $?)" \
		"200 more programs: not an image each"
else
	skip 1 "sanitizers keep what is freed"
fi
is "$("$dump" "$f" | grep -c 'exec .*/programs/')" 300 "... all are known"
rm -rf "$tmp/programs"

# Few descriptors, many files: jitdumps, and programs that are gone again.  The
# run ends well; with a descriptor for each file all have names.
cd "$tmp" || exit 99
for limit in 64 250; do
	(
		ulimit -n $limit
		"$cpprof" run -q -o "$f" -r cpu:1ms -- \
			"$target" generators 100 dump
	) 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "100 jitdumps, $limit descriptors"
done
"$cpprof" export --format=folded "$f" >"$tmp/folded"
named=$(awk '/;generated_loop / { n += $NF } END { print n + 0 }' \
	"$tmp/folded")
ok "$([ "$named" -ge 60 ]; echo $?)" "... $named stacks have generated names"
is "$(grep -c 'generated code' "$tmp/folded")" 0 "... none has none"
rm -f jit-*.dump
# gone LIMIT: 40 programs that are deleted before their names are looked up
gone() {
	# shellcheck disable=SC2016
	(
		ulimit -n "$1"
		"$cpprof" run -q -o "$f" -r cpu:1ms -- sh -c '
			for i in $(seq 40); do
				cp "$0" copy$i
				./copy$i probed 100
			done >/dev/null
			sleep 1
			rm copy*' "$target"
	) 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "40 programs, $1 descriptors"
	[ "$1" -gt 100 ] || return
	"$cpprof" export --format=folded "$f" >"$tmp/folded"
	named=$(awk '/^_start;.*main;do_probed;.*unprobed_work/ { n += $NF }
		END { print n + 0 }' "$tmp/folded")
	unnamed=$(awk '/copy[0-9]*\+0x/ { n += $NF } END { print n + 0 }' \
		"$tmp/folded")
	ok $((named < 15)) "... whole stacks with names: $named"
	within $((100 * unnamed / (named + unnamed + 1))) 0 10 \
		"... without names: $unnamed"
}
# least: the least limit with which the timers need no more than there is;
# beside per-CPU timers next to nothing is left for files
least() {
	for least in $(seq 40 2 120); do
		(
			ulimit -n "$least"
			"$cpprof" run -q -o "$f" -r cpu:1ms -- \
				"$target" burn 20000
		) >/dev/null 2>&1
		"$cpprof" info "$f" | grep -q 'timer: kernel, per-CPU' && break
	done
}
if "$cpprof" run -q --timer=per-cpu -o "$f" -- true 2>"$tmp/err"; then
	least
else
	least=64
fi
for more in 0 4 8 100; do
	gone $((least + more))
done
cd "$top_srcdir" || exit 99

# Throttled: said in the file.
rate=/proc/sys/kernel/perf_event_max_sample_rate
if [ -w $rate ]; then
	old=$(cat $rate)
	trap 'echo $old >$rate; rm -rf "$tmp"' EXIT
	# throttled INTERVAL TIMER COMMAND...: at 16 kHz, which slower clocks of
	# others do not feel
	throttled() {
		interval=$1 timer=$2
		shift 2
		echo 16000 >$rate
		"$cpprof" run -q --timer=$timer -o "$f" -r cpu:$interval -- \
			"$@" >/dev/null
		echo "$old" >$rate
		"$dump" "$f" >"$tmp/dump"
		# what a clock samples can be more than was consumed, by its noise
		within "$(booked cpu)" "$(of cpu 7)" $(($(of cpu 7) * 101 / 100)) \
			"throttled, $timer: the books of cpu balance"
	}
	throttled 20us per-task "$target" burn 300000
	like "$(cat "$tmp/dump")" \
		'^note warning the kernel throttled .* is \[unsampled\]' \
		"throttled: the file says so"
	if "$cpprof" run -q --timer=per-cpu -o "$f" -- true 2>"$tmp/err"; then
		throttled 20us per-cpu "$target" burn 300000
		like "$(cat "$tmp/dump")" \
			'^note warning the kernel throttled .* counts for the' \
			"throttled, per-cpu: the file says so"
		[ "$(of cpu 5)" -gt "$(of cpu 4)" ]
		ok $? "throttled, per-cpu: samples count for those held back"
		[ $(($(of cpu 6) * 100)) -ge $(($(of cpu 7) * 97)) ]
		ok $? "throttled, per-cpu: next to nothing is [unsampled]"
	else
		skip 4 "$(head -n 1 "$tmp/err")"
	fi
else
	skip 6 "the sample rate is not this user's to set"
fi

# A limit on memory: what has its name has its end, too.
if [ -n "${SANITIZERS:-}" ]; then
	skip 1 "sanitizers need more memory than any limit here"
else
	bad=
	for kib in 46000 50000 54000 58000 62000 66000 70000 75000; do
		rm -f "$f" "$f.partial"
		(
			ulimit -v $kib
			exec timeout 60 "$cpprof" run -q -o "$f" \
				-r cpu:100us,syscalls -- sh -c 'i=0
				while [ $i -lt 40 ]; do ls -l /usr/bin /etc
					i=$((i + 1)); done' >/dev/null \
				2>"$tmp/err"
		)
		rc=$?
		# the kernel ends a program whose stack cannot grow
		[ $rc -ne 139 ] && [ -s "$f" ] || continue
		"$cpprof" info "$f" | grep -q '^exit status: not known' ||
			continue
		bad="$bad $kib"
		echo "# $kib KiB: $rc: $(cat "$tmp/err")"
	done
	is "$bad" "" "memory runs out: the file has its end"
fi

done_testing
