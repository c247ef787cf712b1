#!/bin/sh
# Stacks beyond the copy without BPF: what is read after the sample is the
# sample's, or [truncated].
. "$(dirname "$0")/../../lib/lib.sh"

why=$("$cpprof" run -q -o "$tmp/can" --timer=per-task -r cpu -- true 2>&1) ||
	skip_all "no per-task timers here: $why"
target=$top_builddir/t/live/target/stack_target
data=$tmp/data

run() {
	"$cpprof" run -q --timer=per-task -r cpu:200us -o "$data" -- \
		"$target" "$1" >/dev/null 2>"$tmp/err"
	is $? 0 "$1: runs"
	"$cpprof" export --format=folded "$data" >"$tmp/folded"
}

# share PATTERN LEAST MOST WHAT: percent of the samples
share() {
	within "$(awk -v p="$1" '{ t += $NF; if ($0 ~ p) w += $NF }
		END { print t ? int(100 * w / t + .5) : -1 }' "$tmp/folded")" \
		"$2" "$3" "$4"
}

# Nothing in the copy tells the two callers apart.
run callers
share '(left_caller;large;work_right|right_caller;large;work_left)' 0 2 \
	"callers: none has the other's work"
share ';large;work_(left|right)' 90 100 "callers: the work is there"

# On a busy machine nearly all is read too late: that is [truncated], and never a
# path that lacks a caller.  What callers() does itself is not asked about.
run one
partial=$(grep -v '^\[truncated\]' "$tmp/folded" | grep -E 'large|work_left' |
	grep -v ';main;callers;left_caller;large')
is "$partial" "" "one: whole, or known to be truncated"
share '^\\[truncated\\]|;left_caller;large' 50 100 "one: the work is there"

run thread
share '^[^[].*;first_function;work' 95 100 "thread: whole"

done_testing
