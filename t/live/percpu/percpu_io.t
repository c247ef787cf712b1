#!/bin/sh
# Kernel timers with BPF: calls, bytes, signals and switches against what the
# programs know of themselves, what strace counts and what the kernel does.
. "$(dirname "$0")/../../lib/lib.sh"

why=$("$cpprof" run -q -o "$tmp/can" --timer=per-cpu -r syscalls -- true 2>&1) ||
	skip_all "no BPF programs here: $why"
data=$tmp/data truth=$tmp/truth folded=$tmp/folded

# run RESOURCES COMMAND...: into $data, output to $truth
run() {
	spec=$1
	shift
	"$cpprof" run -q --timer=per-cpu -r "$spec" -o "$data" -- "$@" \
		>"$truth" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" "0:" "$spec: $(basename "$1") ${2-} runs"
}

# folded RESOURCE
folded() {
	"$cpprof" export --format=folded --resource="$1" "$data" >"$folded"
}

# balanced RESOURCE [SLACK]: samples and losses are the total, to within SLACK
balanced() {
	sum=$(($(of "$1" weight) + $(of "$1" lost) + $(of "$1" unsampled)))
	total=$(of "$1" total)
	within "$sum" "$((total - ${2-0}))" "$((total + ${2-0}))" \
		"$spec: the books of $1 balance"
}

# Each kind of transfer, exactly, all resources in one run.
all=syscalls:1,bytes-read:1,bytes-written:1,bytes:1
run $all "$samples/io" --truth
for r in syscalls bytes-read bytes-written bytes; do
	folded $r
	if grep -q '^\[lost\]' "$folded"; then
		skip 1 "$r: samples lost"
	else
		# the return from a signal handler is a call of no function
		awk -f "$top_srcdir/t/lib/truth.awk" -v resource=$r -v exact=1 \
			-v except=read_interrupted "$truth" "$folded"
		ok $? "io: $r, path by path, exactly"
	fi
	balanced $r
done
is $(($(of bytes-read total) + $(of bytes-written total) >= $(of bytes total))) \
	1 "io: what is moved counts once in bytes"

# Large intervals: every whole one that passed is a hit.
run bytes-read:1000,syscalls:7 "$samples/io"
for r in bytes-read:1000 syscalls:7; do
	is "$(of ${r%:*} hits)" $(($(of ${r%:*} total) / ${r#*:})) \
		"io: $r: as many hits as whole intervals"
done

# The same calls as strace sees; it counts exec's and not the last exit_group.
if command -v strace >/dev/null; then
	calls='openat+read+mmap+close+newfstatat+getdents64'
	for call in $(echo $calls | tr + ' '); do
		list=$list${list+,}syscalls=$call:1
	done
	for command in "ls -lR $top_srcdir/lib" "cat $top_srcdir/COPYING"; do
		run "$list" $command
		strace -c -o "$tmp/strace" $command >"$tmp/out"
		for call in $(echo $calls | tr + ' '); do
			is "$(of syscalls=$call total)" \
				"$(awk -v c=$call '$NF == c { n = $4 }
					END { print n + 0 }' "$tmp/strace")" \
				"$command: $call, as strace counts"
		done
	done
	run "syscalls=$calls:1" ls -lR "$top_srcdir/lib"
	strace -c -o "$tmp/strace" ls -lR "$top_srcdir/lib" >"$tmp/out"
	is "$(of syscalls=$calls total)" "$(awk -v c="+$calls+" '
		index(c, "+" $NF "+") { n += $4 } END { print n + 0 }' \
		"$tmp/strace")" "several calls in one resource, as strace"
else
	skip 1 "no strace here"
fi

# Ten thousand threads of 100 bytes each.
run bytes-read:1024 "$samples/shortlived" --threads=10000 --bytes=100 --truth
within "$(of bytes-read total)" 1000000 1100000 "10000 threads: all their bytes"
want=$(($(of bytes-read total) / 1024))
within "$(of bytes-read hits)" $((want - 20)) $((want + 20)) \
	"10000 threads: what each leaves is handed on"
folded bytes-read
awk -f "$top_srcdir/t/lib/truth.awk" -v resource=bytes-read "$truth" "$folded"
ok $? "10000 threads: at the read"

# ... and of processes
run bytes-read:1024 "$samples/shortlived" --processes=500 --bytes=100
want=$(($(of bytes-read total) / 1024))
within "$(of bytes-read hits)" $((want - 20)) $((want + 20)) \
	"500 processes: what each leaves is handed on"

# A tree of processes; each execs.
run syscalls=execve:1,bytes-written:1 sh -c '
	for i in 1 2 3; do /bin/echo -n abc; done >/dev/null
	(/bin/echo -n de | cat) >/dev/null'
is "$(of syscalls=execve total)" 5 "children: their execs"
is "$(of bytes-written total)" 13 "children: their bytes"

# Other programs on the machine are not the target's.
dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
other=$!
run bytes-read:1,cpu:1ms sleep 0.3
is "$(kill -0 $other && echo there)" there "another program was there"
within "$(of bytes-read total)" 0 20000 "another program's bytes are its own"
within "$(of cpu total)" 0 100000 "... and its time"
kill $other 2>/dev/null
wait $other 2>/dev/null

# Two monitors, two targets; a monitor that profiles a monitor.
"$cpprof" run -q --timer=per-cpu -r bytes-read:1 -o "$tmp/one" -- \
	head -c 12345 /dev/zero >/dev/null &
run bytes-read:1 head -c 54321 /dev/zero
wait $!
is $? 0 "two at once"
first=$(of bytes-read total)
data=$tmp/one
is $((first - $(of bytes-read total))) $((54321 - 12345)) \
	"two at once: to each its own"
data=$tmp/data

# Signals.
run signals:1,signals=SIGUSR1:1,signals=SIGSEGV:1 sh -c '
	trap : USR1
	for i in 1 2 3 4 5; do kill -USR1 $$; done'
is "$(of signals=SIGUSR1 total)" 5 "signals=SIGUSR1"
is "$(of signals=SIGSEGV total)" 0 "signals=SIGSEGV"
is "$(of signals total)" 5 "signals"

# Switches: one for each sleep, at the sleep.
run switches=voluntary:1,switches=involuntary:1,switches:1 sh -c '
	for i in 1 2 3 4 5; do /bin/sleep 0.01; done'
is "$(of switches total)" $(($(of switches=voluntary total) + \
	$(of switches=involuntary total))) "switches are of two kinds"
folded switches=voluntary
is "$(awk '/nanosleep/ { n += $NF } END { print n + 0 }' "$folded")" 5 \
	"five sleeps"

# I/O time: a read that waits, not the wait beside it.  No more than there was.
# timed ARGS...: run ARGS, which took $took us
timed() {
	before=$(date +%s%N)
	run "$@"
	took=$((($(date +%s%N) - before) / 1000))
}
# cat begins later than sleep, on a busy machine much later.
timed iotime:100us sh -c '(sleep 1; echo) | cat >/dev/null'
within "$(of iotime total)" 100000 $((3 * took)) \
	"iotime: a read that waited for a second"
timed iotime:100us sleep 1
within "$(of iotime total)" 0 $((took - 1000000)) "iotime: a sleep is none"

# Without the privilege: another timer, or an error with a hint; with the
# capabilities alone, all.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	user() {
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	}
	chmod 711 "$tmp"
	user "$cpprof" resources syscalls 2>/dev/null >"$tmp/out"
	if [ ! -s "$tmp/out" ]; then
		skip 4 "the program cannot be run by another user"
	else
		told=$(tr -s '\n ' ' ' <"$tmp/out")
		like "$told" "no better timer: bpf: Operation not" \
			"an ordinary user is told why"
		like "$told" "hint:.*CAP_BPF|hint:.*cap_bpf" \
			"... and the way out"
		user "$cpprof" run --timer=per-cpu -o "$data" -- true 2>"$tmp/err"
		is $? 125 "... and has no per-CPU timer"
		caps=+bpf,+perfmon
		like "$(user --inh-caps=$caps --ambient-caps=$caps \
			"$cpprof" resources syscalls)" "kernel, per-CPU" \
			"the two capabilities suffice"
	fi
else
	skip 4 "not root, or no setpriv"
fi
out=$("$top_builddir/t/lib/refuse" EPERM bpf "$cpprof" run -q -r bytes-read:1 \
	-o "$data" -- head -c 1000 /dev/zero 2>"$tmp/err" | wc -c)
is "$out:$(cat "$tmp/err")" "1000:" "bpf refused: another timer serves"
"$top_builddir/t/lib/refuse" EPERM bpf "$cpprof" run -q --timer=per-cpu -r cpu \
	-o "$data" -- true 2>"$tmp/err"
is "$?:$(wc -l <"$tmp/err")" "125:2" "... and per-CPU timers are an error"

# Programs that are refused although the least one is not: by a limit of memory
# for maps, a verifier, a security module.
for refused in bpf:0 bpf:28 bpf:17,bpf:28; do
	out=$("$top_builddir/t/lib/refuse" EACCES $refused "$cpprof" run \
		-r bytes-read:1,cpu -o "$data" -- head -c 1000 /dev/zero \
		2>"$tmp/err" | wc -c)
	like "$out:$(head -n 1 "$tmp/err")" \
		"1000:cpprof: bytes-read: .*: Permission denied; 'stop' timers count instead: the program is stopped" \
		"$refused refused: other timers serve, and it says so"
	within "$(of bytes-read total)" 1000 20000 "$refused: they count"
	"$cpprof" info "$data" >"$tmp/out"
	like "$(cat "$tmp/out")" "warning: bytes-read: .*timers count instead" \
		"$refused: ... and the file knows"
	"$top_builddir/t/lib/refuse" EACCES $refused "$cpprof" run --timer=per-cpu \
		-r cpu -o "$data" -- true 2>"$tmp/err"
	is "$?:$(wc -l <"$tmp/err")" "125:2" "$refused: --timer=per-cpu fails"
done

# A program that is refused costs what needs it and nothing else, as often as it
# is tried; who reads the word knows what counts now.
refuses() {
	"$top_builddir/t/lib/inject" 22 321 "=$1" "$cpprof" run -r "$2" \
		-o "$data" -- head -c 1000 /dev/zero >"$tmp/out" 2>"$tmp/err"
}
refuses on_signal cpu,signals,bytes-read:1
rc=$?
if [ $rc -ne 77 ]; then
	is "$rc:$(grep -c "timers count" "$tmp/err"):$(head -n 1 "$tmp/err")" \
		"0:1:cpprof: signals: on_signal: Linux $(uname -r) refuses this BPF program: Invalid argument; 'stop' timers count instead: the program is stopped at each event" \
		"on_signal refused: the word names resource, kernel, timer, loss"
	is "$("$cpprof" info "$data" | sed -n 's/^  timer: //p' | paste -sd:)" \
		"kernel, per-CPU:stop:kernel, per-CPU" \
		"... the others have their timers"
	is "$(of bytes-read total)" "$(($(of bytes-read weight) + 0))" \
		"... and their books balance"
	refuses on_switch cpu,bytes-read:1
	is "$?:$("$cpprof" info "$data" | sed -n 's/^  timer: //p' |
		paste -sd:)" "0:kernel, per-CPU:kernel, per-CPU" \
		"on_switch refused, as before 5.18: another serves"
	refuses on_fork cpu,bytes-read:1
	is "$?:$(sed -n "s/.*; '\(.*\)' timers count.*/\1/p" "$tmp/err" |
		paste -sd:)" "0:kernel, per-task:stop" \
		"on_fork refused, which all need: each has another"
	"$cpprof" resources | sed '/^$/q' >"$tmp/all"
	"$top_builddir/t/lib/inject" 22 321 =on_request "$cpprof" resources 2>&1 |
		sed '/^$/q' >"$tmp/out"
	is "$(diff "$tmp/all" "$tmp/out" | sed -n 's/^< \([a-z-]*\) .*/\1/p' |
		paste -sd,)" "bytes-allocated,allocations,bytes-freed,frees" \
		"on_request refused: allocations alone have no timer"
else
	skip 6 "no seccomp filters that ask"
fi

# Processes that are killed during their calls: each call and each byte is counted
# all the same; at longer intervals any excess over the count has its reason.
cat >"$tmp/killed" <<'EOF'
for i in 1 2 3 4 5 6; do
	dd if=/dev/zero of=/dev/null bs=100 2>/dev/null & p=$!
	cat /dev/zero >/dev/null & q=$!
	sleep 0.03
	kill -KILL $p $q 2>/dev/null
done
wait
EOF
"$cpprof" run -q -r syscalls:1,bytes:1 -o "$data" -- sh "$tmp/killed" 2>/dev/null
for r in syscalls bytes; do
	is $(($(of $r weight) + $(of $r lost))) "$(of $r total)" \
		"killed in their calls: $r, exactly"
done
for i in 1 2 3; do
	"$cpprof" run -q -r syscalls:100 -o "$data" -- sh "$tmp/killed" 2>/dev/null
	over=$(($(of syscalls weight) + $(of syscalls lost) + \
		$(of syscalls unsampled) - $(of syscalls total)))
	[ $over -eq 0 ] || break
done
like "$over:$("$cpprof" info "$data" | grep difference)" \
	'^0:|: threads start anywhere in their first interval$' \
	"... more than the count, and why"

# (The leak checker of a sanitized build cannot run under strace.)
traced() {
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 \
		strace -f -e trace=bpf "$@"
}
# nth ERE first|last: which of its thread's calls in $tmp/strace was like that
nth() {
	awk -v ere="$1" -v last="$([ "$2" = last ] && echo 1)" '
		/^[0-9]+ +[a-z_]+\(/ {
			n[$1]++
			if ($0 !~ / = -1 / && $0 ~ ere && (last || !found)) found = n[$1]
		}
		END { if (found) print found }' "$tmp/strace"
}
# `cpprof resources` tries the programs themselves: a resource that is refused
# alone is missing alone.
# tried NAME [ARGS...]: resources, where that program is refused
tried() {
	name=$1
	shift
	"$top_builddir/t/lib/inject" 13 321 "=$name" "$cpprof" resources "$@" \
		>"$tmp/out" 2>&1
}
"$cpprof" resources >"$tmp/all" 2>&1
if tried none cpu signals && [ "$(grep -c ' kernel, per-CPU' "$tmp/out")" = 2 ]; then
	tried on_signal cpu signals
	is "$(awk '/ kernel, per-CPU/ { print $1 }' "$tmp/out")" cpu \
		"resources: one refused: the other is as it was"
	like "$(cat "$tmp/out")" '^signals.* stop' "... it has another timer"
	tried on_fork cpu signals
	is "$(grep -c ' kernel, per-CPU' "$tmp/out")" 0 \
		"... all refused: none is promised"
	like "$(tr -s '\n ' ' ' <"$tmp/out")" \
		"on_fork: Linux $(uname -r) refuses this BPF program: Permission" \
		"... and why"
	# for the list of all they are loaded together
	tried on_signal
	is "$(diff "$tmp/all" "$tmp/out" |
		sed -n 's/^> \([a-z]* .*every\|[a-z]*\) .*/\1/p' | head -n 1)" \
		"signals" "the list of all: if one is refused, it alone is"
else
	skip 5 "no seccomp filters that ask, or no programs"
fi
if command -v strace >/dev/null && traced -o "$tmp/strace" "$cpprof" \
	resources >"$tmp/out" 2>&1 && grep -q PROG_LOAD "$tmp/strace"; then
	is "$(grep -c 'prog_name=.\(on_\|__loader\).* = [0-9]' "$tmp/strace")" 1 \
		"the list of all: each program is loaded once, by one loader"
else
	skip 1 "no strace here, or none that tells of bpf"
fi

# The programs are loaded, but the first that is to be put on a perf event is
# refused.  (What strace follows stop timers cannot have.)
if command -v strace >/dev/null && traced -o "$tmp/strace" "$cpprof" run -q \
	-r pagefaults:1,cpu -o "$data" -- true 2>"$tmp/err" &&
	nth=$(nth '^[0-9]+ +bpf.BPF_LINK_CREATE.*BPF_PERF_EVENT' first) &&
	[ -n "$nth" ]; then
	out=$(traced -e inject=bpf:error=EACCES:when="$nth" -o "$tmp/strace" \
		"$cpprof" run -r pagefaults:1,cpu -o "$data" -- \
		head -c 1000 /dev/zero 2>"$tmp/err" | wc -c)
	is "$(grep -c INJECTED "$tmp/strace")" 1 \
		"attachment to a perf event refused: once"
	like "$out:$(head -n 1 "$tmp/err")" \
		"1000:cpprof: pagefaults: attachment to an event: Permission denied; 'kernel, per-task' timers count instead: threads" \
		"... other timers serve, and it says so"
	within "$(of pagefaults total)" 30 5000 "... they count"
	traced -e inject=bpf:error=EACCES:when="$nth" -o "$tmp/strace" \
		"$cpprof" run --timer=per-cpu -r pagefaults:1,cpu -o "$data" -- \
		true 2>"$tmp/err"
	is "$?" 125 "... --timer=per-cpu fails"
	# And so where an event that the programs write to is refused.
	traced -e trace=perf_event_open -o "$tmp/strace" "$cpprof" run -q \
		-r pagefaults:1,cpu -o "$data" -- true
	nth=$(nth BPF_OUTPUT last)
	out=$(traced -e trace=perf_event_open \
		-e inject=perf_event_open:error=ENOSPC:when="$nth" \
		-o "$tmp/strace" "$cpprof" run -r pagefaults:1,cpu -o "$data" \
		-- head -c 1000 /dev/zero 2>"$tmp/err" | wc -c)
	is "$(grep -c INJECTED "$tmp/strace")" 1 "an output refused: once"
	like "$out:$(head -n 1 "$tmp/err")" \
		"1000:cpprof: pagefaults: perf_event_open: No space left on device; 'kernel, per-task' timers" \
		"... other timers serve, and it says so, and why"
	within "$(of pagefaults total)" 30 5000 "... they count"
	traced -e trace=perf_event_open \
		-e inject=perf_event_open:error=ENOSPC:when="$nth" \
		-o "$tmp/strace" "$cpprof" run --timer=per-cpu \
		-r pagefaults:1,cpu -o "$data" -- true 2>"$tmp/err"
	is "$?:$(wc -l <"$tmp/err"):$(grep -c breakpoint "$tmp/err")" 125:2:0 \
		"... --timer=per-cpu fails, for no want of breakpoints"
else
	skip 8 "no strace here, or none that tells of bpf"
fi

# Nothing is left when the monitor is killed; the target goes on.
if bpftool=$(PATH=$PATH:/usr/sbin:/sbin command -v bpftool); then
	# how many of the numbers in $ids are there
	there() {
		"$bpftool" prog show 2>/dev/null | awk '{ print $1 }' |
			grep -Fxc -e "$ids"
	}
	"$cpprof" run -q --timer=per-cpu -r bytes:1K,cpu -o "$data" -- \
		sh -c "echo >$tmp/begun; until [ -e $tmp/go ]; do sleep 0.05; done
			echo done >$tmp/done" &
	monitor=$!
	for i in $(seq 600); do
		[ -e "$tmp/begun" ] && break
		sleep 0.05
	done
	ids=$(sed -n 's/^prog_id:[	 ]*\([0-9]*\)$/\1:/p' \
		/proc/$monitor/fdinfo/* 2>/dev/null | sort -u)
	[ -n "$ids" ]
	ok $? "programs while it runs"
	kill -KILL $monitor
	wait $monitor 2>/dev/null
	for i in $(seq 100); do
		[ "$(there)" -eq 0 ] && break
		sleep 0.2
	done
	is "$(there)" 0 "none when the monitor was killed"
	echo >"$tmp/go"
	for i in $(seq 600); do
		[ -s "$tmp/done" ] && break
		sleep 0.05
	done
	is "$(cat "$tmp/done")" "done" "... and the target runs to its end"
else
	skip 3 "no bpftool here"
fi

# Two that take turns have half each at the intervals that nobody gave; each tenth
# call is always of one.
cat >"$tmp/turns.c" <<'END'
#include <stdlib.h>
#include <unistd.h>
#define TAKES(name) __attribute__((noinline, noclone)) void name(int fd) { \
	void *volatile p = malloc(1000); write(fd, "12345678", 8); free(p); }
TAKES(left)
TAKES(right)
int main(void)
{
	for (int i = 0; i < 100000; i++) {
		left(STDOUT_FILENO);
		right(STDOUT_FILENO);
	}
	return 0;
}
END
left() {
	folded "$1"
	awk '/;left;/ { n += $NF } { all += $NF } END { print int(100 * n / all) }' \
		"$folded"
}
if cc -O1 -w -o "$tmp/turns" "$tmp/turns.c"; then
	run syscalls,bytes-written,bytes-allocated "$tmp/turns"
	for r in syscalls bytes-written bytes-allocated; do
		within "$(left $r)" 30 70 "$r: half is of each turn"
	done
	for r in syscalls:10 bytes-written:4K; do
		run $r "$tmp/turns"
		ok $(($(left "${r%:*}") % 96 > 4)) \
			"$r, a given interval: $(left "${r%:*}") % is of one"
	done
else
	skip 10 "no cc"
fi

# What writes little behind what writes several intervals at once has its own share,
# 1.0 %: a tenth of a percent is two deviations of these samples.
cat >"$tmp/sizes.c" <<'END'
#include <unistd.h>
static char b[10000];
__attribute__((noinline)) long large(int f) { return write(f, b, 10000) + 1; }
__attribute__((noinline)) long small(int f) { return write(f, b, 101) + 1; }
int main(void)
{
	for (int i = 0; i < 30000; i++) {
		large(1);
		small(1);
	}
	return 0;
}
END
if cc -O1 -w -o "$tmp/sizes" "$tmp/sizes.c"; then
	for how in "per-cpu -r bytes-written" "per-cpu -r bytes-written:4096 --randomize=50" \
		"stop -r bytes-written"; do
		# shellcheck disable=SC2086
		"$cpprof" run -q --timer=$how -o "$data" -- "$tmp/sizes" >"$truth"
		folded bytes-written
		within "$(awk '/;small;/ { n += $NF } { all += $NF }
			END { print int(10000 * n / all) }' "$folded")" 75 128 \
			"$how: of large and small writes each has its share"
	done
	cat >"$tmp/requests.c" <<'END'
#include <stdlib.h>
__attribute__((noinline)) void large(void) { free(malloc(3000000)); }
__attribute__((noinline)) void small(void) { free(malloc(25000)); }
int main(void)
{
	for (int i = 0; i < 8000; i++) {
		large();
		small();
	}
	return 0;
}
END
	cc -O1 -fno-builtin -o "$tmp/requests" "$tmp/requests.c"
	run bytes-allocated "$tmp/requests"
	folded bytes-allocated
	within "$(awk '/;small;/ { n += $NF } { all += $NF }
		END { print int(10000 * n / all) }' "$folded")" 62 105 \
		"... and of requests for memory"
else
	skip 5 "no cc"
fi

# What the kernel did for the program in most of its CPU time is in the file.
run cpu,pagefaults dd status=none if=/dev/zero of=/dev/null bs=1 count=400000
like "$("$cpprof" report "$data" | tr -s '\n ' ' ')" \
	"% of CPU is the kernel's, most in system calls: 'cpprof report -r cpu --syscalls $data' shows which" \
	"the kernel's time is in system calls"
like "$("$cpprof" report -r cpu --syscalls "$data")" '% +\[(read|write)\]' \
	"... and these have it"
unlike "$("$cpprof" report -r cpu --syscalls "$data")" "the kernel's" \
	"... beside which it is not told how to see them"
like "$("$cpprof" advise "$data")" 'try: resource cpu; set syscalls on; function' \
	"advise names them, too"
# Of a run that goes on, of what is there.
head -c $(($(stat -c %s "$data") * 2 / 5)) "$data" >"$tmp/cut"
like "$("$cpprof" report "$tmp/cut" 2>/dev/null)" "^[0-9][0-9]? % of CPU is the kernel's" \
	"a file without an end has a share, too"
run cpu,pagefaults "$samples/process_db"
like "$("$cpprof" report "$data" | tr -s '\n ' ' ')" \
	"% of CPU is the kernel's, most for page faults: 'cpprof report -r pagefaults $data' shows which" \
	"the kernel's time is for page faults"
unlike "$("$cpprof" report -r pagefaults "$data")" "the kernel's" \
	"where these are shown no word of it"

done_testing
