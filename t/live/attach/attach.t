#!/bin/sh
# attach: all threads, present and to come, by every kind of timer; the process
# goes on untouched; errors tell the way out.
. "$(dirname "$0")/../../lib/lib.sh"

target=$top_builddir/t/live/target/attach_target
dump=$top_builddir/t/lib/monitor_dump
data=$tmp/data

# start MS: the target, as $pid
start() {
	: >"$tmp/out"
	"$target" "$1" >"$tmp/out" &
	pid=$!
	until grep -q ready "$tmp/out"; do sleep 0.01; done
}

attach() {
	timeout -k 1 60 "$cpprof" attach -q -o "$data" "$@" 2>"$tmp/err"
}

# attach_until COMMAND OPTIONS...: attaches, to what runs until COMMAND, which is
# given when cpprof has begun to collect
attach_until() {
	rm -f "$data"
	command=$1
	shift
	"$cpprof" attach -q -o "$data" "$@" 2>"$tmp/err" &
	monitor=$!
	i=0
	until [ -s "$data" ] || [ $((i += 1)) -gt 600 ]; do sleep 0.05; done
	sleep 0.3
	eval "$command"
	wait $monitor
}

# worked PID: waits until the process has had another 100 ms of processors
worked() {
	worked=$(awk '{ print $14 + $15 + 10 }' "/proc/$1/stat")
	i=0
	until [ "$(awk '{ print $14 + $15 }' "/proc/$1/stat")" -ge "$worked" ] ||
		[ $((i += 1)) -gt 600 ]; do sleep 0.05; done
}

# functions RESOURCE: "FRACTION FUNCTION [#HITS]"
functions() {
	"$cpprof" report --format=paper --function --threshold=0 --no-fold -r "$1" "$data" |
		sed '1,/^-----/d'
}

for how in per-cpu:cpu per-task:cpu per-task:real:10ms per-cpu:syscalls:1 \
	stop:syscalls:1 stop:blocked:10ms; do
	timer=${how%%:*} spec=${how#*:}
	resource=${spec%%:*}
	if ! "$cpprof" run -q --timer="$timer" -r "$spec" -o "$tmp/can" -- \
		true 2>"$tmp/err" && ! grep -q 'no samples' "$tmp/err"; then
		skip 6 "no $timer timers here: $(head -n 1 "$tmp/err")"
		continue
	fi
	start 60000
	attach_until 'worked "$pid"; kill -INT $monitor' --timer="$timer" \
		-r "$spec" --children "$pid"
	is "$?:$(cat "$tmp/err")" 0: "$how: attached for a while"
	kill -0 "$pid"
	ok $? "$how: the process goes on"
	functions "$resource" >"$tmp/functions"
	case $resource in
	blocked) there=epoll_wait ;;
	*) there=busy ;;
	esac
	like "$(cat "$tmp/functions")" "$there"' \[' "$how: threads there were"
	"$dump" "$data" >"$tmp/dump"
	ok $((1 - ($(grep -c "^thread" "$tmp/dump") > 4))) \
		"$how: threads to come"
	is "$(grep -c '^process' "$tmp/dump")" 2 "$how: the child too"
	kill "$pid"
	wait "$pid"
	is "$?:$(tail -n 1 "$tmp/out")" "7:0 interrupted" \
		"$how: no wait was interrupted, neither then nor at the end"
done

# A program that has written a title over its arguments.
if ! can_profile || ! command -v perl >/dev/null; then
	skip 1 "no perl, or ${why:-no timers}"
else
	perl -e '$0 = "x: master process /etc/x.conf"; $| = 1; print "ready"; 1 while 1' \
		>"$tmp/out" &
	pid=$!
	until grep -q ready "$tmp/out"; do sleep 0.01; done
	attach_until 'worked $pid; kill $pid' -r cpu:1ms "$pid"
	wait "$pid" 2>/dev/null
	like "$("$cpprof" report "$data" | sed '/^cpu /,$d')" ' perl[^/ ]*$' \
		"a title is not the program's name"
fi

# Collecting later, and off and on; the leader waits in the kernel all the time.
if ! can_profile; then
	skip 4 "$why"
else
	start 60000
	attach -r cpu --delay=200ms --duration=300ms "$pid"
	is "$?:$(cat "$tmp/err")" 0: "--delay and --duration"
	like "$("$cpprof" info "$data")" \
		'on from (0\.[2-9]|[1-9])[0-9.]* s to 0?[0-9.]+ s after' \
		"are noted"
	rm "$data"
	"$cpprof" attach -q -r cpu -o "$data" "$pid" 2>"$tmp/err" &
	monitor=$!
	i=0
	until [ -s "$data" ] || [ $((i += 1)) -gt 600 ]; do sleep 0.05; done
	for signal in USR1 USR1 TERM; do
		sleep 0.5
		kill -$signal $monitor
		heeded $monitor
	done
	wait $monitor
	is "$?:$(cat "$tmp/err")" 0: "SIGUSR1 to cpprof"
	is "$("$cpprof" info "$data" | grep -c 'collecting: on from')" 2 \
		"turns collecting off and on"
	kill "$pid"
	wait "$pid"
fi

# crowd MODE MS: a process that makes threads all the time, as $pid
crowd() {
	: >"$tmp/out"
	"$top_builddir/t/live/target/attach_crowd" "$@" >"$tmp/out" &
	pid=$!
	until grep -q ready "$tmp/out"; do sleep 0.01; done
	sleep 0.1
}

# used: the CPU time, us, that the relay says it had while it was collected.  It
# tells at times; between two of them, a part.
used() {
	until { "$dump" "$data"; cat "$tmp/out"; } | awk '
		function at(t) {
			return cpu + ($3 - cpu) * (t - then) / ($2 - then)
		}
		$1 == "start" { from = $2 / 1000 }
		$2 == "attached" {
			from += 1000000 * $7
			to = from + 1000000 * $14
		}
		$1 == "at" && NF == 3 {
			if (then <= from && $2 > from)
				first = at(from)
			if (then <= to && $2 > to)
				print int(at(to) - first)
			then = $2
			cpu = $3
		}' | grep .; do sleep 0.01; done
}

# The first thread has ended, and the others make the next ones and end.  One
# thread that is missed hides all later ones; one that is taken twice counts them
# twice.
for timer in per-task per-cpu; do
	if ! "$cpprof" run -q --timer=$timer -r cpu -o "$tmp/can" -- \
		"$samples/burn" --ms=20 >"$tmp/err" 2>&1; then
		skip 2 "no $timer timers here: $(head -n 1 "$tmp/err")"
		continue
	fi
	crowd relay 60000
	stolen=$(steal)
	attach --timer=$timer -r cpu --duration=500ms "$pid"
	is "$?:$(cat "$tmp/err")" 0: "$timer: the leader has ended before"
	counted=$(of cpu total)
	used=$(used)
	stolen=$(($(steal) - stolen))
	# What a clock tick may bring, and the noise of a guest's clock; what is used
	# between two things that the relay tells is a guess, the worse the slower
	# attaching is (sanitizers: 15 % off).
	within "$counted" $((used / 2 - 20000)) $((used * 14 / 10 + 20000 + stolen)) \
		"$timer: threads that are born while attaching count once"
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
done

# A first thread that has ended does not wait: there is one thread's time.
for how in per-cpu:real:10ms,blocked:10ms per-task:real:10ms \
	stop:real:10ms,blocked:10ms; do
	timer=${how%%:*}
	crowd idle 60000
	if attach --timer="$timer" -r "${how#*:}" --duration=500ms "$pid"; then
		"$dump" "$data" >"$tmp/dump"
		most=$(awk '$2 == "attached" { print int($14 * 1000000) }' \
			"$tmp/dump")
		is "$(awk -v most="$most" '$1 == "resource" &&
			($6 > most * 1.6 || $7 > most * 1.6)' \
			"$tmp/dump")" "" \
			"$how: a first thread that has ended has no time"
	else
		skip 1 "no $timer timers here: $(head -n 1 "$tmp/err")"
	fi
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
done
for how in stop:syscalls:1 per-task:cpu per-cpu:cpu; do
	timer=${how%%:*} spec=${how#*:}
	if ! "$cpprof" run -q --timer="$timer" -r "$spec" -o "$tmp/can" -- \
		"$samples/burn" --ms=20 >"$tmp/err" 2>&1; then
		skip 4 "no $timer timers here: $(head -n 1 "$tmp/err")"
		continue
	fi
	for mode in flood idle; do
		crowd $mode 60000
		attach_until 'kill "$pid"' --timer="$timer" -r "$spec" \
			"$pid"
		is "$?:$(cat "$tmp/err")" 0: "$how, $mode: to the end"
		wait "$pid"
		is "$?:$("$cpprof" info "$data" | sed -n 's/^exit status: //p')" \
			7:7 "$how, $mode: which is the process's own, and noted"
	done
done

# To the end of the process
start 60000
attach_until 'kill "$pid"' -r "$spec" "$pid"
is "$?:$(cat "$tmp/err")" 0: "to the end of the process"
is "$(tail -n 1 "$tmp/out")" "0 interrupted" "which has come"

# Ctrl-C
start 60000
attach_until 'kill $monitor' -r "$spec" "$pid"
is "$?:$(cat "$tmp/err")" 0: "a signal to cpprof ends it in order"
kill -0 "$pid"
ok $? "not the process"
"$cpprof" info "$data" >"$tmp/info"
ok $? "and the file is whole"
like "$(cat "$tmp/info")" 'still running' "which says that it still runs"

# The monitor is killed
"$cpprof" attach -q --timer=stop -r syscalls -o "$data" "$pid" 2>/dev/null &
monitor=$!
sleep 0.2
kill -KILL $monitor
wait $monitor 2>/dev/null
kill "$pid"
wait "$pid"
is "$?:$(tail -n 1 "$tmp/out")" "7:0 interrupted" \
	"a killed monitor leaves it alone"

mkdir -m 777 "$tmp/w"

# ordinary COMMAND...: as a user without any privilege
ordinary() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# Errors
attach 4194305
is $? 1 "no such process: status 1"
like "$(cat "$tmp/err")" '4194305: attach: no such process' "and the reason"

# By name: the one process that has it.
name=named$$
cp "$(command -v sleep)" "$tmp/$name"
named() { # starts one, as $pid
	"$tmp/$name" 1000 &
	pid=$!
	until grep -q "$name" "/proc/$pid/comm"; do sleep 0.01; done
}
sh -c 'sleep 60 & echo $$ >"$1"; wait' sh "$tmp/parent" &
until [ -s "$tmp/parent" ]; do sleep 0.01; done
"$cpprof" attach -r cpu --duration=10ms -o "$data" "$(cat "$tmp/parent")" 2>"$tmp/err"
like "$(cat "$tmp/err")" "collecting from process [0-9]+; not from its 1 child process: --children\$" \
	"children that are left out are told"
"$cpprof" attach --children -r cpu --duration=10ms -o "$data" "$(cat "$tmp/parent")" \
	2>"$tmp/err"
unlike "$(cat "$tmp/err")" "child process" "... but where they are taken"
kill $(cat "/proc/$(cat "$tmp/parent")/task/$(cat "$tmp/parent")/children")
named
first=$pid
attach -r cpu --duration=100ms "$name"
is $? 0 "a process by its name"
like "$("$cpprof" info "$data")" "^  $first $name " "is that one"
named
attach -r cpu --duration=100ms "$name"
is $? 1 "two of that name"
like "$(cat "$tmp/err")" "$name: attach: 2 processes have that name" "are too many"
like "$(cat "$tmp/err")" "hint: give the number of one: .*$pid" "and are listed"
kill "$first" "$pid"
wait "$first" "$pid" 2>/dev/null
attach -r cpu "$name"
is $? 1 "a name that no process has"
like "$(cat "$tmp/err")" "$name: attach: no process has that name" "is said"
attach me
like "$(cat "$tmp/err")" 'me: attach: no process has that name' "no number and no name"
attach ""
like "$(cat "$tmp/err")" 'attach: no process has that name' "nor one of the kernel's"
attach
like "$(cat "$tmp/err")" 'no process given' "nothing"
start 60000
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	strace -q -o /dev/null -p "$pid" &
	tracer=$!
	until grep -q "^TracerPid:.*$tracer" "/proc/$pid/status" ||
		! kill -0 $tracer; do
		sleep 0.01
	done
	attach --timer=stop -r syscalls "$pid"
	like "$(cat "$tmp/err")" "already traced by process $tracer \(strace\)" \
		"another tracer is named"
	kill $tracer
	wait $tracer
else
	skip 1 "strace cannot be used here"
fi
if [ "$(id -u)" -eq 0 ] && ordinary test -x "$cpprof"; then
	for timer in kernel stop; do
		ordinary "$cpprof" attach -q --timer=$timer -r syscalls,signals \
			-o "$tmp/w/none" "$pid" 2>"$tmp/err"
		[ $timer = stop ] || ordinary "$cpprof" attach -q \
			-o "$tmp/w/none" "$pid" 2>"$tmp/err"
		is "$(cat "$tmp/err")" "cpprof: $pid: attach: it is another \
user's (root, uid 0)
hint: run cpprof as that user or as root" "$timer timers: another user's process"
	done
else
	skip 2 "no way to be an ordinary user here"
fi
kill "$pid"
wait "$pid"

# What it takes to begin and to end is no part of the duration, whoever else
# has the processors.
"$top_builddir/t/live/target/attach_target" 60000 >"$tmp/out" &
pid=$!
busy=
for i in 1 2 3; do
	timeout 60 sh -c 'while :; do :; done' &
	busy="$busy $!"
done
took=$(date +%s%3N)
attach --duration=500ms -r cpu,pagefaults "$pid"
took=$(($(date +%s%3N) - took))
# shellcheck disable=SC2086
kill $busy "$pid"
wait 2>/dev/null
ms=$("$dump" "$data" | awk '$2 == "attached" { print int($14 * 1000) }')
within "${ms:-0}" 500 $took "a duration under load, ms"

# A process that waits nearly all the time, and one that does nothing else.
crowd idle 60000
attach --duration=300ms -r cpu,pagefaults "$pid"
"$cpprof" report "$data" >"$tmp/report"
like "$(cat "$tmp/report")" "^wall [0-9.]* m?s   CPU .*(not running|busy)" \
	"the first line tells how much a process did not run"
like "$(tr -s '\n# ' ' ' <"$tmp/report")" "cpprof attach -r blocked" \
	"... and how to ask where"
kill -KILL "$pid"
wait 2>/dev/null
sleep 60 &
pid=$!
attach --duration=100ms -r cpu "$pid"
like "$("$cpprof" report "$data" 2>&1)" "-r (real|blocked) shows where" \
	"a process that waits all the time: what to ask"
kill "$pid"
wait 2>/dev/null

# What is no program (any more)
attach $$ --duration=1us -r cpu >/dev/null
unlike "$(cat "$tmp/err")" 'cpprof itself' "the shell is not cpprof"
sh -c 'exec "$@" $$' - "$cpprof" attach -o "$data" 2>"$tmp/err"
like "$(cat "$tmp/err")" 'attach: that is cpprof itself' "itself"
if [ -e /proc/2/stat ] && grep -q '(kthreadd)' /proc/2/stat; then
	attach 2
	like "$(cat "$tmp/err")" '2: attach: it is a thread of the kernel' \
		"a kernel thread"
else
	skip 1 "no kernel threads are seen here"
fi
: >"$tmp/out"
sh -c '(sleep 0.2; exit 3) & echo $!; exec sleep 100' >"$tmp/out" &
parent=$!
until [ -s "$tmp/out" ]; do sleep 0.01; done
pid=$(cat "$tmp/out")
until grep -q ') Z ' "/proc/$pid/stat" 2>/dev/null; do sleep 0.01; done
attach "$pid"
like "$(cat "$tmp/err")" "$pid: attach: it has ended already" "a zombie"
like "$(cat "$tmp/err")" "its parent, process $parent," "whose parent is named"
kill $parent
wait $parent 2>/dev/null

# A thread is no process
start 60000
for tid in $(ls "/proc/$pid/task"); do
	[ "$tid" = "$pid" ] || break
done
attach "$tid"
like "$(cat "$tmp/err")" "$tid: attach: it is a thread of process $pid" \
	"a thread"
kill "$pid"
wait "$pid"

# Yama, played: its setting, and a kernel that refuses to trace.
refuse=$top_builddir/t/lib/refuse
sys=$tmp/sys
mkdir -p "$sys/yama"
cat /proc/sys/kernel/perf_event_paranoid >"$sys/perf_event_paranoid"
cat /proc/sys/kernel/perf_event_mlock_kb >"$sys/perf_event_mlock_kb"
if [ "$(id -u)" -eq 0 ] && unshare -m mount --bind "$sys" /proc/sys/kernel \
	2>/dev/null && ordinary test -x "$cpprof"; then
	setpriv --reuid=65534 --regid=65534 --clear-groups sleep 1000 &
	pid=$!
	until grep -q sleep "/proc/$pid/comm"; do sleep 0.01; done
	for scope in 1 2 3; do
		echo $scope >"$sys/yama/ptrace_scope"
		unshare -m sh -c 'mount --bind "$1" /proc/sys/kernel && shift &&
			exec "$@"' - "$sys" \
			setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$refuse" EPERM "ptrace@$pid" "$cpprof" attach -q \
			--timer=stop -r syscalls -o "$tmp/w/none" "$pid" \
			2>"$tmp/err"
		is "$?:$(sed -n 's/: [a-z].*//;1p' "$tmp/err" | wc -l)" 1:1 \
			"Yama's ptrace_scope $scope forbids"
		like "$(sed -n 1p "$tmp/err")" \
			": kernel.yama.ptrace_scope is $scope: " \
			"and is named with its value"
		like "$(sed -n 2p "$tmp/err")" 'hint: .*(sysctl|--timer=kernel)' \
			"and the way out"
	done
	kill "$pid"
	wait "$pid" 2>/dev/null
else
	skip 9 "needs root and a mount namespace"
fi
# A process is called as it was started, be that a link to its program.
ln -s "$target" "$tmp/called_so"
target=$tmp/called_so
start 60000
if attach_until 'worked $pid; kill $pid' -r cpu "$pid"; then
	like "$("$cpprof" report "$data" | head -n 1)" " called_so$" "by a link"
else
	skip 1 "no timer here: $(head -n 1 "$tmp/err")"
fi
wait "$pid" 2>/dev/null

# What threads without work wait is told apart from what the others do; and two
# attaches are windows, not runs of one job.
cat >"$tmp/idlers.c" <<'END'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static void *idle(void *arg) { for (;;) pause(); return arg; }
int main(void)
{
	const struct timespec turn = {.tv_nsec = 2000000};
	pthread_t thread;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, idle, NULL);
	for (;;) {
		nanosleep(&turn, NULL);
		for (volatile int k = 0; k < 1000000; k++)
			;
	}
}
END
if cc -O1 -pthread -o "$tmp/java" "$tmp/idlers.c" 2>/dev/null; then
	"$tmp/java" &
	pid=$!
	sleep 0.2
	for i in 1 2; do
		attach --duration=1s -r cpu,blocked:1ms "$pid"
		cp "$data" "$data.$i"
	done
	is "$("$cpprof" report -f csv "$data" | sed -n 's/.*,wall,\([0-9]*\),"us"$/\1/p')" \
		"$("$dump" "$data" | awk '$2 == "attached" { printf "%d", $14 * 1000000 }')" \
		"the time of a window is that in which it was open"
	wall=$("$cpprof" report -f csv "$data" | sed -n 's/.*,wall,\([0-9]*\),"us"$/\1/p')
	is "$("$cpprof" report --threads --processes -f csv -t 0 "$data" | awk -F, -v wall="$wall" '
			$1 == "threads" || $1 == "processes" { n++; late += $(NF - 2) * 1000000 > wall + 1 }
			END { print (n > 8), late + 0 }')" "1 0" "no thread lasted longer"
	like "$("$cpprof" info "$data")" "^started: .*, on for $(awk -v us="$wall" \
		'BEGIN { printf "%.3f", us / 1000000 }') s$" "nor the whole"
	like "$("$cpprof" report --width=200 "$data")" '^wall .* waiting [0-9.]+ s \(4 threads added up\) ' \
		"waits of several threads are no time by the clock"
	like "$("$cpprof" report -r blocked --width=200 "$data")" \
		"% of it is \[idle\], waits for events, .*: 'cpprof report -r blocked --no-fold $data' shows where$" \
		"threads that have nothing to do are told apart"
	like "$("$cpprof" report --width=200 "$data")" \
		"^no Java functions here: 'jcmd $pid Compiler.perfmap' .Java 17., then attach again$" \
		"a machine of Java that runs can name its functions"
	like "$(COLUMNS=200 "$cpprof" diff "$data.1" "$data.2")" \
		"both were attached to, for [0-9.]* m?s and [0-9.]* m?s: compare shares" \
		"two windows are no two runs"
	kill -KILL "$pid"
	wait 2>/dev/null
else
	skip 4 "no cc"
fi
# What is in the kernel is asked of the process that runs.
dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
pid=$!
attach --duration=1s -r cpu "$pid"
kill -KILL "$pid"
wait 2>/dev/null
if [ -n "$("$cpprof" report --width=200 "$data" | grep 'of CPU is the kernel')" ]; then
	what="is the kernel's, most in system calls:"
	"$cpprof" info "$data" | grep -q 'timer: kernel, per-CPU' ||
		what="is the kernel's: 'cpprof attach -r syscalls,iotime $pid' shows what for"
	like "$(COLUMNS=200 "$cpprof" advise "$data")" "$what" \
		"advice for what was attached to"
else
	skip 1 "the kernel's time is not known"
fi
# Kernel mode that is hidden has no sample and no other name.
ordinary='setpriv --reuid=65534 --regid=65534 --clear-groups'
chmod 777 "$tmp"
: >"$tmp/report"
if [ "$(id -u)" = 0 ] && $ordinary test -x "$cpprof" 2>/dev/null; then
	$ordinary dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	pid=$!
	$ordinary "$cpprof" attach -q -r cpu --duration=500ms -o "$tmp/w" "$pid" 2>"$tmp/err"
	kill -KILL "$pid"
	wait 2>/dev/null
	"$cpprof" report --width=200 "$tmp/w" >"$tmp/report" 2>&1
fi
if grep -q 'user mode only' "$tmp/report"; then
	like "$(cat "$tmp/report")" \
		'% .unsampled.: kernel mode, which this user may not see, or no timer could place it$' \
		"what a user does not see of the kernel"
else
	skip 1 "no user here from whom the kernel is hidden"
fi
# A server's processes have titles.
cat >"$tmp/titled.c" <<'X'
#include <unistd.h>
int main(int argc, char **argv)
{
	return execl(argv[1], "sleep: reads the mail of all others", "60", (char *)0);
}
X
if cc -o "$tmp/titled" "$tmp/titled.c" 2>/dev/null; then
	"$tmp/titled" "$(command -v sleep)" &
	pid=$!
	until [ "$(cat "/proc/$pid/comm")" = sleep ]; do sleep 0.01; done
	attach --duration=100ms -r cpu "$pid"
	kill "$pid"
	wait 2>/dev/null
	like "$("$cpprof" info "$data")" "^  $pid sleep .* reads the mail of all others 60, 1 thread, attached$" \
		"a process is told by its title"
	like "$(COLUMNS=80 "$cpprof" report -r cpu --processes -t0 "$data" | tr -s '\n ' ' ')" \
		" reads the mail of all others 60 " "... on as many lines as it needs"
else
	skip 2 "no cc"
fi
# Stops at each event take the time of what is there to be served.
dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
pid=$!
attach --timer=stop -r syscalls --duration=200ms "$pid"
kill -KILL "$pid"
wait 2>/dev/null
like "$("$cpprof" report --width=200 "$data" 2>&1)" \
	"^cpprof stopped the program at each event: by itself it does more in that time$" \
	"what is counted by stops is less than it does by itself"
# A server's time is that of its child processes.
rm -f "$tmp/parent"
sh -c 'while :; do sleep 0.02; done & echo $$ >"$1"; wait' sh "$tmp/parent" &
until [ -s "$tmp/parent" ]; do sleep 0.01; done
pid=$(cat "$tmp/parent")
attach --duration=100ms -r syscalls "$pid"
like "$("$cpprof" report "$data" 2>&1)" "used none of it$" \
	"the parent by itself did nothing"
like "$("$cpprof" report "$data" 2>&1)" "; --children has its child processes, too$" \
	"... and who did is asked for by --children"
attach --children --duration=1s -r cpu "$pid"
like "$("$cpprof" report --width=200 "$data" 2>&1)" \
	"'cpprof attach --children -r (blocked,runqueue|syscalls,iotime) $pid' shows why" \
	"child processes that were there are asked, too"
# shellcheck disable=SC2046
kill $(cat "/proc/$pid/task/$pid/children") "$pid"
wait 2>/dev/null
# Where they share a processor they wait for it.
rm -f "$tmp/parent"
mkfifo "$tmp/fifo"
taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" sh -c '
	while :; do :; done & while :; do :; done &
	while i=5000; do while [ $((i -= 1)) -gt 0 ]; do :; done; echo; done >"$2" &
	while read -r line; do i=1000; while [ $((i -= 1)) -gt 0 ]; do :; done; done <"$2" &
	echo $$ >"$1"; wait' sh "$tmp/parent" "$tmp/fifo" &
until [ -s "$tmp/parent" ]; do sleep 0.01; done
pid=$(cat "$tmp/parent")
attach --children --duration=500ms -r blocked:1ms,runqueue:1ms "$pid"
# shellcheck disable=SC2046
kill $(cat "/proc/$pid/task/$pid/children") "$pid"
wait 2>/dev/null
if "$cpprof" info "$data" 2>/dev/null | grep -q '^resource runqueue'; then
	like "$(COLUMNS=200 "$cpprof" advise "$data")" \
		"^1. For [5-9][0-9]\.[0-9] % of the time in which threads were ready" \
		"two of three wait for a processor, though no CPU time was taken"
	like "$("$cpprof" report -r blocked --width=200 "$data")" "%  \[idle\]$" \
		"who waits for the end of others is idle"
else
	skip 2 "no runqueue here: $(head -n 1 "$tmp/err")"
fi

done_testing
