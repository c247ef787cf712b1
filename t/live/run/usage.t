#!/bin/sh
# The kernel's counts of a run, which the first line of a summary tells even where
# no clock was profiled; against what a shell's `times` says of itself.
. "$(dirname "$0")/../../lib/lib.sh"
can_profile || skip_all "$why"
cd "$tmp" || exit 99

# cpu FILE: the CPU time of its summary's first line, in us
cpu() {
	"$cpprof" report --resource="$resource" "$1" 2>&1 | sed -n '1s/.*CPU //p' |
		awk '{ print int($1 * ($2 == "s" ? 1e6 : $2 == "ms" ? 1e3 : 1)) }'
}

cat >prog <<'X2'
i=0
while [ $i -lt 150000 ]; do i=$((i + 1)); done
times >times
X2
resource=pagefaults
"$cpprof" run -q -r pagefaults:1 -o one -- sh prog || {
	resource=syscalls
	"$cpprof" run -q -r syscalls -o one -- sh prog
}
own=$(head -n 1 times | tr 'ms' '  ' |
	awk '{ print int(1e6 * (60 * $1 + $2 + 60 * $3 + $4)) }')
# beside its own loop there is what comes before the exec and at the exit; it is told
# in three figures
within "$(cpu one)" $((own * 199 / 200 - 10000)) $((own * 11 / 10 + 100000)) \
	"CPU time, where no clock was profiled"
out=$("$cpprof" report -r $resource one | head -n 2)
like "$out" "^wall [0-9.]+ m?s   CPU [0-9.]+ m?s" "in the first line"

"$cpprof" run -q -r $resource -o two -- sh prog
"$cpprof" merge -q -o both one two
first=$(cpu one) second=$(cpu two) sum=$(cpu both)
within "$sum" $(((first + second) * 98 / 100)) $(((first + second) * 102 / 100)) \
	"merge adds them up"
unlike "$("$cpprof" report both | head -n 2)" "waiting|not running" \
	"runs at different times did not wait for each other"

# It waits for longer than this machine takes to start it.
for time in 0.5 5 50; do
	interval=:1ms
	[ $time != 50 ] || interval= # it gives enough as it is
	hint="cpprof run -r blocked$interval,runqueue|no samples|stopped the program"
	"$cpprof" run -q -r $resource -o asleep -- sleep $time
	asleep=$("$cpprof" report asleep 2>&1)
	! echo "$asleep" | grep -Eq "$hint" || break
done
like "$(echo "$asleep" | head -n 2)" "not running [0-9.]+ m?s|no samples" \
	"a program that waits"
like "$asleep" "$hint" \
	"leads to the run that shows where, with samples enough"

# Two share a processor, so that one of them is ready for half of the time.
taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" sh -c '
	sh -c "while :; do :; done" & other=$!
	"$@"
	kill $other' sh "$cpprof" run -q -r cpu,blocked -o shared -- sh prog 2>err
like "$(cat err; "$cpprof" report shared 2>&1)" \
	"% of wall neither running nor waiting for an event:|^cpprof: blocked|stopped the program" \
	"what waits for a processor is led to the queue"

# Of several threads: how busy they were while they ran, and how long none did,
# which is more than a tenth.
"$cpprof" run -q -r cpu -o rests -- sh -c 'sh prog; sleep 1'
[ "$(resource=cpu; cpu rests)" -le 4000000 ] || # in an emulator
	"$cpprof" run -q -r cpu -o rests -- sh -c 'sh prog; sleep 15'
losses=$("$cpprof" info -f csv rests 2>&1 | awk -F, '$3 == "\"cpu\"" { n[$4] = $5 }
	END { if ((n["lost"] + n["unsampled"] + n["kernel"] + n["probes"]) * 11 > n["gticks"]) print "losses" }')
like "$("$cpprof" report rests 2>&1 | head -n 1)$losses" \
	"not running [0-9.]+ m?s|busy in the mean.*losses$|no samples" \
	"the time in which nothing ran is told"

"$cpprof" run -q -r $resource --delay=0.05s -o part -- sh prog 2>/dev/null
unlike "$("$cpprof" report part 2>&1 | head -n 2)" "CPU|waiting|not running" \
	"of a part of a run the counts say nothing"
# Events on one processor while the program is on another: what was the defect
# where /sys was not mounted.  The books do not believe themselves.
user=
[ "$(id -u)" -ne 0 ] ||
	user="setpriv --reuid=65534 --regid=65534 --clear-groups"
other=$(sed -n 's/^cpu\([1-9][0-9]*\) .*/\1/p' /proc/stat | head -n 1)
mkdir -m 777 unseen
echo 0 >online
hidden() {
	unshare -m sh -c 'mount --bind online /sys/devices/system/cpu/online &&
		shift && exec "$@"' sh - taskset -c 0 $user "$@"
}
if [ "$(id -u)" -eq 0 ] && [ "$other" ] && hidden true 2>/dev/null &&
	$user "$cpprof" run -q --timer=per-task -r cpu -o unseen/can -- true 2>/dev/null; then
	err=$(hidden "$cpprof" run --timer=per-task -r cpu -o unseen/data -- \
		taskset -c "$other" "$samples/process_db" 2>&1 >/dev/null)
	like "$err" "^cpprof: cpu: the timers counted .* of the .* used" \
		"run says that CPU time was missed"
	like "$("$cpprof" report unseen/data 2>&1)" \
		"^(cpu .*|cpprof: cpu: no samples: )the timers missed" "report says so"
	is "$("$cpprof" info unseen/data | grep -c "the timers missed some:")" 1 \
		"info says so"
	is "$("$cpprof" info --format=csv unseen/data | grep -c 'balanced,false')" \
		1 "the books are not balanced"
else
	skip 4 "no second processor, or no way to hide it, or no per-task timers"
fi
whole=$($user "$cpprof" run -r $resource -o unseen/whole -- "$samples/process_db" 2>&1 >/dev/null)
unlike "$whole" "wait4" "where nothing was missed, run says nothing"
unlike "$("$cpprof" info unseen/whole 2>&1)" "missed some" "... nor does info"
done_testing
