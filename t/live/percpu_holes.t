#!/bin/sh
# What the pages of a stack that are absent cost the target at each sample.  To
# read one is a fault, and faults can be counted: what runs beside it does not
# matter.
. "${top_srcdir:-.}/t/lib/lib.sh"

why=$("$cpprof" run -q -o "$tmp/can" --timer=per-cpu -r cpu -- true 2>&1) ||
	skip_all "no BPF programs here: $why"
awk -F'[.-]' '{ exit !($1 > 5 || $1 == 5 && $2 >= 17) }' \
	/proc/sys/kernel/osrelease ||
	skip_all "kernels before 5.17 do not send more than a copy"
target=$top_builddir/t/live/hole_target
data=$tmp/data
"$target" still >/dev/null
[ $? -ne 77 ] || skip_all "the kernel's page faults cannot be counted here"

# per_sample HOW MOST WHAT: of 200 pages that are absent so many are read
per_sample() {
	"$cpprof" run -q --timer=per-cpu -r cpu:1ms -o "$data" -- \
		"$target" "$1" >"$tmp/faults" 2>"$tmp/err"
	is $? 0 "$1: runs"
	samples=$("$cpprof" info "$data" |
		sed -n 's/^file:.* \([0-9]*\) samples.*/\1/p')
	whole=$("$cpprof" info "$data" |
		sed -n 's/^ *stacks: \([0-9]*\) whole.*/\1/p')
	[ "${samples:-0}" -ge 50 ]
	ok $? "$1: ${samples:-no} samples"
	[ $((${whole:-0} * 100)) -ge $((${samples:-1} * 98)) ]
	ok $? "$1: ${whole:-none} are whole"
	[ "$(cat "$tmp/faults")" -le $((${samples:-0} * $2)) ]
	ok $? "$1: $3 ($(cat "$tmp/faults") faults, at most $2 a sample)"
}

per_sample still 20 "absent pages are known"
per_sample faults 40 "after a fault a few of them are looked at"
per_sample changes 40 "none is read in order to be sent"

# Frames fill a former hole; the part outside of it is unchanged.
"$cpprof" run -q --timer=per-cpu -r cpu:1ms -o "$data" -- "$target" fills \
	>/dev/null 2>"$tmp/err"
is $? 0 "fills: runs"
set -- $("$cpprof" export --format=folded "$data" | awk '
	$0 ~ /;far_out;fill;hollow/ { a += $NF }
	$0 ~ /;far_out;fill;filled;filled/ { b += $NF }
	{ t += $NF }
	END { print a + 0, b + 0, t + 0 }')
[ $((($1 + $2) * 100)) -ge $(($3 * 95)) ] && [ "$1" -gt 0 ] && [ "$2" -gt 0 ]
ok $? "fills: $1 samples of the hole and $2 of what fills it, of $3"

done_testing
