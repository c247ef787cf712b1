#!/bin/sh
# Python's own functions in the samples of per-CPU and stop timers: each stack as the
# program itself says it is, on every Python here whose frames are known
# (PYTHONS=...: on others, too).
. "$(dirname "$0")/../../lib/lib.sh"

"$cpprof" run -q -r syscalls=getppid:1 -o "$tmp/data" -- true 2>"$tmp/err" ||
	skip_all "$(head -n 1 "$tmp/err")"
kind=stop
! "$cpprof" info "$tmp/data" | grep -q 'per-CPU' || kind=kernel
needs python3
cd "$tmp" || exit 99
target=$top_srcdir/t/live/target
compare=$(python3 -c 'import sys; print(sys.executable)') || skip_all "no python3"

# compares PYTHON TIMER [greenlets]: sets right torn early other, unless samples were lost or the
# monitor, where others keep it from running, learnt late that this is Python
compares() {
	rm -f log
	timeout -k 5 120 "$cpprof" run -q --timer="$2" -r syscalls=getppid:1 -o data -- \
		"$1" "$target/python_calls.py" log 400 $3 >out 2>&1 || return 1
	"$cpprof" export -f perf-script -o script data &&
		! grep -q '^# resource.* lost' script &&
		! "$cpprof" info data | grep -q 'alone: of [1-9]' || return 1
	"$compare" "$target/python_compare.py" log <script >got
	read -r right torn early other <<-END
	$(grep -v '^#' got)
	END
	[ "$((20 * early))" -le "$(wc -l <log)" ]
}

# holds PYTHON TIMER [greenlets]
holds() {
	version=$("$1" -c 'import sys
print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null)
	case $version in
	3.1[1-5].*) ;;
	*)
		skip 3 "$1 is ${version:-none}"
		return
		;;
	esac
	compares "$@" || compares "$@" || compares "$@" || {
		sed 's/^/# /' out
		skip 3 "Python $version, $2: samples were lost, or the monitor was late"
		return
	}
	grep '^#' got
	version=$version${3:+ with $3}
	echo "# Python $version, $2: $right right, $torn truncated, $early before it" \
		"was known, $other other"
	is "$other" 0 "Python $version, $2: no stack has others than its frames and lines"
	[ "$((20 * torn))" -le "$(wc -l <log)" ] && grep -q "${3:+:switched}" log
	ok $? "... and nearly all have all of them"
	is "$("$cpprof" info data | grep -c 'native frames alone')" 0 \
		"... and none was lost"
}

# A thread is in several interpreters at once; each has a list of its frames.
cat >several.py <<'END'
try:
    import _interpreters as interpreters
    enter = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    enter = interpreters.run_string
text = """
import os
def inner(n):
    for i in range(n):
        os.getppid()
inner(%d)
"""
def outer(n):
    import os
    number = interpreters.create()
    enter(number, text % n)
    os.getppid()
    interpreters.destroy(number)
for n in range(1, 4):
    outer(n)
END

# enters PYTHON TIMER
enters() {
	if ! "$1" several.py >/dev/null 2>&1; then
		skip 1 "$1: no interpreters in an interpreter"
		return
	fi
	"$cpprof" run -q --timer="$2" -r syscalls=getppid:1 -o data -- "$1" several.py \
		>out 2>&1
	is "$("$cpprof" export -f perf-script data | awk '/^\t.*(several\.py|\(<.*>)\)$/ {
			sub(/\+.*/, "", $2); chain = chain " " $2 }
		/^$/ { if (chain) print chain; chain = "" }')" "\
$(for n in 1 2 3; do
		for i in $(seq $n); do
			echo " inner <module> outer <module>"
		done
		echo " outer <module>"
	done)" "$1, $2: the frames of each interpreter that a thread is in"
}

for python in "$compare" ${PYTHONS:-}; do
	holds "$python" stop
	enters "$python" stop
	[ $kind = stop ] || holds "$python" kernel
	[ $kind = stop ] || enters "$python" kernel
done

# Files of one name, and scripts of two.
for package in one two; do
	mkdir -p pack/$package
	printf 'import os\ndef work(n):\n    for i in range(n):\n        os.getppid()\n' \
		>pack/$package/__init__.py
done
printf 'from pack import one, two\none.work(%d)\ntwo.work(7)\n' 10 >before.py
sed 's/10/40/' before.py >after.py
for script in before after; do
	"$cpprof" run -q --timer=stop -r syscalls=getppid:1 -o $script.data -- \
		"$compare" $script.py >out 2>&1
done
if "$cpprof" export -f folded before.data | grep -q work; then
	like "$("$cpprof" report -F before.data)" ' one/__init__\.py!work ' \
		"of files of one name the folders tell that differ"
	is "$("$cpprof" report --down='two/__init__.py!work' -f csv before.data |
		grep -c '"work",.*,7,')" 1 "... which is asked for so"
	like "$("$cpprof" diff before.data after.data)" \
		'^before\.py before and after\.py after are compared as one program$' \
		"scripts of two names are compared as one"
	is "$("$cpprof" diff --root='<module>' -f csv before.data after.data |
		sed -n 's/^path,"<module>;work[^"]*",//p' | cut -d , -f 1-3)" \
		"10,40,30" "... with their functions, and packages apart"
	printf 'import os\ndef main():\n    for i in range(%d):\n        os.getppid()\nmain()\n' \
		10 >main1.py
	sed 's/10/40/' main1.py >main2.py
	for script in main1 main2; do
		"$cpprof" run -q --timer=stop -r syscalls=getppid:1 -o $script.data -- \
			"$compare" $script.py >out 2>&1
	done
	like "$("$cpprof" diff main1.data main2.data)" \
		'^ +10 +40 +\+30 .* main[12]\.py!main > ' \
		"where script and interpreter have a main, paths begin at the interpreter's"
else
	skip 5 "the frames of $compare are not known"
fi

# Greenlets take turns on a part of one C stack, and what is outside of it there is
# another's.
for python in "$compare" /usr/bin/python3 none; do
	! "$python" -c 'import greenlet' 2>/dev/null || break
done
if [ "$python" != none ]; then
	holds "$python" stop greenlets
	[ $kind = stop ] || holds "$python" kernel greenlets
else
	skip 3 "no greenlet"
fi

# Tables of lines without columns.
PYTHONNODEBUGRANGES=1
export PYTHONNODEBUGRANGES
holds "$compare" stop
unset PYTHONNODEBUGRANGES

# What users see: the functions by name, module and line; the interpreter's frames
# between them fold.
cat >app.py <<'END'
class Work:
    def heavy(self, n):
        total = 0
        for i in range(n):
            total += i * i % 7
        return total


def handle(work):
    return sum(map(work.heavy, [20000] * 5))


def main():
    for i in range(60):
        handle(Work())


main()
END
"$cpprof" run -q --timer=$kind -r cpu -o data -- "$compare" app.py >out 2>&1
like "$("$cpprof" report --function data)" ' Work\.heavy +app\.py:2$' \
	"a function with its class, and where it begins"
like "$("$cpprof" report --form=list --up='app.py!Work.heavy' data 2>&1)" \
	'<module> > (app\.py!)?main > handle > ([^>]*sum.* > )?Work\.heavy' \
	"callers, without the interpreter's frames"
like "$("$cpprof" report --form=list --up='app.py!Work.heavy' --sites data 2>&1)" \
	'main:app\.py:[0-9]+ > handle:app\.py:[0-9]+ > Work\.heavy$' "... and where they call"
like "$("$cpprof" report --only='*.py!*' --function data)" \
	'[1-9][0-9.]* % +Work\.heavy ' "the pure Python profile"
like "$("$cpprof" list 'app.py!Work.heavy' data)" \
	'[1-9][0-9.]* %\?? +5 .*total \+= i \* i % 7' "its lines with their cost"
is "$("$cpprof" export -f perf-script data | awk '/^[^\t#]/ { chain = "" }
	/\/app\.py\)$/ { name = $2; sub(/\+0x.*/, "", name); sub(/.*!/, "", name)
		chain = chain " " name }
	/\[truncated\]/ { chain = "" }
	/^$/ && chain !~ /^(( Work\.heavy)? handle)?( main)? <module>$|^( Work <module>)?$/ { print chain }' |
	sort -u)" "" "none has other callers than the program's"
like "$("$cpprof" list --asm 'app.py!Work.heavy' data 2>&1)" 'it has no instructions$' \
	"... which is all that there is"
weight=$("$cpprof" report --function -f csv data |
	sed -n 's/^function,"cpu","Work\.heavy",[^,]*,[^,]*,\([0-9]*\),.*/\1/p')
is "$("$cpprof" report --function --window=0s..1000s -f csv data |
	sed -n 's/^function,"cpu","Work\.heavy",[^,]*,[^,]*,\([0-9]*\),.*/\1/p')" \
	"$weight" "a window that is the whole run has as much of it"
is "$("$cpprof" export -f perf-script data | awk '/^[^\t#]/ { all += w; w = 0
		for (i = 1; i <= NF; i++) if ($i == "cpu:") w0 = $(i - 1) }
	/Work\.heavy/ { w = w0 } END { print all + w }')" \
	"$weight" "... and so have the samples, one by one"
is "$("$cpprof" report data | grep -c 'functions here')" 0 \
	"nothing is said of how to see them"

# A wait, in which the thread has given the lock of the interpreter away.
cat >naps.py <<'END'
import threading
import time


def nap():
    for i in range(20):
        time.sleep(0.01)


thread = threading.Thread(target=nap)
thread.start()
thread.join()
END
"$cpprof" run -q --timer=$kind -r blocked:1ms -o data -- "$compare" naps.py >out 2>&1
like "$("$cpprof" report -r blocked --function data)" ' nap +naps\.py:5$' \
	"a thread that waits without the lock"
is "$("$cpprof" report -r blocked --function --no-fold data | grep -c ' Thread\.run ') \
$("$cpprof" report -r blocked --function data | grep -c ' Thread\.run ')" "1 0" \
	"what of Python's library only calls folds"

# Coroutines that have waited, and go on from the event loop.
cat >tasks.py <<'END'
import asyncio
import os


async def leaf():
    await asyncio.sleep(0.001)
    os.getppid()


async def inner():
    await leaf()


async def job():
    await inner()


async def main():
    await asyncio.gather(job(), job())


asyncio.run(main())
END
if "$compare" -c 'import asyncio' 2>/dev/null; then
	"$cpprof" run -q --timer=$kind -r syscalls=getppid:1 -o data -- "$compare" tasks.py \
		>out 2>&1
	is "$("$cpprof" export -f perf-script data | awk '/^[^\t#]/ { chain = "" }
		/\/(tasks|events)\.py\)$/ { sub(/\+.*/, "", $2); sub(/.*!/, "", $2)
			chain = chain " " $2 }
		/^$/ && chain ~ /leaf/ { print chain }' | cut -d" " -f1-5)" \
		" leaf inner job Handle._run
 leaf inner job Handle._run" "a coroutine is called by what awaits it, up to its task"
else
	skip 1 "no asyncio"
fi

# Code that comes and goes at one address, with the same lines.
cat >made.py <<'END'
text = "import os\ndef %s():\n    os.getppid()\n%s()\ndel %s\n"
for i in range(40):
    for file, name in ("in%d.py" % i, "same"), ("same.py", "named%d" % i):
        exec(compile(text % (name, name, name), file, "exec"), {})
END
"$cpprof" run -q --timer=$kind -r syscalls=getppid:1 -o data -- "$compare" made.py >out 2>&1
"$cpprof" export -f perf-script -o script data
is "$(grep -Eo ' same\+0x[^ ]+ \(.*in[0-9]+\.py| named[0-9]+\+0x[^ ]+ \(.*same\.py' \
	script | sort -u | wc -l)" 80 "each code object has its own name and file"

# A stack that is told in several parts.
cat >deep.py <<'END'
import os


def down(n):
    if n:
        down(n - 1)
    else:
        os.getppid()


for i in range(3):
    down(900)
END
"$cpprof" run -q --timer=$kind -r syscalls=getppid:1 -o data -- "$compare" deep.py >out 2>&1
"$cpprof" export -f perf-script -o script data
is "$(grep -c ' down+0x' script)" $((3 * 901)) "all frames of a deep recursion"

# Per-CPU timers tell the innermost 1100; what is outside of them is not known.
cat >deeper.py <<'END'
import os
import sys


def down(n):
    if n:
        down(n - 1)
    else:
        os.getppid()


sys.setrecursionlimit(9999)
for i in range(3):
    down(2000)
END
"$cpprof" run -q --timer=$kind -r syscalls=getppid:1 -o data -- "$compare" deeper.py >out 2>&1
is "$("$cpprof" export -f perf-script data | awk '/ getppid/ { n = 0 } / down\+0x/ { n++ }
	/<module>/ || /\[truncated\]/ { last = $2 }
	/^$/ && n { print (n == 2001 && last ~ /^<module>/) ||
		(n > 1000 && last == "[truncated]") }' | tr '\n' ' ')" "1 1 1 " \
	"of a deeper one all, or the innermost under [truncated]"

# A generator that C resumes: until it is the thread's, what the stack has there from
# the time before is nobody's.  (At its own end Python would close the generators, which
# nobody calls then.)
cat >resumed.py <<'END'
import os


def steps():
    while True:
        yield


def inner():
    two(None)


def main():
    for i in range(700000):
        one(None)
        inner()


def begun():
    return steps().send


one = begun()
two = begun()
main()
os._exit(0)
END
"$cpprof" run -q --timer=$kind -r cpu:50us -o data -- "$compare" resumed.py >out 2>&1
is "$("$cpprof" export -f perf-script data | awk '/^[^\t#]/ { chain = "" }
	/\/resumed\.py\)$/ { name = $2; sub(/\+0x.*/, "", name); sub(/.*!/, "", name)
		chain = chain " " name }
	/\[truncated\]/ { chain = "" }
	/^$/ && chain !~ /^(( steps)?( inner)? main|( steps)? begun)? <module>$|^$/ { print chain }' |
	sort | uniq -c)" "" "what a generator's frame is called by is never left out"
alone=$("$cpprof" info data | sed -n \
	's/^ *python: \([0-9]*\) of \([0-9]*\) .* of \([0-9]*\) its own .*/\1 \2 \3/p')
alone=${alone:-0 0 0}
echo "# with native frames alone, of samples in Python, lost: $alone"
(
	set -- $alone
	[ $((1000 * ($1 - $3))) -le $(($2 + 2000)) ]
)
ok $? "... and hardly a sample where the loop begins has native frames alone"

# A stop is short: the frames are read with few calls, and the mappings before it.
cat >stops.py <<'END'
import os

# so many that some lie across the end of a page
made = {}
for i in range(120):
    exec("def down%d(n): return made['down%d'](n - 1) if n else work()"
         % (i, (i + 1) % 120), globals(), made)


def work():
    open("begun", "w").close()
    while not os.path.exists("go"):
        sum(range(10000))
    for i in range(3000):
        sum(range(10000))


made["down0"](400)
END
if [ $kind = kernel ]; then
	rm -f begun go
	"$cpprof" run -q --timer=stop -r cpu:1ms -o data -- "$compare" stops.py \
		>out 2>&1 &
	monitor=$!
	for i in $(seq 600); do
		[ -e begun ] && break
		sleep 0.05
	done
	"$cpprof" attach -q -o stops -r syscalls=ptrace:1,syscalls=process_vm_readv:1 \
		-r syscalls=openat:1 $monitor >out2 2>&1 &
	for i in $(seq 600); do
		[ -s stops ] && break
		sleep 0.05
	done
	sleep 1
	echo >go
	wait
	data=stops
	stops=$(of syscalls=ptrace total) reads=$(of syscalls=process_vm_readv total)
	echo "# $stops requests of ptrace, $reads reads of memory"
	"$cpprof" export -f folded -r syscalls=openat -o opened stops
	if [ "${stops:-0}" -gt 100 ]; then
		[ "$reads" -le $((2 * stops)) ]
		ok $? "401 functions are read with few calls at a stop"
		is "$(grep -c 'poller_stopped.*traced_fresh_maps' opened)" 0 \
			"... and the mappings before it ($(grep -c traced_fresh_maps opened))"
	else
		sed 's/^/# /' out2
		skip 2 "the monitor was hardly seen"
	fi
else
	skip 2 "no per-CPU timers"
fi

# What a run has in the kernel does not depend on it, and a program without Python is
# never looked through for frames.

# listed: whether the monitor has a process listed as Python's
listed() {
	for id in $(sed -n 's/^map_id:[	 ]*//p' /proc/$monitor/fdinfo/* 2>/dev/null |
		sort -u); do
		"$bpftool" map show id "$id" | grep -q ' name interpreters ' &&
			"$bpftool" -j map dump id "$id" | grep -q '"key"' && return
	done
}

# held TRIES COMMAND...: what the monitor of COMMAND, which makes the file begun, has in
# the kernel: how many of each kind, and what is listed at the last of TRIES.  So few
# samples make no ring grow, which takes events of its own
held() {
	tries=$1
	shift
	rm -f begun go
	"$cpprof" run -q --timer=kernel -r cpu:1s,syscalls=getppid,pagefaults:100K,bytes:1G \
		-o data -- "$@" >out 2>&1 &
	monitor=$!
	for i in $(seq 600); do
		[ -e begun ] && break
		sleep 0.05
	done
	for i in $(seq "$tries"); do
		listed && break
		sleep 0.1
	done
	for fd in /proc/$monitor/fd/*; do
		readlink "$fd"
	done 2>/dev/null | grep -E '^anon_inode:.*(bpf|perf_event)' | sort | uniq -c |
		tr -s ' \n' ' '
	echo
	listed && echo "and Python"
	echo >go
	wait $monitor
}

if [ $kind = kernel ] && bpftool=$(PATH=$PATH:/usr/sbin:/sbin command -v bpftool); then
	with=$(held 300 "$compare" -c 'import os, time
open("begun", "w")
while not os.path.exists("go"):
    time.sleep(0.05)')
	without=$(held 3 sh -c 'echo >begun; until [ -e go ]; do sleep 0.05; done')
	like "$without" ' [1-9][0-9]* anon_inode:bpf-prog' "programs of a run without Python"
	is "$with" "$without
and Python" "... as many as with it, which alone is known"
else
	skip 2 "no per-CPU timers or no bpftool"
fi

# What a function waited for stays below it.

cat >waits.py <<'END'
import threading, time
def wait(go):
    go.wait()
go = threading.Event()
thread = threading.Thread(target=wait, args=(go,))
thread.start()
time.sleep(0.5)
go.set()
END
if "$cpprof" run -q -r blocked -o data -- "$compare" waits.py 2>/dev/null; then
	is "$("$cpprof" export -f folded --objects --only='waits.py!wait' data |
		sed -n 's/^\(wait.*\) [0-9]*$/\1/p')" "wait;[futex wait]" \
		"of a wait without other functions the system call stays with its own"
else
	skip 1 "no blocked"
fi

# Others are told, and cost nothing else.

# starts FIRST-WORDS: a program whose _PyRuntime begins with these, under the name of Python
starts() {
	echo "#include <unistd.h>
	__attribute__((section(\".PyRuntime\"))) long _PyRuntime[100] = {$1};
	int main(void) { for (int i = 0; i < 10; i++) getppid(); return 0; }" >old.c
	cc -o python3 old.c 2>/dev/null &&
		"$cpprof" run -q -r syscalls=getppid:1 -o data -- ./python3
}

# told WHAT SAYS FIRST-WORDS
told() {
	starts "$3"
	like "$("$cpprof" report data)" "^$2 has native frames alone: " "$1"
}

cookie=0x7970677562656478 # "xdebugpy"
if command -v cc >/dev/null; then
	told "a Python whose frames are not known" 'Python before 3\.11' 1
	told "... that is newer" 'Python 3\.99' "$cookie, 0x036300f0, 0"
	told "... whose structures are others" 'this build of Python 3\.14' "$cookie, 0x030e00f0, 0"
	starts "$cookie, 0x030e00f0, 1, 0, 0, 40, 0, 0, 8, 72, [24] = 8, 16, 72, 80, 152,
		[32] = 8, 0, 56, 80, 78, 64, 72,
		[40] = 128, 136, 144, 152, 84, [48] = 232, 224"
	is "$("$cpprof" info data | grep -c '  python:')" 0 \
		"... but those of one that has no lock are known"
else
	skip 4 "no cc"
fi

# With -X perf Python has code of its own for each function: once on a stack is enough.
cat >spin.py <<'END'
def spin(n):
    s = 0
    for i in range(n):
        s += i * i % 7
    return s
print(spin(3000000))
END
trampolines=
for python in $PYTHONS python3; do
	"$python" -c 'import sys; sys.exit(not ((3, 12) <= sys.version_info < (3, 16)))' 2>/dev/null &&
		trampolines=$python && break
done
if [ "$trampolines" ] && "$cpprof" run -q -r cpu -o perf -- "$trampolines" -X perf spin.py >out 2>&1; then
	"$cpprof" report --function --threshold=0 -f csv perf >functions
	is "$(grep -c '"spin"' functions) $(grep -c 'py::spin' functions)" "1 0" \
		"-X perf: a function is there once"
else
	skip 1 "no python3.12 or later"
fi

done_testing
