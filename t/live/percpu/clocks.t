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
	taskset -c "$here" "$samples/burn" --ms=20000 --threads=0 --children=0 >"$tmp/out" &
	target=$!
	"$cpprof" attach -q -r cpu:20kHz -o "$data" $target &
	monitor=$!
	# the clock rests when the monitor has begun and looked about, however late
	rests=no
	for i in $(seq 60); do
		a=$(ticks "$here") b=$(ticks "$there")
		sleep 0.3
		a=$(($(ticks "$here") - a)) b=$(($(ticks "$there") - b))
		[ $a -le 4000 ] || [ $b -gt $((a / 2)) ] || rests=yes
		[ $rests = no ] || break
	done
	kill -9 $target
	wait $monitor $target 2>/dev/null
	is $rests yes "a processor without the target is interrupted less than one with it"
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
