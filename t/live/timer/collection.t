#!/bin/sh
# Collecting for a part of the run: --delay, --duration, SIGUSR1.
. "$(dirname "$0")/../../lib/lib.sh"
can_profile || skip_all "$why"
cd "$tmp" || exit 99

# The target says what is to be collected: fig1 is on either side of pqr and
# only they are told apart by their functions.  It waits until cpprof has had
# time to heed the signal.
echo "$heeded" >toggle
echo 'kill -USR1 $PPID; heeded $PPID; sleep 0.5' >>toggle
cat >phases <<'EOT'
"$1/fig1" >/dev/null
. ./toggle
"$1/pqr" >/dev/null
. ./toggle
"$1/forms" >/dev/null
EOT

# collect ARGS...: a run; $err and $rc
collect() {
	err=$("$cpprof" run -q -o data "$@" 2>&1 >/dev/null)
	rc=$?
}
folded() {
	"$cpprof" export --format=folded -r "$1" data 2>/dev/null
}
# balance: each resource's relative difference of what was consumed and booked
balance() {
	"$cpprof" info data | awk '/^resource / { r = $2 }
		/^  difference/ { d = $NF + 0; if (d < 0) d = -d
			if (d > (r == "cpu" ? 25 : 0.001)) print r, $0 }'
}
note() {
	"$cpprof" info data | grep '^  collecting: '
}

for timer in per-task per-cpu; do
	collect --timer=$timer -r pagefaults:1,cpu:1ms -- true
	if [ "$rc" -ne 0 ]; then
		skip 12 "$timer timers: $(printf '%s' "$err" | head -n 1)"
		continue
	fi
	is "$(note)" "" "$timer: no note where all of a run was collected"
	collect --timer=$timer -r pagefaults:1,cpu:1ms -- \
		sh phases "$samples"
	is "$rc$err" 0 "$timer: a target that toggles"
	stacks=$(folded pagefaults; folded cpu)
	like "$stacks" ";main;a;c" "$timer: what comes before is collected"
	like "$stacks" ";address_information;" "$timer: what comes after is"
	unlike "$stacks" ";main;P;" "$timer: what lies between is not"
	like "$("$cpprof" info data)" " pqr " "$timer: its process is known"
	is "$(balance)" "" "$timer: the books balance"
	is "$(note | grep -c 'on from .* s to .* s after the start')" 2 \
		"$timer: a note on each time it was on"
	like "$(note)" "on for [0-9.]* s of [0-9.]* s" "$timer: and on all"

	# the whole run consumes the truth; a part of it no more
	collect --timer=$timer -r cpu:1ms -- "$samples/burn" --threads=1 --children=0 --ms=75
	whole=$("$cpprof" info data | sed -n 's/^  consumed[^:]*: \([0-9]*\).*/\1/p')
	collect --timer=$timer -r cpu:1ms --delay=1us --duration=150ms -- \
		"$samples/burn" --threads=1 --children=0 --ms=75
	part=$("$cpprof" info data | sed -n 's/^  consumed[^:]*: \([0-9]*\).*/\1/p')
	[ "$part" -gt 0 ] && [ "$part" -lt $((whole / 2)) ]
	ok $? "$timer: --delay, --duration: $part us of $whole us"
	is "$(balance)" "" "$timer: the books balance"
	like "$("$cpprof" info data)" "^exit status: 0" \
		"$timer: the program ran to its end"
done

collect --timer=stop -r syscalls,bytes-read -- true
if [ "$rc" -ne 0 ]; then
	skip 3 "stop timers: $(printf '%s' "$err" | head -n 1)"
else
	collect --timer=stop -r syscalls,bytes-read -- sh phases "$samples"
	stacks=$(folded syscalls)
	like "$stacks" ";main" "stop: what comes before and after"
	is "$(balance)" "" "stop: the books balance"
	is "$(note | grep -c 'on from')" 2 "stop: notes"
fi

collect -r pagefaults:1 --delay=100s -- "$samples/fig1"
is "$rc" 0 "a program that is over before the delay"
is "$(folded pagefaults)" "" "has no sample"
like "$(note)" "on for 0\.0* s of" "the note says why"
collect -r pagefaults:1 --delay=100s -- \
	sh -c '. ./toggle; "$1/fig1"' - "$samples"
like "$(folded pagefaults)" ";main;a;c" "SIGUSR1 ends the delay"
"$cpprof" run -o none --duration=3 -- true 2>err
is "$?$(cat err)" "125cpprof: 3: --duration: no unit
hint: a time such as 500ms or 10s" "a number alone is no time"
collect -r pagefaults:1 --duration=1us -- \
	sh -c 'sleep 0.5; . ./toggle; "$1/fig1"' - "$samples"
unlike "$(folded pagefaults)" ";main;a;c" "but not what is after the duration"

err=$("$cpprof" run -r pagefaults --delay=100s -o data -- true 2>&1)
like "$err" "no samples.*collect|never" "the closing line says that nothing was collected"
for bad in 0 x 5 -1s 99999999999999999999s; do
	for o in delay duration; do
		err=$("$cpprof" run --$o=$bad -- true 2>&1)
		rc=$?
		is "$rc" 125 "--$o=$bad fails"
		like "$err" "^cpprof: $bad: --$o: " "and is told"
	done
done
done_testing
