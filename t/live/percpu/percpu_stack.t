#!/bin/sh
# Stacks beyond the copy: whole, and all of one moment.
. "$(dirname "$0")/../../lib/lib.sh"

why=$("$cpprof" run -q -o "$tmp/can" --timer=per-cpu -r cpu -- true 2>&1) ||
	skip_all "no BPF programs here: $why"
target=$top_builddir/t/live/target/stack_target
data=$tmp/data

# run RESOURCE COMMAND...: into $data
run() {
	resource=$1
	shift
	"$cpprof" run -q --timer=per-cpu -r "$resource" -o "$data" -- "$@" \
		>/dev/null 2>"$tmp/err"
	is $? 0 "$(basename "$*"), $resource: runs"
}

# whole WHAT LEAST: of 1000 stacks
whole() {
	set -- "$1" "$2" $("$cpprof" info "$data" | sed -n \
		's/^ *stacks: \([0-9]*\) whole, \([0-9]*\) truncated.*/\1 \2/p')
	thousandth=$((${3:-0} * 1000 / (${3:-0} + ${4:-1})))
	[ $thousandth -ge "$2" ]
	ok $? "$1: ${3:-no} stacks are whole, ${4:-?} truncated"
}

# below FUNCTION...: percent of the whole stacks that have all of them
below() {
	"$cpprof" export --format=folded "$data" | awk -v want="$*" '
		BEGIN { n = split(want, f, " ") }
		/^\[truncated/ { next }
		{ t += $NF; has = 1
		  for (i = 1; i <= n; i++) has = has && index(";" $0, f[i])
		  if (has) w += $NF }
		END { print t ? int(100 * w / t + .5) : 0 }'
}

# part PERCENT WANTED WHAT: but for chance.  The samples of one of the target's
# 100 turns are whole or [truncated] together where the monitor comes late: only
# the whole ones' turns count.
part() {
	off=$(awk -v p="$2" -v hits="$(of cpu hits)" -v each="$(each cpu)" \
		-v whole="$thousandth" 'BEGIN {
		p /= 100
		n = (hits > 100 ? 100 : hits + !hits) * (whole + 1) / 1001
		print int(440 * sqrt(p * (1 - p) * each / n) + 2) }')
	within "$1" $(($2 - off)) $(($2 + off)) "$3"
}

# The stack that a handler on an alternate one interrupted is read later: on a busy
# machine often too late.
run cpu:1ms "$samples/handler"
whole handler 100

# Megabytes of stack, in a thread's and in the process's own.
for where in "" --main; do
	for resource in pagefaults cpu:1ms; do
		run $resource "$samples/deep" $where
		whole "deep $where $resource" 950
	done
done

run cpu:1ms "$target" holes
# frames larger than the copy: whole, or known to be truncated
is "$("$cpprof" export --format=folded "$tmp/data" | grep ';work' |
	grep -v '^\[truncated\]' | grep -vc ';main;hole;hole;hole;hole;work')" 0 \
	"holes: no path lacks a frame"
like "$("$cpprof" run -r cpu:1ms -o "$data" -- "$target" holes 2>&1 >/dev/null)" \
	' incomplete, shown below \[truncated\]; --timer=stop has those over 64 KiB$' \
	"holes: the run says what has them"
"$cpprof" run -q --timer=stop -r cpu:1ms -o "$data" -- "$target" holes >/dev/null
whole "holes, and it has them" 1000

# Frames larger than the copy: the stack's end is copied with it.
for where in callers one thread; do
	run cpu:200us "$target" $where
	whole $where 900
	within "$("$cpprof" export --format=folded "$data" | grep -cE \
		'(left_caller;large;work_right|right_caller;large;work_left)')" \
		0 0 "$where: no caller has the other's work"
done

# An outer frame that is another, and all within the same as before.
run cpu:1ms "$target" sites
whole sites 100 # what lies beyond the copy is read later
part "$(below ';left;')" 50 "sites: half is left"
part "$(below ';inner_left;')" 50 "sites: half is inner_left"
part "$(below ';left;' ';inner_left;')" 25 "sites: a quarter is both"

# A return address that was popped, as in OCaml's calls of C.
run cpu:1ms "$target" popped
whole popped 990
part "$(below ';left_of_popped;popped')" 50 "popped: half is of each caller"

# Of two stacks each is taken for its own.
run cpu:1ms "$target" switch
whole switch 100 # the other stack is read later
part "$(below ';main;' ';switches;')" 50 "switch: half is main's"
within "$(below 'on_second;' ';main;')" 0 0 "switch: nothing is of both"

done_testing
