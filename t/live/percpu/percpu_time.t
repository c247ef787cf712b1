#!/bin/sh
# Per-CPU timers: clocks and waits against what the programs know of
# themselves; short threads and processes; per-CPU and per-task timers side by side.
. "$(dirname "$0")/../../lib/lib.sh"
plain_build

why=$("$cpprof" run -q -o "$tmp/can" --timer=per-cpu -r syscalls -- true 2>&1) ||
	skip_all "no BPF programs here: $why"
data=$tmp/data truth=$tmp/truth folded=$tmp/folded

# run TIMER RESOURCES COMMAND...: into $data, output to $truth
run() {
	timer=$1
	spec=$2
	shift 2
	"$cpprof" run -q --timer=$timer -r "$spec" -o "$data" -- "$@" \
		>"$truth" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" "0:" "$timer $spec: $(basename "$*") runs"
}

# agrees RESOURCE [AWK OPTIONS...]
agrees() {
	r=$1
	shift
	"$cpprof" export --format=folded --resource="$r" "$data" >"$folded"
	awk -f "$top_srcdir/t/lib/truth.awk" -v resource="$r" "$@" "$truth" \
		"$folded"
	ok $? "$timer $spec: $r as the program tells it"
}

# share: of all CPU time that is in samples, in percent, with what found no room
share() {
	echo $((100 * ($(of cpu weight) + $(of cpu lost)) / $(of cpu total)))
}

# Waits, each where it began; on a loaded machine the start of the program waits
# for as long.
run per-cpu real:1ms,blocked:1ms "$samples/blocker" --truth
agrees real -v others=0.9
agrees blocked -v others=0.9
# ... and in which call: by default in a report, on demand elsewhere.
"$cpprof" export --format=folded --objects -r blocked "$data" >"$folded"
for pair in 'nap clock_nanosleep' 'read_pipe read' 'wait_poll poll' \
	'wait_condition futex.wait'; do
	set -- $pair
	is "$(awk -v f="$1" -v call="[[]$2[]] " '$0 ~ ";" f ";" && $0 !~ call' \
		"$folded")" "" "$1 waits in $2"
done
like "$("$cpprof" report -F -r blocked "$data")" '[[]clock_nanosleep[]]' \
	"a report of waits has the calls"
like "$("$cpprof" report -F --syscalls -r real "$data")" '[[]clock_nanosleep[]]' \
	"... and one of another resource where they are wanted"
unlike "$("$cpprof" report -F --no-objects -r blocked "$data")$(
	"$cpprof" export --format=folded -r blocked "$data")" '[[]clock_nanosleep[]]' \
	"... unless they are not wanted, and exports have not"
"$cpprof" run -q --timer=per-task -r cpu:1ms -o "$tmp/tasks" "$samples/burn" \
	--ms=20 >"$truth"
like "$("$cpprof" report --objects "$tmp/tasks" 2>&1)" \
	'no sample of this file tells what it was at' "per-task timers know none"
for r in real blocked; do
	sum=$(($(of $r weight) + $(of $r lost) + $(of $r unsampled)))
	within "$sum" $(($(of $r total) * 95 / 100)) \
		$(($(of $r total) * 105 / 100)) "$r: the books balance"
done
within "$(of real total)" "$(of blocked total)" 100000000 \
	"real is blocked and more"

# A process that sleeps is blocked; its real time is what it runs, is blocked and is
# in line, and what the host takes from a virtual processor.
run per-cpu real:1ms,blocked:1ms,runqueue:1ms,cpu:1ms sleep 0.5
within "$(of blocked weight)" 495000 5000000 "sleep 0.5 is blocked for 0.5 s"
sum=$(($(of blocked total) + $(of cpu total) + $(of runqueue total)))
within $((sum - $(of real total))) -100000000 2000 \
	"real is cpu, blocked, and time in line"

# Beside two others on its processor a loop waits for no event, and is in line for as
# long as the kernel says: at its end, and once more on the way out.
if [ -r /proc/self/schedstat ]; then
	target=$top_builddir/t/live/target/monitor_target
	cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' \
		/proc/self/status)
	"$target" occupy "$cpu" &
	other=$!
	"$target" occupy "$cpu" &
	third=$!
	run per-cpu runqueue:1ms,blocked:1ms,real:1ms taskset -c "$cpu" sh -c '
		read -r a from c </proc/$$/schedstat
		i=0
		while [ $i -lt 50000 ]; do i=$((i + 1)); done
		read -r a to c </proc/$$/schedstat
		echo $(((to - from) / 1000))'
	kill $other $third
	wait $other $third 2>/dev/null
	line=$(cat "$truth")
	within "$(of runqueue total)" $((line * 95 / 100)) $((10 * line)) \
		"a loop behind others is in line, as the kernel says"
	within "$(of runqueue weight)" $((line * 9 / 10 - 2000)) $((10 * line)) \
		"... with a stack"
	within "$(of blocked total)" 0 $((line / 2)) "... and is hardly blocked"
else
	skip 4 "no schedstat"
fi

"$cpprof" run -q --timer=per-cpu -r blocked -o "$tmp/wait" sleep 0.5
unlike "$("$cpprof" report -F "$tmp/wait")" '%\?' "one wait of half a second is not rough"

# A thread that still waits when collecting ends is credited its wait until then,
# with its stack.  It may begin late, and collecting end late, but not after it.
"$cpprof" run -q --timer=per-cpu --duration=1s -r real:10ms,blocked:10ms \
	-o "$data" -- sleep 2 >/dev/null 2>"$tmp/err"
is "$?:$(cat "$tmp/err")" "0:" "collecting ends while it sleeps"
for r in real blocked; do
	within "$(of $r weight)" 500000 "$(run_us)" \
		"still waiting: $r has it"
	within "$(of $r unsampled)" 0 40000 "still waiting: [unsampled] has not"
	"$cpprof" export --format=folded --resource=$r "$data" >"$folded"
	within "$(awk '/nanosleep/ { n += $NF } END { print n + 0 }' \
		"$folded")" $(($(of $r hits) / 2)) "$(of $r hits)" \
		"still waiting: $r at the sleep"
done
sleep 60 &
pid=$!
# its wait has begun when it is the program and sleeps
until grep -q sleep "/proc/$pid/comm" && grep -q '^State:.S' "/proc/$pid/status"
do sleep 0.02; done
"$cpprof" attach -q --timer=per-cpu --duration=0.2s -r blocked:1ms -o "$data" \
	$pid 2>"$tmp/err"
is "$?:$(cat "$tmp/err")" "0:" "attached to one that waits"
"$cpprof" export --format=folded --resource=blocked "$data" >"$folded"
within "$(awk '/nanosleep/ { n += $NF } END { print n + 0 }' "$folded")" 190 \
	"$(of blocked hits)" "one wait, from before the attach to beyond its end"
within "$(of blocked hits)" 190 $(($("$top_builddir/t/lib/monitor_dump" "$data" |
	awk '$2 == "attached" { print int(1000 * $14) }') + 100)) \
	"... and no more than there was"
kill $pid
wait $pid 2>/dev/null

# Clocks, by path.  What a processor is busy with otherwise for a while comes in
# one sample.
run per-cpu cpu:1ms "$samples/burn" --threads=3 --children=2 --truth
agrees cpu -v each="$(awk -v q="$(of cpu squares)" -v h="$(of cpu hits)" \
	'BEGIN { print (h ? q / h : 1) }')"
within "$(share)" 97 103 "burn: what of it is in samples"

# Always the kernel's count, also in guests where it does not tell every switch:
# of six runs each, while others want the processor too.
timeout 60 sh -c 'while :; do sleep 0.01; i=0
	while [ $i -lt 9999 ]; do i=$((i + 1)); done; done' &
other=$!
for try in 1 2 3 4 5 6; do
	"$cpprof" run -q --timer=per-cpu -r cpu:1ms -o "$data" -- \
		"$top_builddir/t/live/target/monitor_count" "$tmp/counts" \
		"$samples/burn" --ms=30 >"$tmp/out" 2>"$tmp/err" ||
		cat "$tmp/err"
	echo "$(of cpu total)" \
		"$(awk '$1 == "rusage" { print $2 }' "$tmp/counts")"
done >"$tmp/times"
kill $other
wait $other 2>/dev/null
awk '{ print "# " $0 }
	$2 && $1 > 0.98 * $2 - 5000 && $1 < 1.02 * $2 + 5000 { n++ }
	END { exit n != 6 }' "$tmp/times"
ok $? "burn: six times the total is what wait4 says"

# 10 000 threads of 0.2 ms under a clock of 1 ms, 2 000 processes of 0.9 ms.
for what in "--threads=10000 --us=200" "--processes=2000 --us=900"; do
	run per-cpu cpu:1ms "$samples/shortlived" $what --truth
	within "$(share)" 97 103 "$what: what of the time is in samples"
	# the kernel's own part in a thread's life is no function's
	"$cpprof" export --format=folded --resource=cpu "$data" >"$folded"
	within "$(awk '/short_work/ { n += $NF } END { print n * 1000 }' \
		"$folded")" \
		"$(awk '/^truth cpu / { n += $4 } END { print int(n * .85) }' \
			"$truth")" \
		"$(awk '/^truth cpu / { n += $4 } END { print int(n * 1.2) }' \
			"$truth")" "$what: their work"
done

# first_half RESOURCE: its share of the samples, in percent
first_half() {
	"$cpprof" export --format=folded --resource="$1" "$data" | awk '
		/first_half/ { f += $NF }
		/second_half/ { s += $NF }
		END { print int(100 * f / (f + s + !(f + s))) }'
}

# A program in step with the interval: profiled wrongly without varying
# intervals, right with.  It counts calls, which no other program disturbs.
cat >"$tmp/step.c" <<'E2'
#include <sys/syscall.h>
#include <unistd.h>

#define HALF(name)                                                             \
	__attribute__((noinline, noclone)) static void name(void)              \
	{                                                                      \
		for (int i = 0; i < 5; i++)                                    \
			syscall(SYS_getppid);                                  \
	}
HALF(first_half)
HALF(second_half)

int main(void)
{
	for (int i = 0; i < 4000; i++) {
		first_half();
		second_half();
	}
	return 0;
}
E2
${CC:-cc} -O1 -o "$tmp/step" "$tmp/step.c" || exit 99
run per-cpu syscalls:10 "$tmp/step"
share=$(first_half syscalls)
[ "$share" -lt 2 ] || [ "$share" -gt 98 ]
ok $? "profiled wrongly at equal intervals ($share %, not 50)"
run "per-cpu --randomize" syscalls:10 "$tmp/step"
within "$(first_half syscalls)" 40 60 "--randomize: half each"
for percent in "" =20 =90%; do
	run "per-cpu --randomize$percent" cpu:1ms "$samples/periodic" --truth
	off=$(awk -v hits="$(of cpu hits)" -v each="$(each cpu)" 'BEGIN {
		print int(440 * sqrt(0.25 * each / hits) + 2) }')
	within "$(first_half cpu)" $((50 - off)) $((50 + off)) \
		"--randomize$percent: half each"
	within "$(share)" 95 105 "--randomize$percent: the weight is the time"
done
run "per-cpu --randomize" bytes-read:1000 "$samples/io" --truth
within "$(of bytes-read weight)" $(($(of bytes-read total) - 2000)) \
	"$(of bytes-read total)" "--randomize: the weight is the bytes"
# Intervals that 32 bits do not hold vary around their mean as well.
run "per-cpu --randomize" bytes-allocated:100000000000 \
	"$top_builddir/t/live/target/monitor_target" asks 2000 10000000000
within "$(of bytes-allocated hits)" 160 245 "--randomize: long intervals"
"$cpprof" run -q --timer=per-task --randomize -o "$data" -- true \
	2>"$tmp/err"
is $? 125 "per-task timers cannot vary"
like "$(cat "$tmp/err")" "cannot vary the interval" "... and say so"

# Threads whose last event is late: the list of tasks has lost them already.
busy=
for i in 1 2 3 4 5 6; do
	timeout 60 sh -c 'while :; do :; done' &
	busy="$busy $!"
done
for i in 1 2 3 4; do
	run per-cpu real "$top_builddir/t/live/target/monitor_target" known 16 100000
	echo $(($(of real weight) - $(of real total))) >>"$tmp/more"
done
kill $busy
is "$(awk '$1 > 90000' "$tmp/more")" "" \
	"threads that end as the program does: all that is in samples is counted"

# Processes of 22 faults and an interval of 100.
run per-cpu pagefaults:100 "$samples/shortlived" --processes=500 --pages=22 \
	--us=1 --truth
due=$(($(of pagefaults total) / 100))
within "$(of pagefaults hits)" $((due - 10)) $((due + 10)) \
	"processes of fewer faults than the interval: as many hits as are due"
agrees pagefaults -v others=0.95

# The same faults, to the last, by per-CPU and per-task timers.
for timer in per-cpu per-task; do
	run $timer pagefaults:1 "$samples/faults" --truth
	agrees pagefaults -v exact=1
	of pagefaults total >"$tmp/$timer"
done
within "$(($(cat "$tmp/per-cpu") - $(cat "$tmp/per-task")))" -60 60 \
	"both arrangements count the same"

done_testing
