#!/bin/sh
# Processors' clocks tick where the target runs, and rest elsewhere.
. "$(dirname "$0")/../../lib/lib.sh"
plain_build

"$cpprof" run -q -o "$tmp/can" --timer=per-cpu -r cpu -- true 2>"$tmp/err" ||
	skip_all "no BPF programs here: $(head -n 1 "$tmp/err")"
cpus=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' | awk -F- '{
	for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -n 2)
set -- $cpus
[ $# = 2 ] || skip_all "one processor alone"
here=$1 there=$2
data=$tmp/data

# ticks CPU: how often its timer has interrupted it
ticks() {
	awk -v cpu="CPU$1" 'NR == 1 {
			for (i = 1; i <= NF; i++)
				if ($i == cpu)
					n = i + 1
		}
		$1 == "LOC:" { print $n }' /proc/interrupts
}

if [ -n "$(ticks "$here")" ]; then
	"$cpprof" run -q -r cpu:20kHz -o "$data" -- taskset -c "$here" \
		"$samples/burn" --ms=250 --threads=0 --children=0 >"$tmp/out" &
	pid=$!
	sleep 0.7
	a=$(ticks "$here") b=$(ticks "$there")
	sleep 0.5
	a=$(($(ticks "$here") - a)) b=$(($(ticks "$there") - b))
	wait $pid
	within $b 0 $((a / 2)) \
		"a processor without the target is interrupted less than one with it"
else
	skip 1 "no timer in /proc/interrupts"
fi

# It comes back to a processor that rests: at once the clock ticks there, and what
# it consumed is in the samples.
"$cpprof" run -q -r cpu:100us -o "$data" -- sh -c '
	for ms in 25 25 50 50; do
		for cpu in '"$here $there"'; do
			taskset -c $cpu "$0" --ms=$ms --threads=0 --children=0
		done
	done' "$samples/burn" >"$tmp/out" 2>"$tmp/err"
is "$?:$(cat "$tmp/err")" "0:" "a program that changes processors runs"
within $((100 * $(of cpu weight) / $(of cpu total))) 97 103 \
	"... and its samples are its time"
within "$(each cpu | cut -d. -f1)" 0 8 "... of a few intervals each"
done_testing
