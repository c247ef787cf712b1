#!/bin/sh
# Twelve runs at once, of programs in which samples come in the midst of others:
# all end, the programs come to no harm, and the books balance.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "$why"
target=$top_builddir/t/live/target/ring_target
spec=cpu:200us,pagefaults,syscalls:1,bytes:4096
"$cpprof" run -q -r $spec -o "$tmp/can" -- true 2>"$tmp/err" ||
	skip_all "$(head -n 1 "$tmp/err")"
runs=12

# off RESOURCE: by how much the totals of $data differ from samples and losses, in gticks
off() {
	off=$(($(of "$1" weight) + $(of "$1" lost) + $(of "$1" unsampled) + \
		$(of "$1" kernel) + $(of "$1" setuid) + \
		$(of "$1" probes) - $(of "$1" total)))
	echo ${off#-}
}

i=0
while [ $((i += 1)) -le $runs ]; do
	(
		timeout -k 5 120 "$cpprof" run -q -r $spec -o "$tmp/file$i" -- \
			"$target" nest 50 >"$tmp/out$i" 2>"$tmp/err$i"
		echo $? >"$tmp/rc$i"
	) &
done
wait
i=0
while [ $((i += 1)) -le $runs ]; do
	data=$tmp/file$i
	is "$(cat "$tmp/rc$i" "$tmp/out$i" "$tmp/err$i" | tr '\n' ' ')" \
		"0 " "run $i ends, and the program is well"
	is "$("$top_builddir/t/lib/monitor_dump" "$data" 2>&1 |
		grep '^end ')" "end 0" "... the file is complete"
	for r in pagefaults syscalls bytes; do
		# each thread starts somewhere in its first interval
		within "$(off $r)" 0 $((6 * $(of $r interval))) \
			"... the books of $r balance"
	done
	# a clock is sampled
	within "$(off cpu)" 0 $(($(of cpu total) / 10 + \
		40 * $(of cpu interval))) "... and those of cpu, to noise"
done
done_testing
