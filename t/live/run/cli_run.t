#!/bin/sh
# cpprof run: what it refuses before the program starts, how it ends, and what
# it leaves behind.
. "$(dirname "$0")/../../lib/lib.sh"
cd "$tmp" || exit 99
"$top_builddir/t/lib/make_fixture" fixture || exit 99

# run_ ARGS...: $out, $err and $rc of cpprof run
run_() {
	out=$("$cpprof" run "$@" 2>"$tmp/err" </dev/null)
	rc=$?
	err=$(cat "$tmp/err")
}

# refused STATUS ERE WHAT: the last run failed so, and left what was there
refused() {
	is "$rc" "$1" "$3: status $1"
	like "$err" "$2" "$3: is told"
	is "$(ls)" "err
fixture
kept" "$3: leaves no file"
	cmp -s fixture kept
	ok $? "$3: leaves the old file"
}
cp fixture kept

run_ -o kept -r pagefault -- true
refused 125 "^cpprof: pagefault: no such resource" "unknown resource"
like "$err" "^hint: .*pagefaults.*" "the nearest is proposed"
run_ -o kept -r nosuch -- true
like "$err" "calls=nosuch counts calls .*minorfaults.*majorfaults" \
	"a name near none: the resources are listed"
for call in read write futex; do
	run_ -o kept -r $call -- true
	is "$err" "cpprof: $call: no such resource
hint: did you mean 'syscalls=$call'? 'cpprof resources' lists all" \
		"$call is a system call, and no raw event"
done
run_ -o kept -r r0ead -- true
unlike "$err" "no such resource" "r0ead is a raw event"
rm -f raw kept && cp fixture kept
run_ -o kept -r cpu:x -- true
refused 125 "^cpprof: cpu:x: interval: " "bad interval"
run_ -o kept -r cpu:0 -- true
refused 125 "^cpprof: cpu:0: interval: .*zero" "interval 0"
run_ -o kept -r cpu:1parsec -- true
refused 125 "^cpprof: cpu:1parsec: interval: " "bad unit"
run_ -o kept -r cpu,cpu -- true
refused 125 "^cpprof: cpu.*twice" "a resource twice"
run_ -o kept -r cpu:2ms,calls=no_such_function,system -- true
refused 125 "^cpprof: no_such_function: calls: " "one resource of three cannot be had"
like "$err" "^hint: .*; the rest can be had: -r cpu:2ms,system$" "... the others are offered"
run_ -o kept -r calls=no_such_function -- true
unlike "$err" "the rest can be had" "... where there are some"
run_ -o kept --recource=cpu true
refused 125 "^cpprof: --recource=cpu: no such option" "unknown option"
like "$err" "^hint: did you mean '--resource'" "the nearest is proposed"
run_ -o kept -r
refused 125 "^cpprof: -r: missing argument" "missing argument"
run_ -o kept
refused 125 "^cpprof: run: no program given" "no program"
run_ -o kept --
refused 125 "^cpprof: run: no program given" "no program behind --"
run_ -o - true
refused 125 "^cpprof: -: standard output belongs to the program" "-o -"
run_ -o /nonexistent/dir/f true
refused 125 "^cpprof: /nonexistent/dir/f: " "no such folder"
like "$err" "^hint: " "with a way out"
mkdir ro && chmod 555 ro
if [ "$(id -u)" -eq 0 ]; then
	err=$(setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$cpprof" run -o ro/f true 2>&1)
	rc=$?
else
	run_ -o ro/f true
fi
if [ "$rc" -eq 125 ] || [ "$rc" -eq 0 ]; then
	rmdir ro
	refused 125 "^cpprof: ro/f: .*Permission denied" "not writable"
	like "$err" "^hint: " "with a way out"
else
	skip 5 "another user cannot run cpprof from here (status $rc)"
	rmdir ro
fi
"$top_builddir/t/lib/no_perf" "$cpprof" run -o kept -r pagefaults true 2>err
rc=$? err=$(cat err)
if [ "$rc" -eq 77 ]; then
	skip 6 "no seccomp filters here"
else
	refused 125 "^cpprof: .*perf_event_open: Permission denied" \
		"perf_event forbidden"
	like "$err" "^hint: .*perf_event_paranoid" "names the sysctl"
	like "$err" "$(cat /proc/sys/kernel/perf_event_paranoid)" "and its value"
fi

can_profile || {
	skip 1 "cannot profile here: $why"
	done_testing
}

# A folder of PATH that this user may not read would make it a 126.
PATH=/usr/bin:/bin
run_ -o kept -- nosuchprogram
refused 127 "^cpprof: nosuchprogram: " "no such program"
run_ -o kept -- ./nosuchprogram
refused 127 "^cpprof: ./nosuchprogram: " "no such path"
run_ -o kept -- ./fixture
refused 126 "^cpprof: ./fixture: .*Permission denied" "not executable"
run_ -o kept -- /
refused 126 "^cpprof: /: " "a folder"
like "$err" "^hint: / is a folder" "is told as such"
run_ -o kept -- ""
refused 127 "^cpprof: .*exec: No such file" "an empty name"
progs=$(mktemp -d "${TMPDIR:-/tmp}/cpprof-t.XXXXXX")
printf '\177ELF\001\001\000\n' >"$progs/alien"
printf '#!/no/such/interpreter\n' >"$progs/orphan"
printf 'echo "$0" "$@"\n' >"$progs/plain"
chmod +x "$progs/alien" "$progs/orphan" "$progs/plain"
run_ -o kept -- "$progs/alien"
refused 126 "^cpprof: .*/alien: exec: Exec format error" \
	"a program of another machine is not given to the shell"
run_ -o kept -- "$progs/orphan"
refused 127 "^cpprof: .*/orphan: " "no interpreter"
like "$err" "^hint: .*not the interpreter" "is told as such"
run_ -o "$progs/ok" -- "$progs/plain" a 'b c'
is "$rc:$out" "0:$progs/plain a b c" "text without #! is a script"
PATH=/usr/bin:/bin:$progs
run_ -o "$progs/ok" -- plain x
is "$rc:$out" "0:$progs/plain x" "in PATH, too"
# Found, but not executable, in one folder of PATH; executable in the next.
mkdir "$progs/first" "$progs/second"
echo 'exit 1' >"$progs/first/both"
echo 'echo second' >"$progs/second/both"
chmod +x "$progs/second/both"
PATH=$progs/first:$progs/second:/usr/bin:/bin
run_ -o "$progs/ok" -- both
is "$rc:$out" "0:second" "the next folder of PATH has it"
rm "$progs/second/both"
run_ -o kept -- both
refused 126 "^cpprof: both: exec: Permission denied" \
	"one that is not executable is all there is"
like "$err" "^hint: $progs/first/both is not executable" "and is named"
if [ "$(id -u)" -ne 0 ]; then
	chmod 0 "$progs/second"
	rm "$progs/first/both"
	run_ -o kept -- both
	env both 2>/dev/null
	is "$rc" $? "a folder of PATH that is closed: the status that env(1) has"
	like "$err" "^hint: .*$progs/second/both: .*may not search" "is named"
	chmod 700 "$progs/second"
fi
PATH=/usr/bin:/bin
rm -rf "$progs"
rm kept

run_ -r cpu -- "$samples/fig1"
is "$rc" 0 "a run"
is "$(printf '%s\n' "$err" | grep -Evc 'lost|in no sample|incomplete|stopped')" 1 \
	"says one line, where there is no loss to tell of"
like "$err" "^cpprof: [0-9]+ samples of cpu \([0-9.]+ s, every 1 ms( or more)?\) in cpprofdata; look at it with 'cpprof' or 'cpprof report'$" \
	"of what was collected and how to look at it"
"$samples/fig1" >bare
is "$out" "$(cat bare)" "standard output is the program's alone"
"$cpprof" report >report
is "$?" 0 "and there it is"
like "$(cat report)" "^ +[0-9.]+ %. main( > .*)?$" "with call paths from main"
is "$(stat -c %a cpprofdata)" 600 "only its owner can read the file"
cp cpprofdata first
if "$cpprof" run -q -r pagefaults -o can -- true 2>err || grep -q '^cpprof: no samples' err; then
	counts=pagefaults also=minorfaults
else
	counts=syscalls also=bytes
fi
run_ -r cpu:2ms,$counts -r $also:10 "$samples/fig1"
is "$rc" 0 "several resources"
like "$err" "samples of cpu .*every 2 ms.*samples? of $counts.*$also \(.*(every|each for) 10[ )]" \
	"are all told of"
cmp -s first cpprofdata.old
ok $? "the file that was there is kept as cpprofdata.old"
cp "$samples/fig1" own
run_ -o own -- ./own
is "$rc" 125 "a program that is to be the file is not run"
is "$err" "cpprof: own: write: It is there, and no cpprofdata file
hint: choose another file with -o, or remove this one" "... and why"
cmp -s own "$samples/fig1" && [ ! -e own.old ]
ok $? "... and it stays where it is"
: >own
run_ -o own -- true
[ "$rc" -eq 0 ] && [ -e own.old ]
ok $? "an empty file is one that was cut short"
rm -f own own.old
run_ -q -o 'a b' "$samples/fig1"
is "$rc$err" 0 "-q says nothing"
run_ -o 'a b' "$samples/fig1"
like "$err" "look at it with 'cpprof 'a b'' or 'cpprof report 'a b''$" \
	"a name is quoted as a shell needs it"
long=has_no_room_$(printf %070d 7)
NO_COLOR=1 TERM=xterm "$top_builddir/t/lib/pty" 24 60 "$cpprof" run -r cpu:1ms \
	-o "$long" -- "$samples/fig1" </dev/null >raw 2>&1
if [ $? -eq 77 ]; then
	skip 2 "no terminals to be had"
else
	tr -d '\r' <raw >told
	is "$(grep -v "$long" told | awk 'length > 60')" '' "on a terminal lines go on below"
	is "$(grep -c "^  $long'" told)" 2 "... and what is to be typed is not cut"
fi
rm -f raw told
rm -f "a b" "a b.old" "$long"

run_ -- sh -c 'exit 7'
is "$rc" 7 "the exit status is the program's"
run_ -- sh -c 'kill -TERM $$'
is "$rc" 143 "128+n for a signal"
run_ -r $counts:1 -o shot -- sh -c 'kill -SEGV $$'
like "$err" "^cpprof: the program was killed by signal 11 .SEGV.$" "... which is told"
like "$("$cpprof" report shot | head -n 2)" "  killed by signal 11 .SEGV." "... by report, too"
rm shot
run_ -r majorfaults -o none -- true
if [ "$(printf '%s' "$err" | grep -c 'no samples')" -eq 1 ]; then
	is "$rc" 0 "no samples: the status is still the program's"
	like "$err" "^cpprof: no samples: true used 0 faults of majorfaults" \
		"no samples: why"
	like "$err" "^hint: profile another resource" "... there is no smaller interval"
else
	skip 3 "true took a major fault"
fi
run_ -r cpu:10s -o none -- true
like "$err" "^cpprof: no samples: true used 0\.[0-9]* s of cpu \(one sample every 10 s\)" \
	"no samples: the interval was too large"
like "$err" "^hint: take a smaller interval" "no samples: what to do"
run_ -r bytes-allocated:1GiB,cpu:10s -o none -- true
like "$err" "^hint: take a smaller interval .*; what malloc gave counts, and no other heap; of Go, 'cpprof " \
	"no samples of malloc: who else may have given memory"
run_ -r cpu:10s,$counts:1 -o few -- "$samples/fig1"
like "$err" "takes more: -r cpu:[0-9]+(us|ms)$" \
	"few samples: the interval that takes about a thousand"
again=$(printf '%s\n' "$err" | sed -n 's/.*takes more: //p')
# shellcheck disable=SC2086
"$cpprof" run $again -o more -- "$samples/fig1" >out 2>err
data=more
within "$(of cpu hits)" 100 4000 "which they do"
like "$("$cpprof" report -r cpu more)" "^cpu " "and there it is"
unlike "$(cat err)" "takes more" "it has no others"
rm -f few more
run_ ls -q fixture
is "$out" fixture "options end at the first word that is none"
out=$(echo in | "$cpprof" run -q -- cat)
is "$out" in "standard input is the program's"
out=$(echo 'root; threshold' | "$cpprof" run -qi -o i -- "$samples/fig1")
like "$(echo $out)" "root main threshold 0.01$" "-i opens the shell on the file"
rm -f i

for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
	rm -f cpprofdata
	eval "\"\$cpprof\" run -r cpu -- \"\$samples/fig1\" $closed" >out 2>&1
	"$cpprof" info cpprofdata >out 2>&1
	ok $? "works with $closed"
done
"$cpprof" run -q -o none -- sh -c 'ls -l /proc/self/fd/ >fds' <&- 2>&-
unlike "$(cat fds)" " [02] -> /dev/null" "what was closed is closed for the program"

if [ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=64k t full \
	2>/dev/null; then
	head -c 100000 /dev/zero >full/filler 2>/dev/null
	run_ -o full/f -- true
	is "$rc" 125 "a full disk at the start: status 125"
	like "$err" "^cpprof: .*No space left on device" "a full disk is told"
	is "$(ls full)" filler "and no file left"
	truncate -s 44k full/filler
	run_ -o full/f -r pagefaults -- "$samples/process_db"
	is "$rc" 0 "a full disk later on: the program's status"
	like "$err" "^cpprof: .*No space left on device" "is told"
	[ ! -e full/f ]
	ok $? "and no file has the name asked for"
	umount full
else
	skip 6 "no disk of my own to fill"
fi
# A PMU's terms have commas, as lists of resources have.
run_ -q -r software/config=2,config1=0/:1,pagefaults:1 -o terms -- true
if [ "$rc" -eq 0 ]; then
	"$cpprof" report -f paper -r software/config=2,config1=0/,pagefaults \
		--function terms \
		>out 2>&1
	is "$?:$(grep -c '^Body' out)" 0:2 \
		"resources with commas in their names, in a list"
	grep '^cpprof' out | sed 's/^/# /'
else
	skip 1 "no events of the software PMU: $err"
fi
# What the kernel does for the run's own stops is not the program's.
"$cpprof" run -q --timer=stop -r cpu,bytes-read -o stopped -- \
	dd if=/dev/zero of=/dev/null bs=4k count=10000 2>out
unlike "$("$cpprof" report stopped)" "of CPU is the kernel's" "the time for stops"
# An interpreter is known by its program's name.
for name in python3.11 node; do
	cp "$samples/burn" $name && "$cpprof" run -q -o named -- ./$name >out 2>&1
	"$cpprof" report named >out.$name 2>&1
done
like "$(cat out.python3.11)" \
	"^no Python functions here: per-CPU timers \(as root\) and --timer=stop have" \
	"an interpreter whose functions are in no sample"
like "$(tr "\n" " " <out.node)" "no JavaScript functions here: node --perf-basic-prof +--interpreted-frames-native-stack names them" \
	"and another"
"$cpprof" run -q -o named -- env ./node >out 2>&1
like "$("$cpprof" report --width=200 named)" \
	"^no JavaScript functions here: NODE_OPTIONS='--perf-basic-prof --interpreted-frames-native-stack' in the environment names them$" \
	"... that another program starts"
like "$("$cpprof" report --width=80 named)" \
	"^  NODE_OPTIONS='--perf-basic-prof --interpreted-frames-native-stack' in the$" \
	"a line is not broken within what is to be typed"
unlike "$("$cpprof" report --width=40 named)" "\[[.][.][.]\]|^.{41}" "... but where it has no room"
cp "$samples/burn" perl && "$cpprof" run -q -o named -- ./perl >out 2>&1
like "$("$cpprof" report named)" "^no Perl functions here: perl tells nobody which one runs$" "one that has no way to"
"$cpprof" run -q -o named -- sh -c './perl; "$1" 0.1' sh "$samples/burn" >out 2>&1
unlike "$("$cpprof" report named)" "functions here" "... but not where it helps another program"
cp /usr/bin/env python3.11 && "$cpprof" run -q -r allocations:1 -o named -- ./python3.11 >out 2>&1
like "$("$cpprof" report --width=200 named)" \
	"^python3.11's small objects are in it only with PYTHONMALLOC=malloc in the environment$" \
	"memory that malloc() does not know"
# Java's machine is known by its library, whichever program starts it.
echo 'void __attribute__((constructor)) start(void)
{
	for (volatile long i = 0; i < 100000000; i++) { }
}' >jvm.c
${CC:-gcc} -shared -fPIC -o libjvm.so jvm.c && "$cpprof" run -q -o named -- env \
	ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=./libjvm.so true \
	>out 2>&1
like "$("$cpprof" report --width=200 named)" "^no Java functions here: JAVA_TOOL_OPTIONS=" \
	"a program that starts Java"
unlike "$("$cpprof" report)" "functions here" "not of other programs"
# An exec continues its process, wherever these are counted.
resource=pagefaults:1
"$cpprof" run -q -r $resource -o counted -- true 2>err || resource=syscalls:1
"$cpprof" run -q -r $resource -o counted -- sh -c '(exec true); exec true' 2>err
is "$("$cpprof" info counted | grep '^processes: ')" \
	"processes: 2 (4 programs: an exec is one), threads: 2" "info counts processes"
like "$("$cpprof" report --width=80 counted)" "sh and 1 more process$" \
	"... as a report does"
like "$("$cpprof" report --processes -n 1 -t 0.99 counted)" \
	"^4 more programs below 99 %, [0-9.]+ % in all, of 4 in 2 processes$" "... and processes"
like "$("$cpprof" report --threads -t 0.99 counted)" \
	"^4 more programs below 99 %, [0-9.]+ % in all, of 4 in 2 threads$" "... and threads"
like "$("$cpprof" report -f paper counted)" "^2 processes, 2 threads$" "... and the paper's form"
# Processes of one program are told apart by the arguments that differ.
"$cpprof" run -q -r $resource -o counted -- \
	sh -c 'sleep 0.21 0.0; sleep 0.22 0.0; sleep 0.23 0.0' 2>err
is "$("$cpprof" report --processes --width=100 -t 0 counted | sed -n 's/.*  sleep  *//p' | sort)" \
	"0.21
0.22
0.23" "processes of one name are told apart"
is "$("$cpprof" info counted | sed -n 's/.* sleep (.*) \(.*\), 1 thread$/\1/p' | sort | tr '\n' ' ')" \
	"0.21 0.22 0.23 " "... by info, too"
# Where a command has no room, by what it has alone; a script's lines are blanks.
cat >lines <<'X2'
for k in 1 2 2; do
	/bin/sh -c "kept=
sleep 0.21
: k=$k
: and so on, for longer than three lines have room, which is a lot of words
: that nobody wants to read" /$k/a_name_of_its_own
done
sleep 0.2
X2
"$cpprof" run -q -r $resource -o counted -- sh lines 2>err
is "$("$cpprof" report --processes --width=80 -t 0 counted | sed -n 's/.*  sh \(.*k=\)/\1/p' | sort)" \
	"... k=1
... k=2
... k=2" "... and by what is behind a script's first line, if few have it"
is "$("$cpprof" report --processes -t 0 counted | grep -c 'kept= .* /[12]/a_name_of_its_own$')" 3 \
	"... and into a pipe by all"
# What a command does comes first, though another has that word, too.
cat >commands <<'X2'
sleep 0.1 0.00000000001 0.00000000002
sleep 0.2 0.00000000003 0.00000000004
sleep 0.3 0.2 0.00000000005
X2
"$cpprof" run -q -r $resource -o counted -- sh commands >out 2>err
is "$("$cpprof" report --processes --width=80 -t 0 counted | sed -n 's/.*  sleep \([^ ]*\) .*/\1/p' | sort | tr '\n' ' ')" \
	"0.1 0.2 0.3 " "a command that has no room has its first word"
# A daemon leaves its parent.
run_ -r $resource -o counted -- sh -c 'sleep 60 >/dev/null 2>&1 & echo $!'
like "$err" "^cpprof: the program ended, and 1 process that it started runs on: 'cpprof attach --children $out' profiles it\$" \
	"what a program has left behind is told"
kill "$out"
run_ -r $resource -o counted -- sh -c 'sleep 0.1 & wait'
unlike "$err" "runs? on" "not what has ended"
# Other tests may be running the same programs, but not in this folder.
for process in /proc/[0-9]*; do
	[ "$(readlink "$process/cwd")" = "$(pwd -P)" ] && readlink "$process/exe"
done 2>/dev/null | grep "/samples/\|/cpprof/cpprof" >left
is "$(cat left)" "" "no process is left behind"
is "$(find . -name '*.tmp*' -o -name '*.partial*' -o -name '.*cpprof*')" "" "no temporary file is left"
done_testing
