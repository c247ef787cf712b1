#!/bin/sh
# `cpprof run -o`: patterns in the name of the file.
. "$(dirname "$0")/../../lib/lib.sh"
can_profile || skip_all "$why"
cd "$tmp" || exit 99
resource=pagefaults:1
"$cpprof" run -q -r $resource -o can -- true 2>err || resource=syscalls:1
mkdir out bin
ln -s "$samples/fig1" 'bin/an app'

# made PATTERN [PROG]: what a run with that pattern leaves in out/
made() {
	rm -f out/*
	"$cpprof" run -q -r $resource -o "out/$1" -- "${2:-true}" \
		>/dev/null 2>"$tmp/err"
	echo "$?" >"$tmp/rc"
	ls out
}

is "$(made plain)" plain "a name without patterns"
is "$(made '50%%')" "50%" "%% is a percent sign"
is "$(made '%%p')" "%p" "and begins no pattern"
is "$(made '%h')" "$(uname -n)" "%h is the host"
is "$(made '%e.prof')" "true.prof" "%e is the program"
is "$(made '%e' "$PWD/bin/an app")" "an app" "without its folders"

rm -f out/*
"$cpprof" run -q -r $resource -o 'out/%e.%p.%h' -- true &
first=$!
"$cpprof" run -q -r $resource -o 'out/%e.%p.%h' -- true &
second=$!
wait
host=$(uname -n)
is "$(ls out | sort)" \
	"$(printf '%s\n' "true.$first.$host" "true.$second.$host" | sort)" \
	"%p is the process id of cpprof: two runs at once, two files"
"$cpprof" info "out/true.$first.$host" >info 2>&1
is "$?" 0 "which are whole"

out=$("$cpprof" run -r $resource -o 'out/said.%e' -- true 2>&1)
like "$out" "cpprof report out/said.true" "the closing line has the real name"

for bad in 'x.%q' 'x.%' '%P' '%5p'; do
	is "$(made "$bad")" "" "-o $bad: nothing is written"
	is "$(cat rc)" 125 "-o $bad: fails"
	like "$(cat err)" "^cpprof: out/$bad: ${bad#x.}: no such pattern|^cpprof: out/%5p: %5: no such pattern" \
		"-o $bad: and is told"
	like "$(cat err)" "^hint: there are %p .*%h .*%e .*%%" \
		"-o $bad: with what there is"
done
# What the probes of one resource took of the time in the same run is told at its end
# where that is much, with the way out; the line of what samples took says the same.
"$cpprof" run -r cpu,syscalls -o probed -- \
	dd if=/dev/zero of=/dev/null bs=1 count=200000 2>said >&2
much=$("$cpprof" info probed | awk '/^resource/ { cpu = $2 == "cpu" }
	cpu && $1 == "[probes]:" { took = $2 }
	cpu && $1 == "consumed" { sub(/.*: /, ""); all = $1 }
	END { print (took > all * 0.03 ? "told" : "") }')
like "$(grep -c 'cpu; alone it has none: -r cpu$\|samples took about' said):$much" \
	"^0:$|^1:told$|^1:$" "what probes took is told: ${much:-little}"
"$cpprof" run -r pagefaults,cpu -o faulted -- "$samples/process_db" 2>said >&2
took=$("$cpprof" info faulted | awk '/^resource/ { cpu = $2 == "cpu" }
	cpu && $1 == "[probes]:" { took = $2 }
	cpu && $1 == "consumed" { sub(/.*: /, ""); all = $1 }
	END { print int(100 * took / (all ? all : 1)) }')
told=$(sed -n 's/.* took about \([0-9]*\) %.*/\1/p' said)
within "${told:-100}" "$took" 100 "what samples took is not less than [probes]"

# A frame larger than the copy of a stack has its callers in the live stack alone.
cat >far.c <<'END'
#include <string.h>
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void spin(void)
{
	for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;)
		for (int i = 0; i < 100000; i++)
			sink += i;
}
__attribute__((noinline)) static void wide(int depth)
{
	char far[600000];
	memset(far, depth, sizeof far);
	if (depth)
		wide(depth - 1);
	else
		spin();
	sink += far[depth];
}
int main(void) { wide(1); return 0; }
END
if command -v cc >which && cc -O1 -o far far.c 2>log; then
	"$cpprof" run -r cpu -o kernel -- ./far 2>said
	"$cpprof" run -q -r cpu --timer=stop -o stop -- ./far 2>>said
	cut=$("$cpprof" info kernel | sed -n 's/.*stacks: [0-9]* whole, \([0-9]*\) .*/\1/p')
	like "$(grep -c 'shown below \[truncated\]; --timer=stop has those over 64 KiB$' said):$([ "$cut" -gt 10 ] && echo cut)" \
		"^1:cut$|^0:$" "what has stacks whole that are not is told"
	like "$("$cpprof" report -r cpu --down=main stop)" " main > wide" "... and has"
else
	skip 2 "no cc"
fi

"$cpprof" run -q -o 'x.%q' -- sh -c 'echo ran' >ran 2>&1
unlike "$(cat ran)" "^ran" "a wrong pattern is told before the program runs"
"$cpprof" run -q -r $resource -o "$(printf %0210d 1)/" -- echo ran >ran 2>err
is "$(cat ran)$(sed -n 's/.*create: //p' err)" "No such file or directory" \
	"a folder that is not there, whatever the length of its name"
"$cpprof" run -o - -- true >/dev/null 2>err
is "$?" 125 "-o - is still refused"
done_testing
