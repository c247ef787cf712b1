#!/bin/sh
# Two families of timers, one profile: for every resource that the kernel's
# timers and stop timers can both count, the same program under each.  Counts
# are equal path by path, to the unit; shares of times differ by no more than
# sampling explains.
. "$(dirname "$0")/../../lib/lib.sh"
plain_build

dump=$top_builddir/t/lib/monitor_dump
why=$("$cpprof" run -q -o "$tmp/can" --timer=per-cpu -r cpu -- true 2>&1) ||
	skip_all "no kernel timers here: $why"
why=$("$cpprof" run -q -o "$tmp/can" --timer=stop -r cpu -- true 2>&1) ||
	skip_all "no stop timers here: $why"

# both SPECS COMMAND...: into $tmp/kernel and $tmp/stop
both() {
	spec=$1
	shift
	for family in kernel stop; do
		"$cpprof" run -q --timer=$family -r "$spec" \
			-o "$tmp/$family" -- "$@" >/dev/null 2>"$tmp/err"
		is "$?:$(cat "$tmp/err")" 0: "$(basename "$1"), $family"
	done
}

# stacks FAMILY RESOURCE
stacks() {
	"$cpprof" export --format=folded --resource="$2" "$tmp/$1" |
		LC_ALL=C sort
}

# equal RESOURCE WHAT: hits by path, at intervals of one
equal() {
	stacks kernel "$1" >"$tmp/k"
	stacks stop "$1" >"$tmp/s"
	cmp -s "$tmp/k" "$tmp/s"
	status=$?
	ok $status "$2: $1, path by path ($(wc -l <"$tmp/k") of them)"
	[ $status = 0 ] || diff "$tmp/k" "$tmp/s" | head -n 20 | sed 's/^/# /'
	[ -s "$tmp/k" ]
	ok $? "$2: there are hits of $1"
}

# alike RESOURCE WHAT: the shares of all functions with a tenth or more.  What
# comes in one sample is one chance: of n hits there are n*n/squares.
alike() {
	for family in kernel stop; do
		"$dump" "$tmp/$family" | awk -v r="$1" -v f=$family '
			$1 == "resource" && $2 == r && $16 > 0 {
				print "n", f, $5 * $5 / $16 }'
		"$cpprof" report --format=paper --function --threshold=0 -r "$1" \
			"$tmp/$family" | awk -v f=$family '
			/^-----/ { on = 1; next }
			on && /^[0-9]/ && $2 !~ /^\[/ {
				sub(/.*!/, "", $2) # names that are shared
				print "s", f, $2, $1
			}'
	done | awk '
		$1 == "n" { n[$2] = $3 }
		$1 == "s" && $4 > share[$2, $3] { share[$2, $3] = $4 }
		$1 == "s" { name[$3] = 1 }
		END {
			for (f in name) {
				k = share["kernel", f] + 0
				s = share["stop", f] + 0
				m = (k + s) / 2
				if (m < 0.1)
					continue
				seen++
				by = 4.4 * sqrt(m * (1 - m) * (1 / n["kernel"] + \
					1 / n["stop"])) + 0.02
				d = k > s ? k - s : s - k
				if (d > by) {
					printf "# %s: %.3f, %.3f\n", f, k, s
					bad = 1
				}
			}
			exit bad || !seen
		}'
	ok $? "$2: $1, function by function"
}

both syscalls:1,bytes-read:1,bytes-written:1,bytes:1,syscalls=read+write:1 \
	"$samples/io"
for resource in syscalls bytes-read bytes-written bytes syscalls=read+write; do
	equal $resource io
done
both syscalls:1,bytes:1 "$samples/shortlived" --threads=50 --processes=20 \
	--bytes=100
equal bytes "short threads and processes"
both signals:1,signals=SIGUSR1:1 sh -c 'trap : USR1; i=0
	while [ $i -lt 50 ]; do kill -USR1 $$; i=$((i + 1)); done'
equal signals sh
equal signals=SIGUSR1 sh

both cpu:2ms,user:2ms,system:2ms "$samples/burn" --threads=1 --children=1 --ms=40
alike cpu burn
alike user burn
both system:1ms,cpu:1ms "$samples/faults" --pages=20000
# part FAMILY: of all CPU time, that in the kernel, in percent
part() {
	"$dump" "$tmp/$1" | awk '$1 == "resource" { total[$2] = $7 }
		END { printf "%d", 100 * total["system"] / total["cpu"] }'
}
kernel=$(part kernel) stop=$(part stop)
[ $((kernel - stop)) -lt 25 ] && [ $((stop - kernel)) -lt 25 ]
ok $? "faults: time in the kernel is told from that in user mode ($kernel, $stop %)"
both real:2ms,blocked:2ms "$samples/blocker"
alike real blocker
alike blocked blocker
# (calls that take no time at all take that of their stops)
both iotime:1ms "$samples/blocker"
alike iotime blocker
done_testing
