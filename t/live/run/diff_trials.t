#!/bin/sh
# diff on runs of a real program beside a busy one: of 200 pairs of equal sides at
# most one in twenty is a false alarm.  t/unit/analyzer/diff_trials has the same with drawn
# numbers, and changes to be found.
. "$(dirname "$0")/../../lib/lib.sh"
[ -n "${CPPROF_TEST_FULL:-}" ] || skip_all "long: .ci/full runs it"
can_profile || skip_all "$why"
cd "$tmp" || exit 99
pairs=200

# run_of FILE MS: a profile of a run that takes units of so many ms
run_of() {
	"$cpprof" run -q -r cpu:200us -o "$1" -- "$samples/burn" --threads=0 \
		--children=0 --ms="$2" >log 2>&1
}
run_of try 4 || skip_all "$(head -n 1 log)"

# Another program keeps the processors busy, now more, now less.
(while :; do
	timeout 0.3 sh -c 'while :; do :; done'
	sleep 0.2
done) &
load=$!
trap 'kill $load 2>/dev/null; rm -rf "$tmp"' EXIT

alarms=0
i=0
while [ $i -lt $pairs ]; do
	i=$((i + 1))
	for side in a b; do
		for run in 1 2 3; do
			run_of $side.$run 4
		done
	done
	"$cpprof" diff --format=csv a.? -- b.? >csv 2>err || cat err
	! grep -q ',real,' csv || alarms=$((alarms + 1))
done
echo "# $alarms of $pairs"
within $alarms 0 $((pairs / 20)) "$pairs pairs of equal sides: false alarms"
done_testing
