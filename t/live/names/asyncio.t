#!/bin/sh
# --asyncio: a task is called by what awaits it, in each stack as the program itself
# says who awaits whom; and the event loop's wait is that of the tasks that wait.
. "$(dirname "$0")/../../lib/lib.sh"

needs python3
cd "$tmp" || exit 99
awaits=$top_srcdir/t/live/target/python_awaits.py
waits=$top_srcdir/t/live/target/python_waits.py
"$cpprof" run -q --timer=stop -r syscalls=getppid:1 -o data -- true 2>err ||
	skip_all "$(head -n 1 err)"

# chains PROGRAM [FUNCTION]: of each sample, in FUNCTION, PROGRAM's own functions,
# outermost first
chains() {
	"$cpprof" export -f perf-script data | awk -v "program=/$1)" -v "inside=${2-}" '
		index($2, inside) == 1 {
			found = 1
		}
		substr($0, length($0) - length(program) + 1) == program &&
			$2 !~ /<module>/ {
			sub(/\+.*/, "", $2)
			sub(/.*<locals>\./, "", $2)
			chain = $2 (chain ? " " chain : "")
		}
		/^$/ {
			if (found && (chain || inside))
				print chain
			chain = ""
			found = 0
		}'
}

# awaits_of PYTHON OPTIONS...: writes what the program says to log, what samples do to got
awaits_of() {
	python=$1
	shift
	timeout -k 5 120 "$cpprof" run -q -r syscalls=getppid:1 -o data "$@" -- \
		"$python" "$awaits" log 500 >out 2>&1 || sed 's/^/# /' out
	chains python_awaits.py >got
}

# fair N: whether those chains of got have N equal parts, by chi square where one in
# a million is worse (for N up to 13)
fair() {
	sort | uniq -c | awk -v "n=$1" '
		{ sum += $1; squares += $1 * $1 }
		END { print (sum ? squares * n / sum - sum < 52 : "no samples") }'
}

tried=0
for python in $(python3 -c 'import sys; print(sys.executable)') /usr/bin/python3 \
	${PYTHONS:-}; do
	version=$("$python" -c 'import asyncio, sys
print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null)
	case $version in
	3.1[1-5].*) ;;
	*)
		skip 6 "$python is ${version:-without asyncio}"
		continue
		;;
	esac
	# a program in which tasks await tasks of tasks, each in one of eleven ways
	awaits_of "$python" --asyncio
	is "$(wc -l <got | tr -d ' ')" "$(wc -l <log | tr -d ' ')" \
		"Python $version: as many samples as the program says"
	[ -s log ] && cmp -s got log
	ok $? "... each with all that await its task, in their order"
	tried=$((tried + 1))
	is "$("$cpprof" info data | sed -n 's/^ *stacks: [0-9]* whole, \([0-9]*\) .*/\1/p')" 0 \
		"... and none is truncated"
	# one in which tasks wait, in each of eleven ways, beside a thread with others
	timeout -k 5 60 "$cpprof" run -q --asyncio -r blocked:2ms -o data -- \
		"$python" "$waits" 2 >log 2>&1 || sed 's/^/# /' log
	chains python_waits.py EpollSelector.select >got
	is "$(grep -vxFf log got | sort | uniq -c)" "" \
		"... its loops wait for each task that waits itself"
	is "$("$cpprof" export -f perf-script data | awk -v RS= '
		/ epoll_wait\+/ && !/ EpollSelector\.select\+/')" "" "... in all samples"
	is "$(grep ^main got | fair 13) $(grep ^beside got | fair 2)" "1 1" \
		"... and for each equally often"
	told=$python
done
[ $tried -gt 0 ] || skip_all "no Python from 3.11 to 3.15"

# Without the option a task is called by the event loop.
awaits_of "$python" --timer=stop
[ -s got ] && ! cmp -s got log
ok $? "without the option tasks are the event loop's"
is "$(awk 'NR == FNR { says[NR] = " " $0; next }
	{ n = length($0) } substr(says[FNR], length(says[FNR]) - n) != " " $0' log got)" "" \
	"... with what they call themselves"

# The waits of tasks are not idle; without the option a line says how to see them.
if [ "${told-}" ]; then
	timeout -k 5 60 "$cpprof" run -q --timer=stop -r blocked,real -o without -- \
		"$told" "$waits" 1 >out 2>&1
	timeout -k 5 60 "$cpprof" run -q --asyncio -r blocked,real -o with -- \
		"$told" "$waits" 1 >out 2>&1
	for r in blocked real; do
		like "$("$cpprof" report -r $r without | tr -s '\n ' ' ')" \
			"[0-9.]* % of it is waits of asyncio's event loop: 'cpprof run -r $r --asyncio -- PROG' tells whose await they are" \
			"$r: what tells whose await a wait is"
		unlike "$("$cpprof" report -r $r with)" "event loop" "... and nothing where that is told"
	done
	like "$("$cpprof" report -r blocked with)" " nap  " "the waits of tasks are not folded away"
else
	skip 5 "waits have no callers here"
fi

# A loop that does not wait is nobody's.
cat >busy.py <<'END'
import asyncio
import time


async def nap():
    await asyncio.sleep(1000)


async def main():
    task = asyncio.create_task(nap())
    end = time.time() + 0.5
    while time.time() < end:
        await asyncio.sleep(0)
    task.cancel()


asyncio.run(main())
END
timeout -k 5 60 "$cpprof" run -q --asyncio -r syscalls:11 -o data -- "$python" busy.py
is "$(chains busy.py EpollSelector.select | sort -u)" "" \
	"a loop that has something to do waits for no task"
like "$("$cpprof" report --no-fold data)" EpollSelector.select "... in its system calls"

# A cycle of tasks that await one another ends, and so does a long way.
cat >odd.py <<'END'
import asyncio
import os


async def one(n):
    if n:
        await asyncio.create_task(one(n - 1))
    else:
        os.getppid()
        a, b = asyncio.ensure_future(waits(0)), asyncio.ensure_future(waits(1))
        tasks[:] = a, b
        await asyncio.sleep(0)
        a.cancel()
        os.getppid()


async def waits(n):
    try:
        await asyncio.sleep(0)
        await tasks[not n]
    except (asyncio.CancelledError, RuntimeError):
        os.getppid()


tasks = []
asyncio.run(one(1500))
END
timeout -k 5 60 "$cpprof" run -q -r syscalls=getppid:1 --asyncio -o data -- \
	"$python" odd.py >out 2>err
is "$? $(cat out err)" "0 " "tasks in a cycle, and 1500 that await one another"
is "$("$cpprof" export -f perf-script data | awk '/ one\+0x/ { n++ }
	/^$/ { if (n > most) most = n; n = 0 } END { print most }')" 1001 \
	"... of which the innermost thousand are told"

# What it needs, and where it says nothing.
timeout -k 5 60 "$cpprof" run --asyncio --timer=kernel -- true >out 2>&1
is "$?" 125 "with kernel timers it is an error"
like "$(cat out)" '^hint: leave --timer out, or use --timer=stop$' "with the way out"
"$cpprof" run -q --asyncio -r syscalls:1 -o data -- sh -c 'echo out; exit 3' >out 2>&1
is "$? $(cat out)" "3 out" "a program without Python is as ever"
done_testing
