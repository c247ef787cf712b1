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

# samples PYTHON TIMER: its calls and samples go to the files log and script, unless
# samples were lost
samples() {
	rm -f log
	timeout -k 5 120 "$cpprof" run -q --timer="$2" -r syscalls=getppid:1 -o data -- \
		"$1" "$target/python_calls.py" log 400 >out 2>&1 || return 1
	"$cpprof" export -f perf-script -o script data &&
		! grep -q '^# resource.* lost' script &&
		! "$cpprof" info data | grep -q 'alone: of [1-9]'
}

# holds PYTHON TIMER
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
	samples "$1" "$2" || samples "$1" "$2" || samples "$1" "$2" || {
		sed 's/^/# /' out
		skip 3 "Python $version, $2: samples were lost"
		return
	}
	"$compare" "$target/python_compare.py" log <script >got
	grep '^#' got
	read -r right torn early other <<-END
	$(grep -v '^#' got)
	END
	echo "# Python $version, $2: $right right, $torn truncated, $early before it" \
		"was known, $other other"
	is "$other" 0 "Python $version, $2: no stack has others than its frames and lines"
	[ "$((20 * (torn + early)))" -le "$(wc -l <log)" ]
	ok $? "... and nearly all have all of them"
	is "$("$cpprof" info data | grep -c 'native frames alone')" 0 \
		"... and none was lost"
}

for python in "$compare" ${PYTHONS:-}; do
	holds "$python" stop
	[ $kind = stop ] || holds "$python" kernel
done

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
like "$("$cpprof" report --up='app.py!Work.heavy' data 2>&1)" \
	'<module> > (app\.py!)?main > handle > ([^>]*sum.* > )?Work\.heavy' \
	"callers, without the interpreter's frames"
like "$("$cpprof" report --only='*.py!*' --function data)" \
	'[1-9][0-9.]* % +Work\.heavy ' "the pure Python profile"
like "$("$cpprof" list 'app.py!Work.heavy' data)" \
	'[1-9][0-9.]* %\?? +5 .*total \+= i \* i % 7' "its lines with their cost"
weight=$("$cpprof" report --function -f csv data |
	sed -n 's/^function,"cpu","Work\.heavy",[^,]*,[^,]*,\([0-9]*\),.*/\1/p')
is "$("$cpprof" report --function --window=0s..1000s -f csv data |
	sed -n 's/^function,"cpu","Work\.heavy",[^,]*,[^,]*,\([0-9]*\),.*/\1/p')" \
	"$weight" "a window that is the whole run has as much of it"
is "$("$cpprof" export -f perf-script data | awk '/^[^\t#]/ { all += w; w = 0
		for (i = 1; i <= NF; i++) if ($i == "cpu:") w0 = $(i - 1) }
	/Work\.heavy/ { w = w0 } END { print all + w }')" \
	"$weight" "... and so have the samples, one by one"
is "$("$cpprof" report data | grep -c 'own functions:')" 0 \
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

# Another one is told, and costs nothing else.
if command -v cc >/dev/null; then
	echo '#include <unistd.h>
	__attribute__((section(".PyRuntime"))) long _PyRuntime[100] = {1};
	int main(void) { for (int i = 0; i < 10; i++) getppid(); return 0; }' >old.c
	cc -o old old.c 2>/dev/null &&
		"$cpprof" run -q -r syscalls=getppid:1 -o data -- ./old
	like "$("$cpprof" info data)" 'Python before 3.11 has native frames alone' \
		"a Python whose frames are not known"
else
	skip 1 "no cc"
fi
done_testing
