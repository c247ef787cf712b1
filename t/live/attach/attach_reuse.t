#!/bin/sh
# attach --children: a child ends between the look that finds it the target's and
# its adoption, and another program gets its number.  The program is not joined.
# strace makes that moment last: of the looks at whether a process is there, three
# are at the target, the next two at the child and again at the target.
. "$(dirname "$0")/../../lib/lib.sh"
[ -z "${SANITIZERS:-}" ] || skip_all "strace and LeakSanitizer exclude each other"
needs strace perl
can_profile || skip_all "$why"
[ -w /proc/sys/kernel/ns_last_pid ] || skip_all "numbers can be chosen by root alone"
strace -o /dev/null -e inject=pidfd_send_signal:delay_exit=1 true 2>/dev/null ||
	skip_all "strace cannot be used here"
data=$tmp/data
dump=$top_builddir/t/lib/monitor_dump

# A target with a child, whose end it does not wait for and gets no signal of, at
# which a tracer would stop it.
cat >"$tmp/parent.pl" <<'END2'
$| = 1;
$SIG{CHLD} = "IGNORE";
my $child = fork // die;
if (!$child) { sleep 600; exit }
print "$child\n";
my $i = 0;
$i++ while 1;
END2

# Becomes the process NUMBER, which is free, and works.
cat >"$tmp/stranger.pl" <<'END2'
my ($number, $told) = @ARGV;
for (1 .. 1000) {
	open my $last, ">", "/proc/sys/kernel/ns_last_pid" or die;
	print $last $number - 1;
	close $last;
	my $pid = fork // die;
	if (!$pid) {
		exit if $$ != $number;
		$0 = "stranger";
		open my $out, ">", $told;
		print $out "$$\n";
		close $out;
		alarm 60;
		my $i = 0;
		$i++ while 1;
	}
	exit if $pid == $number;
	waitpid $pid, 0;
}
END2

# has_pidfd PID: whether the monitor under strace holds the process
has_pidfd() {
	for p in $(cat "/proc/$tracer/task/$tracer/children" 2>/dev/null); do
		grep -qs "^Pid:.$1\$" "/proc/$p/fdinfo/"* && return 0
	done
	return 1
}

for how in per-cpu:cpu:1ms per-task:cpu:1ms stop:syscalls; do
	timer=${how%%:*} spec=${how#*:}
	if ! "$cpprof" run -q --timer="$timer" -r "$spec" -o "$tmp/can" -- \
		"$samples/burn" >"$tmp/err" 2>&1; then
		skip 2 "no $timer timers here: $(head -n 1 "$tmp/err")"
		continue
	fi
	rm -f "$data" "$tmp/out" "$tmp/told"
	perl "$tmp/parent.pl" >"$tmp/out" &
	pid=$!
	until [ -s "$tmp/out" ]; do sleep 0.02; done
	child=$(cat "$tmp/out")
	strace -q -f -o "$tmp/trace" -e trace=pidfd_send_signal \
		-e inject=pidfd_send_signal:delay_exit=4000000:when=4..5 \
		"$cpprof" attach -q --children --timer="$timer" -r "$spec" \
		--duration=500ms -o "$data" "$pid" >"$tmp/said" 2>&1 &
	tracer=$!
	i=0
	until has_pidfd "$child" || [ $((i += 1)) -gt 1000 ]; do sleep 0.02; done
	since=$(date +%s)
	sleep 0.5
	kill -KILL "$child"
	while kill -0 "$child" 2>/dev/null; do sleep 0.02; done
	perl "$tmp/stranger.pl" "$child" "$tmp/told"
	missed=$((i > 1000 || $(date +%s) - since > 6))
	[ "$(cat "$tmp/told" 2>/dev/null)" = "$child" ] || missed=1
	wait $tracer
	is "$?:$(cat "$tmp/said")" 0: "$timer: attached"
	"$dump" "$data" >"$tmp/dump"
	"$cpprof" export --format=folded "$data" >"$tmp/folded" 2>&1
	if [ $missed -eq 1 ]; then
		skip 1 "$timer: the machine was too slow for that moment"
	else
		is "$(grep -c '^process' "$tmp/dump"):$(grep -c stranger \
			"$tmp/dump")" 1:0 \
			"$timer: what has a child's number is not joined"
	fi
	kill -KILL "$pid" "$child" 2>/dev/null
	wait "$pid" 2>/dev/null
done
done_testing
