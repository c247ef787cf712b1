#!/bin/sh
# calls=FUNC, by breakpoints and by uprobes: how often and by whom, against what
# programs know of themselves and what callgrind counts.
. "$(dirname "$0")/../../lib/lib.sh"

data=$tmp/data truth=$tmp/truth folded=$tmp/folded
target=$samples/calls

why=$("$cpprof" run -q -o "$tmp/can" -r calls=leaf -- "$target" 2>&1) ||
	skip_all "no breakpoints here: $why"
timers=per-task
"$cpprof" run -q --timer=per-cpu -o "$tmp/can" -r calls=leaf -- "$target" \
	2>/dev/null && timers="per-task per-cpu"

# run TIMER RESOURCES COMMAND...: into $data, output to $truth
run() {
	timer=$1 spec=$2
	shift 2
	"$cpprof" run -q --timer=$timer -r "$spec" -o "$data" -- "$@" \
		>"$truth" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" "0:" "$timer: $spec: $(basename "$1") runs"
}

# exactly RESOURCE...: each as the truth says, path by path
exactly() {
	for r; do
		"$cpprof" export --format=folded --resource="$r" "$data" \
			>"$folded"
		awk -f "$top_srcdir/t/lib/truth.awk" -v resource="$r" -v exact=1 \
			"$truth" "$folded"
		ok $? "$timer: $r, path by path, exactly"
	done
}

# total RESOURCE: what the kernel counted
total() {
	"$top_builddir/t/lib/monitor_dump" "$data" |
		awk -v r="$1" '$1 == "resource" && $2 == r { print $7 }'
}

# error RESOURCES WANTED HINT WHAT: of $target, before it has run
error() {
	"$cpprof" run -q -r "$1" -o "$data" -- sh -c "echo ran >$tmp/ran" \
		>/dev/null 2>"$tmp/err"
	is "$?:$(wc -l <"$tmp/err"):$(cat "$tmp/ran" 2>&1 | grep -c ran$)" \
		125:2:0 "$4: an error in two lines, before anything runs"
	like "$(cat "$tmp/err")" "$2" "$4: the reason"
	like "$(cat "$tmp/err")" "^hint: .*$3" "$4: the way out"
}

for timer in $timers; do
	run $timer calls=leaf,calls=once,calls=deep,calls=choice \
		"$target" --truth
	exactly calls=leaf calls=once calls=deep calls=choice
	run $timer calls=even,calls=odd "$target" --truth --times=3
	exactly calls=even calls=odd
	run $timer calls=deep "$target" --truth --times=5 --depth=200
	exactly calls=deep
	run $timer calls=leaf "$target" --truth --threads=300 --children=200
	exactly calls=leaf
	run $timer calls=leaf,cpu,pagefaults "$target" --truth
	exactly calls=leaf
	run $timer calls=once+often "$target" --times=7
	is "$(total calls=once+often)" 14 "$timer: two functions in one"
	run $timer calls=leaf:100 "$target" --times=1000 --threads=0 \
		--children=0
	is "$("$cpprof" export --format=folded "$data" |
		awk '{ n += $NF } END { print n }')" 110 \
		"$timer: every hundredth call"
done

# Fewer samples do not make a probe cheaper: no interval is the way out.
"$cpprof" run -r calls=leaf -o "$data" -- "$target" --times=2500 --threads=0 \
	--children=0 >"$truth" 2>"$tmp/err"
like "$(cat "$tmp/err")" \
	'calls=leaf: each of 27500 calls took a trap, whatever the interval' \
	"what many calls cost is told"
unlike "$(cat "$tmp/err")" 'this takes fewer' "... and no interval for it"

# Five functions are more than breakpoints; what another program is has to be
# named by its path, and is found wherever it runs.
if [ "$timers" != per-task ]; then
	"$cpprof" run -q -r calls=leaf+once+often+even+odd -o "$data" -- \
		"$target" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "more than four functions: uprobes serve"
	run auto "calls=$target:leaf" sh -c "'$target'; exec '$target'"
	is "$(total "calls=$target:leaf")" 286 "a program that it runs, twice"
else
	skip 3 "no uprobes here: this user is not root"
fi
# a hypervisor may lose a breakpoint's reason, and the program gets a SIGTRAP
run auto calls=leaf "$target"
first="per-task breakpoint"
[ "$timers" = per-task ] || ! grep -qw hypervisor /proc/cpuinfo ||
	first="per-CPU uprobe"
like "$("$cpprof" info "$data")" "$first" "the best of the two comes first: $first"
# What the target execs is another program, for breakpoints; in a child that it
# forks and in one that shares its memory they go on.
run per-task calls=main "$target"
unlike "$("$cpprof" info "$data")" "exec" "one program alone: no word of others"
if cc=$(command -v gcc || command -v cc); then
	cat >"$tmp/again.c" <<'END'
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
volatile int n;
__attribute__((noinline, noclone)) void work(void) { n++; }
int main(int argc, char **argv)
{
	int left = atoi(argv[1]);
	char next[2] = {(char)('0' + left - 1), 0};
	char *args[] = {argv[0], next, NULL};
	pid_t pid;

	for (int i = 0; i < 10; i++)
		work();
	if (left == 1 && !posix_spawn(&pid, argv[0], NULL, NULL, args, environ))
		waitpid(pid, NULL, 0);
	if (left == 2)
		execv(argv[0], args);
	pid = vfork();
	if (pid == 0) {
		work();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return argc != 2;
}
END
	for how in -pie -no-pie -static; do
		if ! $cc -O1 $how -o "$tmp/again" "$tmp/again.c" 2>/dev/null; then
			skip 5 "no $how programs"
			continue
		fi
		run per-task calls=work "$tmp/again" 0
		is "$(total calls=work)" 11 "$how: vfork's child counts"
		"$cpprof" run --timer=per-task -r calls=work -o "$data" -- \
			"$tmp/again" 2 2>"$tmp/err"
		is "$(total calls=work)" 10 "$how: up to the exec"
		like "$(cat "$tmp/err")" "not counted after an exec \(2\)" \
			"$how: the end says so"
		like "$("$cpprof" info "$data")" \
			"became another program 2 times" "$how: and so does info"
	done
	[ "$timers" = per-task ] || {
		run per-cpu calls=work "$tmp/again" 2
		is "$(total calls=work)" 32 "uprobes count behind an exec, too"
	}
else
	skip 15 "no C compiler here"
fi

# Attached: threads and children that are there, also one at another address.
if [ -n "$cc" ]; then
	cat >"$tmp/there.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
volatile int n;
__attribute__((noinline, noclone)) void work(void) { n++; }
static void *loop(void *arg)
{
	for (int i = 0; i < 1000000; i++) {
		work();
		usleep(1000);
	}
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc == 1 && fork() == 0)
		execl(argv[0], argv[0], "child", NULL);
	pthread_create(&thread, NULL, loop, NULL);
	if (argc == 1)
		puts("there");
	fflush(stdout);
	loop(NULL);
	return 0;
}
END
	$cc -O1 -pthread -o "$tmp/there" "$tmp/there.c"
	"$tmp/there" >"$tmp/said" &
	pid=$!
	# both of them, each with its two threads
	i=0
	until [ -s "$tmp/said" ] && child=$(cat /proc/$pid/task/$pid/children) &&
		[ "$(ls /proc/$pid/task /proc/${child% }/task | wc -l)" = 7 ] ||
		[ $((i += 1)) -gt 400 ]; do sleep 0.05; done
	for timer in $timers; do
		"$cpprof" attach -q --children --duration=500ms \
			--timer=$timer -r calls=work:1 -o "$data" $pid \
			2>"$tmp/err"
		is "$?:$(cat "$tmp/err")" 0: "$timer: attached to a process and its child"
		"$cpprof" export --format=folded "$data" >"$folded"
		is "$(awk '!/;loop;work [0-9]*$/' "$folded")" "" \
			"$timer: every call at its place"
		is "$("$cpprof" info "$data" |
			grep -c "there (.*).*, 2 threads")" 2 \
			"$timer: two threads in each"
	done
	kill $(cat /proc/$pid/task/$pid/children) $pid
	wait $pid 2>/dev/null
else
	skip 3 "no C compiler here"
fi

# Stop timers beside breakpoints: the target stays traced behind its exec.
"$cpprof" run -q -r calls=leaf,syscalls=clone3+clone:1 -o "$data" -- \
	"$target" --truth >"$truth" 2>"$tmp/err"
is "$?:$(cat "$tmp/err")" 0: "calls and system calls in one run"
timer=auto
exactly calls=leaf
"$top_builddir/t/lib/refuse" EPERM bpf "$cpprof" run -q \
	-r calls=leaf,syscalls=clone3+clone:1 -o "$data" -- \
	"$target" --truth >"$truth" 2>"$tmp/err"
is "$?:$(cat "$tmp/err")" 0: "the same where the system calls need ptrace"
exactly calls=leaf
is "$(total syscalls=clone3+clone)" 6 "... and are counted"

# Registers that others have.
"$target" --times=100000000000 --depth=1 >/dev/null &
pid=$!
i=0
until [ "/proc/$pid/exe" -ef "$target" ] || [ $((i += 1)) -gt 600 ]; do
	sleep 0.05
done
"$cpprof" attach --timer=per-task -r calls=leaf+once+often:1000000 \
	-o "$tmp/first" $pid 2>/dev/null &
first=$!
i=0
until [ -e "$tmp/first" ] || [ $((i += 1)) -gt 600 ]; do sleep 0.05; done
"$cpprof" attach -q --timer=per-task --duration=1s -r calls=even+odd \
	-o "$data" $pid 2>"$tmp/err"
is "$?:$(wc -l <"$tmp/err")" 1:2 "no free register: an error in two lines"
like "$(cat "$tmp/err")" "four are free" "... why"
like "$(cat "$tmp/err")" "^hint: .*debugger" "... and the way out"
if [ "$timers" = per-task ]; then
	skip 3 "no uprobes here: this user is not root"
else
	"$cpprof" attach --duration=500ms -r calls=even+odd:1000 -o "$data" \
		$pid 2>"$tmp/err"
	is $? 0 "... but uprobes can take over by themselves"
	like "$(cat "$tmp/err")" "even.odd: others have .*by uprobes" \
		"... with a word"
	like "$("$cpprof" info "$data")" "per-CPU uprobe" "... which info repeats"
fi
kill -INT $first
wait $first
is "$(kill -0 $pid && echo there)" there "... the process goes on"
kill $pid
wait $pid 2>/dev/null

# No harm.  The system calls of cpprof when it seizes the target, when it waits
# for its exec and at that exec: killed there, it leaves the target running.
refuse=$top_builddir/t/lib/refuse
victim=$top_builddir/t/live/target/monitor_target
for call in ptrace waitid wait4; do
	rm -f "$tmp/said"
	"$refuse" KILL $call "$cpprof" run -q --timer=per-task -o "$data" -r calls=main -- \
		"$victim" count 20 >"$tmp/said" 2>"$tmp/err"
	status=$?
	if [ $status = 77 ]; then
		skip 2 "no seccomp filters"
		continue
	fi
	is $status 159 "killed in $call"
	i=0
	until grep -q counted "$tmp/said" || [ $((i += 1)) -gt 400 ]; do
		sleep 0.05
	done
	grep -q counted "$tmp/said"
	ok $? "... the target runs to its end"
done
for status in 0 42 255; do
	run_status=$("$cpprof" run -q -r calls=main -o "$data" -- \
		"$victim" exit $status; echo $?)
	is "$run_status" $status "exit $status"
done
"$cpprof" run -q -r calls=main -o "$data" -- "$victim" signal 15
is $? 143 "ended by a signal"
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 \
"$refuse" EPERM ptrace "$cpprof" run -q --timer=per-task -r calls=leaf \
	-o "$data" -- "$target" 2>"$tmp/err"
is "$?:$(wc -l <"$tmp/err")" 125:2 "no ptrace: an error in two lines"
"$refuse" EPERM perf_event_open "$cpprof" run -q -r calls=leaf \
	-o "$data" -- "$target" 2>"$tmp/err"
is "$?:$(wc -l <"$tmp/err")" 125:2 "no perf_event_open: an error in two lines"

# A library's function, against callgrind: it too counts calls, of a program
# that does the same each time.
sql='with recursive c(x) as (select 1 union all select x+1 from c where x<99)
	select count(*) from c;'
calls_of() { # FUNCTION: in a file of callgrind, by its cfn= and calls= lines
	awk -v wanted="$1" '
	/^c?fn=/ {
		text = $0
		sub(/^c?fn=/, "", text)
		id = name = text
		sub(/ .*/, "", id)
		sub(/^\([0-9]+\) ?/, "", name)
		if (name != "")
			known[id] = name
		now = known[id]
		sub(/\047.*/, "", now)
	}
	/^calls=/ && now == wanted {
		sub(/calls=/, "", $1)
		n += $1
	}
	END { print n + 0 }' "$tmp/callgrind"
}
if command -v valgrind >/dev/null && valgrind --tool=callgrind -q \
	--callgrind-out-file="$tmp/callgrind" \
	"$samples/process_db" --records=8192 >/dev/null 2>&1; then
	run auto calls=visit:10,calls=compare_names:7,calls=add_to_customer \
		"$samples/process_db" --records=8192
	for function in visit compare_names add_to_customer; do
		is "$(total calls=$function)" "$(calls_of $function)" \
			"process_db: $function, as callgrind counts"
	done
else
	skip 4 "no callgrind here"
fi
if [ "$timers" != per-task ] && command -v sqlite3 >/dev/null &&
	command -v valgrind >/dev/null && valgrind --tool=callgrind -q \
		--callgrind-out-file="$tmp/callgrind" \
		sqlite3 :memory: "$sql" >/dev/null 2>&1; then
	for function in malloc free realloc; do
		run auto calls=libc.so.6:$function:1 sqlite3 :memory: "$sql"
		is "$(total calls=libc.so.6:$function)" \
			"$(calls_of $function)" "$function, as callgrind counts"
	done
	run auto calls=malloc sqlite3 :memory: "$sql"
	is "$(total calls=malloc)" "$(calls_of malloc)" \
		"a function the program itself has not is its library's"
	run auto calls=libsqlite3:sqlite3_step sqlite3 :memory: "$sql"
	is "$(total calls=libsqlite3:sqlite3_step)" \
		"$(calls_of sqlite3_step)" "a library by its stem"
else
	skip 10 "no uprobes, no sqlite3 or no callgrind here"
fi

# A function that is chosen when the program starts.
if [ "$timers" != per-task ]; then
	"$cpprof" run -q -r calls=libc.so.6:strlen -o "$data" -- ls / \
		>/dev/null 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "strlen, an IFUNC, is found"
	like "$("$cpprof" export --format=folded "$data" | head -n 1)" strlen \
		"... and called"
else
	skip 2 "no uprobes here"
fi

# Names that compilers make: clones, inlining, C++.
cat >"$tmp/clones.c" <<'END'
#include <stdio.h>
volatile int sink;
__attribute__((noinline, noclone)) static int kept(int x) { return x + sink; }
static inline int folded(int x) { return x * 3 + sink; }
__attribute__((noinline)) static int copied(int x, int how)
{
	for (int i = 0; i < how; i++)
		sink += x;
	return sink;
}
int outside(int x) { return folded(x) + 1; }
int variable = 1;
int main(void)
{
	for (int i = 0; i < 10; i++)
		sink = kept(i) + folded(i) + copied(i, 3) + outside(i);
	return 0;
}
END
cat >"$tmp/names.cc" <<'END'
volatile int sink;
namespace ns {
struct C { __attribute__((noinline)) int get(int x) { return x + sink; } };
__attribute__((noinline)) int f(int x) { return x + sink; }
__attribute__((noinline)) int f(char x) { return x - sink; }
template <class T> __attribute__((noinline)) T g(T x) { sink++; return x; }
}
int main()
{
	ns::C c;
	for (int i = 0; i < 10; i++)
		sink = c.get(i) + ns::f(i) + ns::f('a') + ns::g(i) + ns::g('b');
}
END
if gcc -O2 -g -o "$tmp/clones" "$tmp/clones.c" 2>/dev/null; then
	run auto calls=kept,calls=copied,calls=outside "$tmp/clones"
	is "$(total calls=kept) $(total calls=copied)" "10 10" \
		"a static function, and one whose copies are called"
	"$cpprof" run -r calls=outside -o "$data" -- "$tmp/clones" 2>"$tmp/err"
	like "$(cat "$tmp/err")" "outside: inlined in places" \
		"calls that were inlined are told of"
	"$cpprof" run -r calls=kept -o "$data" -- "$tmp/clones" 2>"$tmp/err"
	unlike "$(cat "$tmp/err")" "inlined" "... and only those"
	for wrong in folded:inlined folded:inline.never variable:variable kep:"'kept'"; do
		"$cpprof" run -r calls=${wrong%:*} -o "$data" -- "$tmp/clones" \
			2>"$tmp/err"
		is "$?:$(wc -l <"$tmp/err")" 125:2 "${wrong%:*}: an error"
		like "$(cat "$tmp/err")" "${wrong#*:}" "${wrong%:*}: why"
	done
else
	skip 13 "no gcc here"
fi
# Symbols from elsewhere: a separate debug file, .gnu_debugdata.
if [ -x "$tmp/clones" ] && command -v objcopy >/dev/null &&
	command -v xz >/dev/null; then
	cd "$tmp" || exit 99
	objcopy --only-keep-debug clones clones.debug
	strip -o linked clones
	objcopy --add-gnu-debuglink=clones.debug linked
	strip -o bare clones
	objcopy --strip-debug clones.debug mini
	xz -kf mini
	objcopy --add-section .gnu_debugdata=mini.xz bare small
	run auto calls=kept "$tmp/linked"
	is "$(total calls=kept)" 10 "symbols of a debug file"
	rm clones.debug
	run auto calls=kept "$tmp/small"
	is "$(total calls=kept)" 10 "symbols of .gnu_debugdata"
	"$cpprof" run -q -r calls=kept -o "$data" -- "$tmp/bare" 2>"$tmp/err"
	like "$(cat "$tmp/err")" "^hint: bare is stripped: its debug package" \
		"neither: what would bring them"
	cd "$top_srcdir" || exit 99
else
	skip 5 "no gcc, objcopy or xz here"
fi
if g++ -O1 -o "$tmp/names" "$tmp/names.cc" 2>/dev/null; then
	run auto 'calls=ns::f,calls=ns::f(int):1,calls=ns::C::get' "$tmp/names"
	is "$(total 'calls=ns::f') $(total 'calls=ns::f(int)') $(
		total 'calls=ns::C::get')" "20 10 10" \
		"C++: all overloads, one of them, a member"
	run auto 'calls=ns::g,calls=ns::g<int>,calls=_ZN2ns1fEc' "$tmp/names"
	is "$(total 'calls=ns::g') $(total 'calls=ns::g<int>') $(
		total calls=_ZN2ns1fEc)" "20 10 10" \
		"C++: all instances, one of them, a linkage name"
else
	skip 4 "no g++ here"
fi

# A wrong name, before anything has run.
error calls=nosuch "no such function in .*sh" "calls=/PATH/TO/PROGRAM:" "no such name"
error calls=nolib:f "no such library" "loads .*libc" "no such library"
error calls=+f "which function" "calls=f" "half a list"
if /sbin/ldconfig -p 2>/dev/null | grep -q 'libz\.so.*x86-64'; then
	"$cpprof" run -r calls=libz:crc32 -o "$data" -- true 2>"$tmp/err"
	like "$(cat "$tmp/err")" "no samples: true used 0 calls" \
		"a library that the program does not load by itself"
else
	skip 1 "no ldconfig that knows libz"
fi
"$cpprof" run -q -r cpu,calls=libc.so.6:reallocarray -o "$data" -- \
	"$target" >"$truth" 2>"$tmp/err"
like "$("$cpprof" report -r calls=libc.so.6:reallocarray "$data" 2>&1)" \
	"no samples: the program used none of it" \
	"... which is not taken for what malloc gave"
"$cpprof" run -q -r calls=leaf -o "$data" -- "$tmp/nothing" 2>"$tmp/err"
is $? 127 "no such program: as ever"

# A script is run by its interpreter, which is not content with it here.
printf '#!%s\n' "$target" >"$tmp/script"
chmod +x "$tmp/script"
"$cpprof" run -q -r calls=main -o "$data" -- "$tmp/script" 2>"$tmp/err"
is "$?:$(total calls=main)" 2:1 "a script's functions are its interpreter's"

# A 32-bit program: its functions are not looked for.  It needs no library.
printf '.globl _start\n_start: mov $1, %%eax\nxor %%ebx, %%ebx\nint $0x80\n' \
	>"$tmp/small.s"
if [ -n "$cc" ] && $cc -m32 -nostdlib -static -o "$tmp/small" "$tmp/small.s" \
	2>/dev/null; then
	for r in calls=_start allocations; do
		"$cpprof" run -q -r $r -o "$data" -- "$tmp/small" 2>"$tmp/err"
		is "$?:$(wc -l <"$tmp/err")" 125:2 "32 bits: $r: an error"
		like "$(cat "$tmp/err")" \
			"small: not of x86-64|not permitted|libbpf" "... why"
	done
else
	skip 4 "no 32-bit programs here"
fi

# Without privilege: the same by breakpoints, an error for what needs uprobes.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	user() {
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	}
	mkdir "$tmp/user" && chmod 777 "$tmp/user"
	data=$tmp/user/data timer=user
	if user "$cpprof" run -q -r calls=leaf,calls=deep -o "$data" -- \
		"$target" --truth >"$truth" 2>"$tmp/err"; then
		exactly calls=leaf calls=deep
		told=$(user "$cpprof" run -r calls=leaf -o "$data" -- "$target" \
			2>&1 | grep -c SIGTRAP)
		is "$told" "$(grep -qw hypervisor /proc/cpuinfo; echo $((!$?)))" \
			"a virtual machine: what it may cost the program is told"
		user "$cpprof" run -q -r calls=malloc -o "$data" -- "$target" \
			2>"$tmp/err"
		is "$?:$(wc -l <"$tmp/err")" 125:2 "a library's: an error"
		like "$(cat "$tmp/err")" "outside of the program" "... why"
		like "$(cat "$tmp/err")" "^hint: .*(as root|libbpf)" "... the way out"
		user --inh-caps=+bpf,+perfmon --ambient-caps=+bpf,+perfmon \
			"$cpprof" run -q -r calls=malloc -o "$data" -- \
			"$target" 2>"$tmp/err"
		like "$?:$(cat "$tmp/err")" "^(0:$|125:.*not permitted|125:.*libbpf)" \
			"the capabilities of other per-CPU timers may be too few"
		cp "$target" "$tmp/set-uid"
		chown 65533 "$tmp/set-uid"
		chmod 4755 "$tmp/set-uid"
		user "$cpprof" run -q -r calls=leaf -o "$data" -- \
			"$tmp/set-uid" 2>"$tmp/err"
		is "$?:$(wc -l <"$tmp/err")" 125:2 "set-uid: an error"
		like "$(cat "$tmp/err")" "gains privilege.*" "... why"
		like "$(user "$cpprof" resources calls)" \
			"per-task breakpoint" "breakpoints for everybody"
	else
		skip 10 "another user cannot: $(cat "$tmp/err")"
	fi
	data=$tmp/data
else
	skip 10 "not root, or no setpriv"
fi

# What the probes take is [probes] and not the functions', cpu beside them: the
# program's own time is what its clock says.
# body FUNCTIONS [RESOURCE]: the hits of cpu, or that, in their bodies
body() {
	"$cpprof" export --format=folded --resource="${2:-cpu}" "$data" |
		awk -v f="^($1)\$" '{ n = split($1, path, ";")
			if (path[n] ~ f) sum += $NF }
			END { print sum + 0 }'
}
rounds=4000
"$cpprof" run -q -r cpu:200us -o "$data" -- \
	"$top_builddir/t/live/target/monitor_target" probed $rounds >/dev/null
is "$(of cpu probes)" 0 "without probes nothing is [probes]"
# beside RESOURCE TIMER ROUNDS...: a clock beside that resource; the program is
# told what to do for how many rounds, and tells how long its work took
beside() {
	title="cpu beside $1, $2"
	"$cpprof" run -q --timer="$2" -r "cpu:200us,$1" -o "$data" -- \
		"$top_builddir/t/live/target/monitor_target" "$3" "$4" \
		>"$truth" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "$title"
	total=$(of cpu total) work=$(cat "$truth")
	# five times what chance makes of so many samples, and a tenth
	by=$(awk -v work="$work" -v each="$(each cpu)" 'BEGIN {
		print int(5 * sqrt(work * 200 * each) + work / 10) }')
	within $((200 * $(body unprobed_work))) $((work - by)) \
		$((work + by)) "... its own work takes what it says"
	within $((100 * $(of cpu probes) / total)) 1 99 "... [probes] has it"
	unlike "$("$cpprof" report -r cpu "$data")" 'more in samples than|unaccounted' \
		"... and the books balance"
	like "$("$cpprof" report --format=paper -B -r cpu "$data")" '^0\.[0-9]+ \[probes\]' \
		"... told in the profile"
}
# little PROBED: in that last run it takes next to nothing
little() {
	within $((100 * 200 * $(body "$1") / total)) 0 10 \
		"$title: what is probed takes next to nothing"
}
for timer in $timers; do
	beside calls=probed_leaf:1000 $timer probed $rounds
	little probed_leaf
done
if [ "$timers" = per-task ]; then
	skip 32 "no uprobes for this user"
else
	beside calls=libc.so.6:malloc:1000 per-cpu probed $rounds
	little '.*malloc'
	# shares in advice are those of reports; what is said of the kernel is the
	# program's own
	own=$(($(of cpu weight) + $(of cpu lost) + $(of cpu unsampled) + $(of cpu probes)))
	within "$("$cpprof" advise --format=csv "$data" |
		awk -F, '/unprobed_work",/ { print int(1000 * $4) }')" \
		$((1000 * 200 * $(body unprobed_work) / own - 2)) \
		$((1000 * 200 * $(body unprobed_work) / own + 2)) \
		"advice has the shares of reports"
	"$cpprof" run -q -r cpu,allocations -o "$data" -- \
		"$top_builddir/t/live/target/monitor_target" asks 300000 100 \
		2>"$tmp/err"
	unlike "$("$cpprof" report "$data")$(cat "$tmp/err")" \
		"CPU time is the kernel's" "... and the summary"
	# the trap behind a return's copy has the caller's registers
	beside calls=probed_return:1000 per-cpu probed $rounds
	little 'do_probed|probed_return'
	beside calls=probed_no_op:1000 per-cpu probed $rounds
	little '.*uprobes.*|probed_no_op'
	# nor does it wait in line for a processor: that is the probes' doing
	# where they took the time in which it lost it
	one=$(sed -n 's/^Cpus_allowed_list:\t\([0-9]*\).*/\1/p' /proc/self/status)
	probed=$top_builddir/t/live/target/monitor_target:probed_leaf
	taskset -c "$one" sh -c 'while :; do :; done' &
	neighbour=$!
	"$cpprof" run -q --timer=per-cpu -o "$data" \
		-r "real:200us,switches=involuntary,calls=$probed:1000" -- \
		taskset -c "$one" "${probed%:*}" probed $rounds \
		>/dev/null 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "waits and switches beside a neighbour"
	kill $neighbour
	wait $neighbour 2>/dev/null
	for r in real switches=involuntary; do
		within $((4 * $(body probed_leaf $r) * $(of $r interval))) 0 \
			"$(of $r probes)" "... $r: they are not the function's"
	done
	# another run's probes are in this program, too: it is at one, or behind
	# it, in each of its stacks
	timeout 60 "$cpprof" run -q -o "$tmp/other" \
		-r "calls=${probed%:*}:probed_test:1000" -- \
		sh -c 'echo >"$1"; exec sleep 60' - "$tmp/started" &
	other=$!
	until [ -s "$tmp/started" ] || [ $((i += 1)) -gt 600 ]; do sleep 0.05; done
	"$cpprof" run -q -r cpu:200us -o "$data" -- "${probed%:*}" probed $rounds \
		>/dev/null 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "a program beside another run's probes"
	kill $other
	wait $other 2>/dev/null
	within "$(body '\[uprobes\].*')" 20 1000000 "... it is at them"
	is "$("$cpprof" export --format=folded "$data" |
		grep -c '\[truncated\];\[uprobes\]')" 0 "... and its stacks are whole"
	like "$("$cpprof" report "$data")" "in .uprobes.: at probes of another" \
		"... which is no generated code"
	# while a sample of an event is made no clock ticks, or late
	beside pagefaults:1 per-cpu faults 300
fi

done_testing
