#!/bin/sh
# cpprof advise: planted causes are found, and nothing where there is none.
. "$(dirname "$0")/../lib/lib.sh"

# advise: of the folded stacks on standard input, the kinds and paths
advise() {
	counted "$tmp/data"
	"$cpprof" advise --format=csv "$tmp/data" | sed 1d |
		awk -F, '{ print $1, $3, $6 }'
}

# 90 of the 100 events of f come by way of a > b.
is "$(printf '%s\n' 'main;a;b;f 90' 'main;c;b;f 10' 'main;other 200' | advise)" \
	'repeated "a;b;f" 90' "the one context that repeats it"
like "$("$cpprof" advise "$tmp/data")" \
	'^1\. f has 33\.3 % of samples; 90 of them are in one context:$' "in words"
is "$(printf '%s\n' 'main;a;b;f 50' 'main;c;b;f 50' 'main;other 200' | advise)" \
	'' "where two contexts share it, there is none"
is "$(printf '%s\n' 'main;a;b;f 100' | advise)" '' \
	"nor where all of it has but one caller"
is "$(printf '%s\n' 'main;a;b;f 9999' 'main;c;b;f 1' | advise)" \
	'repeated "a;b;f" 9999' "but where others have next to nothing"
# What libraries do among themselves: where the program has them do it, or nothing.
is "$(printf '%s\n' 'main;own;std::a;std::f 90' 'main;other;std::b;std::f 10' \
	'main;rest 200' | advise)" 'repeated "own;std::a;std::f" 90' "the context is the program's"
deep=$(printf 'std::a%s;' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
is "$(printf '%s\n' "main;own;${deep}std::f 90" 'main;other;std::b;std::f 10' 'main;rest 200' |
	advise)" "repeated \"own;${deep}std::f\" 90" "however deep the library is"
is "$(printf '%s\n' 'std::m;std::a;std::f 90' 'std::m;std::b;std::f 10' | advise)" '' \
	"or it is none"
is "$(printf '%s\n' 'main;std::a;std::b;std::a;std::b;std::a;std::b;std::a;x 70' \
	'main;rest 30' | advise | grep recursion)" '' "nor does a library's recursion matter"
is "$(printf '%s\n' 'main;a;b;f 9' 'main;c;b;f 1' 'main;other 5' | advise)" '' \
	"nor of a few events"
like "$("$cpprof" advise "$tmp/data" | tr '\n' ' ')" \
	"^nothing stands out; 'cpprof report $tmp/data' +shows" \
	"which is said"
like "$("$cpprof" -c advise "$tmp/data")" "nothing stands out; 'top'" "in the shell, too"
# work 70, going round three times at most; 30 without.
is "$(printf '%s\n' 'main;a;b;a;b;a;b;a;work 70' 'main;rest 30' | advise |
	grep recursion)" 'recursion "a;b" 3' "recursion, and how deep"
is "$(printf '%s\n' 'main;a;b;a;work 70' 'main;rest 30' | advise |
	grep recursion)" '' "not one round"
# Nor that an interpreter goes round, unless what it interprets has a name.
for loop in Interpreter Builtins_InterpreterEntryTrampoline _PyEval_EvalFrameDefault; do
	is "$(echo "main;a;$loop;b;$loop;b;$loop;b;$loop;work 70" | advise |
		grep recursion)" '' "nor an interpreter's loop: $loop"
done
for loop in Interpreter _PyEval_EvalFrameDefault 'StubRoutines (1)'; do
	is "$(printf '%s\n' "main;a;b;$loop 90" "main;c;b;$loop 10" 'main;other 200' |
		advise)" '' "nor who has one run: $loop"
done
round() { # CALLEE: of the loop, which calls it and is called, in a generated module
	i=0
	while [ $((i += 1)) -le 70 ]; do
		printf 'x 1/1 %d.0: 1 samples:\n\t10 work (/bin/x)\n' $i
		for r in 1 2 3 4; do
			printf '\t20 %s (/tmp/perf-1.map)\n\t30 Interpreter (/bin/x)\n' "$1"
		done
		printf '\t40 main (/bin/x)\n\n'
	done | "$cpprof" import -q --from=perf -o "$tmp/data" - || exit 99
	"$cpprof" advise --format=csv "$tmp/data" | grep recursion | cut -d, -f1,3
}
is "$(round 'JS:*walk /a.js:1:2')" 'recursion,"JS:walk /a.js:1:2"' \
	"but of what it interprets"

# Two functions that have one context each on the same stacks are one piece of
# advice, be one of them in the context of the other or not.
same='main;a;b;f 60
main;a;b;f;g 50
main;c;b;f 5
main;c;g 5
main;other 200'
is "$(echo "$same" | advise)" 'repeated "a;b;f" 110' "one stack, one context"
is "$(printf '%s\n' 'main;a;b;f 50' 'main;c;b;f 5' 'main;a;d;g 40' \
	'main;c;d;g 4' 'main;other 200' | advise)" \
	'repeated "a;b;f" 50
repeated "a;d;g" 40' "two stacks, two contexts"

# A library whose cost is spread, and where the program calls it; but not where a
# context leads there already, nor what calls back into the program.
spread() { # samples of 1 ms of these stacks, beside those of the library
	for i in 1 2 3 4 5 6 7 8 9; do
		set -- "$@" "main;check;is_date;std::regex_match;std::step_$i 4"
	done
	took "$@"
}
took() { # samples of 1 ms of these stacks: libraries, and where they are called
	printf '%s\n' "$@" | awk '{
		n = split($1, stack, ";")
		for (i = 0; i < $2; i++) {
			printf "prog 7/7 [000] %.6f: 1000000 cpu-clock:\n", ++t / 1000
			for (k = n; k; k--)
				printf "\t%x %s (/prog)\n", 4096 + k, stack[k]
			print ""
		}
	}' >"$tmp/perf"
	"$cpprof" import --from=perf -o "$tmp/data" "$tmp/perf" 2>"$tmp/log" ||
		cat "$tmp/log"
	"$cpprof" advise --format=csv "$tmp/data" |
		awk -F, '$1 == "library" { print $3, $4 }'
}
is "$(spread 'main;std::sort;less 60' 'main;std::sort 4')" \
	'"is_date;std::regex_match" 0.36000' "a library, where the program calls it"
is "$("$cpprof" advise "$tmp/data" | sed -n 's/.*try: //p' | tail -n 1)" \
	"resource cpu-clock; down regex_match; down is_date" "and the commands"
is "$(spread 'main;check;is_date;std::copy 64')" '' \
	"not beside a context that leads there"
is "$(spread 'main;rest 110')" '' "nor below a quarter of the time"
set --
for i in 1 2 3 4 5 6 7 8 9; do set -- "$@" "_start;std::begin;std::run;std::step_$i 4"; done
is "$(took "$@")" '' "nor is it the start code that calls one"
# It goes down to where the cost parts, or is of the function that has most of it.
set -- "main;rest 20" "main;ask;std::step;std::run 7"
for i in 1 2 3 4 5 6 7 8 9; do
	set -- "$@" "main;ask;std::step;std::run;std::sort;std::sort_$i 4" \
		"main;ask;std::step;std::run;std::find;std::find_$i 2" "main;ask;std::step;std::get_$i 1"
done
is "$(took "$@")" '"ask;std::step" 0.77778' "a library that parts"
like "$(COLUMNS=200 "$cpprof" advise "$tmp/data")" \
	'^1. std::step and the library below it have 77.8 % of cpu-clock, in std::run: 40.0 % in std::sort, 20.0 % in std::find, 7.8 % in itself; the program calls it here:$' \
	"where it does"
is "$("$cpprof" advise "$tmp/data" | sed -n 's/.*try: //p' | head -n 1)" \
	"resource cpu-clock; down run; down ask" "and the commands"
took "main;ask;std::step;std::run 50" "main;ask;std::step;std::get 15" "main;rest 25" >/dev/null
is "$("$cpprof" advise --format=csv "$tmp/data" | sed -n 2p)" \
	'hot,"cpu-clock","ask;std::step;std::run",0.55556,1.00000,50000' \
	"its function that has most of it"
# Of the program a function whose cost parts, if nothing in its stacks stands out.
set -- 'main;serve;command;keys;match 3' 'main;serve;send;write 24'
for i in 1 2 3 4 5 6 7 8 9; do
	set -- "$@" "main;serve;rest_$i 3"
done
took "$@" 'main;serve;command;keys 22' 'main;serve;command;keys;next 24' >/dev/null
like "$(COLUMNS=200 "$cpprof" advise "$tmp/data")" \
	'^1\. keys has 49\.0 % of cpu-clock: 24\.0 % in next, 22\.0 % in itself:
    command > keys
    try: resource cpu-clock; down keys; disasm keys$' "where the cost of a program parts"
is "$("$cpprof" advise --format=csv "$tmp/data" | sed 1d)" \
	'spread,"cpu-clock","command;keys",0.49000,0.00000,49000' "and nothing else"
took "$@" 'main;serve;command;keys 6' 'main;serve;command;keys;next 44' >/dev/null
is "$("$cpprof" advise --format=csv "$tmp/data" | sed -n '2s/,.*//p;3p')" hot \
	"but not above what has most of it"
# What is hot from several callers has no context; who they are.
took 'main;a;call 30' 'main;b;call 20' 'main;c;call 4' 'main;rest 46' >/dev/null
is "$("$cpprof" advise "$tmp/data" | sed -n '/^1/,/try/p')" \
	"1. call has 54.0 % of cpu-clock, from several callers: 30.0 % from a, 20.0 %
  from b.
    try: resource cpu-clock; up call; down call" "of the program"
took 'main;a;std::run;std::call 30' 'main;b;std::run;std::call 30' 'main;rest 40' >/dev/null
like "$("$cpprof" advise "$tmp/data")" '^1\. std::call has .*, from several callers: 30.0 % +from' \
	"or below them"
took 'main;a;run;call 30' 'main;b;run;call 30' 'main;rest 40' >/dev/null
like "$("$cpprof" advise "$tmp/data")" '^1\. call has .*, in no other context:$' \
	"but not of one function of the program"

# What is not half of a function itself is in what it calls.
took 'main;batch 30' 'main;batch;match 45' 'main;batch;mail;match 5' 'main;batch;get 10' \
	'main;rest 10' >/dev/null
is "$("$cpprof" advise --format=csv "$tmp/data" | sed 1d | cut -d, -f-4)" \
	'context,"cpu-clock","batch;match",0.50000' "its callee is hot"
took 'main;batch 40' 'main;batch;match 19' 'main;batch;get 18' 'main;batch;put 17' 'main;rest 6' \
	>/dev/null
is "$("$cpprof" advise --format=csv "$tmp/data" | sed 1d | cut -d, -f-4)" \
	'spread,"cpu-clock","main;batch",0.94000' "or it is where the cost parts"

# What an interpreter calls is called by what it interprets.
i=0
while [ $((i += 1)) -le 60 ]; do
	printf 'x 1/1 %d.0: 1000000 cpu-clock:\n\t10 step_%d (/lib/libc.so.6)\n' $i $((i % 9))
	printf '\t20 %s\n' 'flush (/bin/x)' 'save (/tmp/perf-1.map)' 'loop (/bin/x)' \
		'run (/tmp/perf-1.map)' 'main (/bin/x)'
	echo
done | "$cpprof" import -q --from=perf -o "$tmp/data" - || exit 99
like "$("$cpprof" advise --format=csv "$tmp/data")" '^library,"cpu-clock","save;flush",1' \
	"a script's function, not the interpreter's"
is "$("$cpprof" advise "$tmp/data" | sed -n 's/.*try: //p' | tail -n 1)" \
	"resource cpu-clock; down flush; down save" "and the commands"
i=0
while [ $((i += 1)) -le 60 ]; do
	printf 'x 1/1 %d.0: 1000000 cpu-clock:\n\t10 step_%d (/bin/x)\n' $i $((i % 15))
	printf '\t20 %s\n' 'crunch (/tmp/perf-1.map)' 'loop (/bin/x)' \
		'run (/tmp/perf-1.map)' 'main (/bin/x)'
	echo
done | "$cpprof" import -q --from=perf -o "$tmp/data" - || exit 99
is "$("$cpprof" advise --format=csv "$tmp/data" | tail -n 1)" \
	'hot,"cpu-clock","main;run;crunch",1.00000,1.00000,60000' \
	"what its interpreter does is a script's own"

# Commands call a function by the last part of its name where that is enough.
long='shop::Store<shop::Item, 3>::restock(int)'
printf '%s\n' "main;a;$long 90" "main;b;$long 10" 'main;restock_all 100' | advise >/dev/null
is "$("$cpprof" advise "$tmp/data" | sed -n 's/.*try: //p' | head -n 1)" \
	"resource samples; up restock; down a" "the last part of a name"
printf '%s\n' "main;a;$long 90" "main;b;$long 10" 'main;restock_all 50' 'main;depot::restock(int) 50' |
	advise >/dev/null
like "$("$cpprof" advise "$tmp/data")" 'up "?shop::Store<shop::Item, 3>::restock' \
	"all of it where another has that part"

# Outside of the shell it is told what the commands are for.
like "$("$cpprof" advise "$tmp/data")" "^Contexts worth a look; 'try' is for the shell" \
	"commands of the shell"
like "$("$cpprof" -c advise "$tmp/data")" "^Contexts worth a look, and how" "in it they need no word"

# Of a name that no line has room for only the outer arguments are told.
deep='lib::Table<lib::Key<lib::One, lib::Two, lib::Three>, lib::Value<lib::One>>::look_up'
printf '%s\n' "main;a;$deep 90" "main;b;$deep 10" 'main;rest 100' | advise >/dev/null
like "$(COLUMNS=60 "$cpprof" advise "$tmp/data")" '^1\. lib::Table<lib::Key<\.\.\.>, lib::Value<\.\.\.>>::look_up has$' \
	"a name that fits"

# What took the time of the run comes first.  A process of five threads, of which
# one has nearly all, and four that share.
# several PID MS...: threads of a process PID, or processes, with so many ms each
several() {
	pid=$1
	shift
	i=0
	for ms in "$@"; do
		i=$((i + 1))
		awk -v pid="${pid:-$((100 + i))}" -v tid=$((100 + i)) -v n="$ms" 'BEGIN {
			while (n-- > 0)
				printf "work %d/%d [000] %.6f: 1000000 cpu-clock:\n" \
					"\t1000 f%d (/prog)\n\n", pid, tid, ++t / 1000, n % 30
		}'
	done >"$tmp/perf"
	"$cpprof" import -q --from=perf -o "$tmp/data" "$tmp/perf"
	"$cpprof" advise --format=csv "$tmp/data" | sed 1d
}
threads() { several 100 "$@"; }
is "$(threads 95 1 1 1 2)" 'thread,"cpu-clock","",0.95000,0.00000,5' \
	"one thread of five has the time"
like "$("$cpprof" advise "$tmp/data")" "One thread of 5, work, has 95.0 % of cpu-clock\.$" \
	"in words"
is "$("$cpprof" advise "$tmp/data" | sed -n 's/.*try: //p')" "threads; thread 101" \
	"and the commands"
is "$("$cpprof" -c "$("$cpprof" advise "$tmp/data" | sed -n 's/.*try: //p'); filters" \
	"$tmp/data" | tail -n 1)" "# keeps 95.0 % of cpu-clock" "which work"
is "$(threads 300 1 1 1 9)" '' "not where the others have next to nothing to do"
threads 90 5 5 5 5 >/dev/null
awk '/^work/ { other = $2 != "100/101" } other { sub("/prog", "/lib/libvm.so.1") } 1' "$tmp/perf" |
	"$cpprof" import -q --from=perf -o "$tmp/data" -
is "$("$cpprof" advise --format=csv "$tmp/data" | grep -c thread)" 0 "nor where they are a runtime's"
is "$(threads 25 25 25 24 1)" '' "where four share it there is none"
is "$(threads 16 1 1 1)$(several '' 1 1 1 16)" '' "nor of a few samples"

# Who waits for what: the program's function nearest above the call, or the
# library's where a thread has none; nothing where the program computed for longer.
waits() { # "RESOURCE[*TIMES] WEIGHT INNERMOST..." each
	{
		for r in ${resources:-blocked cpu} ${line:-}; do
			echo "# resource $r: gtick us; interval 1; hits 9; samples 9; in samples 9"
		done
		printf '%s\n' "$@" | awk '{
			n = split($1, of, "*") > 1 ? of[2] : 1
			while (n--) {
				print "x 1/1 1.0: " $2 " " of[1] ":"
				for (i = 3; i <= NF; i++) {
					f = $i
					sub(":[^:]*$", "", f)
					print "\t10 " f "+0x1 (/bin/" substr($i, length(f) + 2) ")"
				}
				print ""
			}
		}'
	} >"$tmp/text"
	"$cpprof" import -q --from=perf -o "$tmp/data" "$tmp/text"
	"$cpprof" advise --format=csv "$tmp/data" | grep ^waits | cut -d, -f1-4
}
thread='start_thread:libc.so.6'
set -- "blocked 500 futex:libc.so.6 lock:libc.so.6 add:x work:x $thread" \
	"blocked 100 futex:libc.so.6 lock:libc.so.6 add:x main:x" \
	"blocked 300 futex:libc.so.6 wait:libc.so.6 fetch:libm.so.1 $thread" \
	"blocked 100 poll:libc.so.6 poll:libc.so.6 serve:x main:x"
is "$(waits "$@" "cpu 999 work:x main:x")" \
	'waits,"blocked","start_thread;work;add;lock;futex",0.60000
waits,"blocked","start_thread;fetch;wait;futex",0.30000' "who waits for what"
is "$(waits "blocked 900 [wait4] waitpid:libc.so.6 run:x main:x" \
	"blocked 700 futex:libc.so.6 pthread_join:libc.so.6 main:x" \
	"cpu 999 work:x main:x")" "" "but not for the end of a child or thread"
is "$(waits "blocked 900 [rt_sigsuspend] sigsuspend:libc.so.6 master:x main:x" \
	"blocked 700 accept4:libc.so.6 listen:x main:x" \
	"cpu 999 work:x main:x")" "" "nor for a signal or a client"
is "$(waits "blocked 900 [epoll_wait] epoll_wait:libc.so.6 loop:x main:x" \
	"blocked 700 [pselect6] select:libc.so.6 serve:x main:x" \
	"cpu 999 work:x main:x")" "" "nor for any of several events"
waits "$@" "cpu 999 work:x main:x" >/dev/null
like "$("$cpprof" advise "$tmp/data")" \
	'^1. For 600 us of 2.00 ms it waits in futex below add, longest' "in words"
is "$("$cpprof" advise "$tmp/data" | sed -n 's/.*try: //p' | head -n 1)" \
	'resource blocked; up futex' "and the commands"
sed 's,^x 1/1 1.0: 500,x 1/2 1.0: 500,; s/ 999 / 399 /' "$tmp/text" |
	"$cpprof" import -q --from=perf -o "$tmp/data" -
like "$("$cpprof" advise "$tmp/data")" \
	'Waits of threads with work: 60.0 % of blocked is in futex below add, longest' "of threads"
is "$("$cpprof" advise "$tmp/data" | sed -n 's/.*try: //p' | head -n 1)" \
	'resource blocked; up futex; threads' "and the commands"
waits "blocked 900 futex:libc.so.6 get:x load:x core::ops::function::FnOnce::call_once:x \
	std::sys::backtrace::__rust_begin_short_backtrace:x std::rt::lang_start:x $thread" \
	"cpu 99 work:x main:x" >/dev/null
like "$("$cpprof" advise "$tmp/data" | grep -A 2 '^1')" '^    load > get > futex$' \
	"a path begins with what the thread runs, in a pipe, too"
waits "$@" "cpu 999 work:x main:x" >/dev/null
is "$(waits "$@" "cpu 1001 work:x main:x")" "" "not where the program computed for longer"
is "$(waits "blocked 500 futex:libc.so.6 wait:libc.so.6 fetch:libm.so.1 work:x main:x" \
	"blocked 400 futex:libc.so.6 lock:libc.so.6 std::mutex::lock:x work:x main:x")" \
	'waits,"blocked","main;work;fetch;wait;futex",1.00000' \
	"by the program's own function, whatever libraries are between"

is "$(waits "blocked 900 futex:libc.so.6 lock:libc.so.6 add:x run:x run:x run:x work:x $thread" \
	"cpu 99 work:x main:x")" 'waits,"blocked","start_thread;work;run;add;lock;futex",1.00000' \
	"what calls itself is in the path once"

# What waits are told of is in no other piece of advice: neither the library that the
# program waits in, nor the same of real, with the call's name or without.
told() { # kinds of advice on these stacks, and paths
	waits "$@" >/dev/null
	"$cpprof" advise --format=csv "$tmp/data" | sed 1d | cut -d, -f1-3
}
locks="std::mutex::lock:x work:x $thread"
wait='waits,"blocked","start_thread;work;std::mutex::lock;futex;[futex-wait]"'
is "$(told "blocked*30 30 [futex-wait]:libc.so.6 futex:libc.so.6 $locks")" "$wait" \
	"nor the library that it waits in"
resources='real blocked'
set -- "blocked*30 30 [futex-wait]:libc.so.6 futex:libc.so.6 $locks"
is "$(told "$@" "real*25 30 futex:libc.so.6 $locks" \
	"real*2 30 futex:libc.so.6 std::mutex::lock:x rest:x $thread")" "$wait" \
	"nor real's part of it, of which no call has a name"
is "$(told "$@" "real*25 30 step:x $locks" "real*2 30 step:x rest:x $thread")" "$wait
context,\"real\",\"std::mutex::lock;step\"" \
	"but what is done in the same function without waiting"
resources='cpu syscalls'
set -- "cpu*30 90 write:libc.so.6 std::put:x save:x main:x" "cpu*30 60 std::step:x other:x main:x" \
	"syscalls*25 90 write:libc.so.6 std::put:x save:x main:x" \
	"syscalls*25 8 write:libc.so.6 rest:x main:x"
is "$(told "$@" | grep -c save)" 1 "nor is one stack told for two resources"
resources='real cpu blocked'
is "$(told "blocked*30 60 [futex-wait]:libc.so.6 futex:libc.so.6 $locks" \
	"real*25 60 futex:libc.so.6 $locks" "cpu*25 30 hot:x work:x main:x" | tail -n 1)" \
	'hot,"cpu","main;work;hot"' "CPU time is the first that is told of then"
unset resources

# A program of one thread that waits for any of several events, as who serves others
# does, and who waits for a server: what it does all that time, beside what it costs.
rests() { # kinds of advice on these stacks, paths and shares
	waits "$@" >/dev/null
	"$cpprof" advise --format=csv "$tmp/data" | sed 1d | cut -d, -f1-4
}
for call in '[pselect6] select' '[epoll_wait] epoll_wait'; do
	set -- "blocked*30 60 $call:libc.so.6 query:x main:x"
	path="main;query;${call#* };${call% *}"
	is "$(rests "$@" "cpu*25 4 think:x main:x")" "rest,\"blocked\",\"$path\",0.94737
hot,\"cpu\",\"main;think\",1.00000" "$call: a client"
	is "$(rests "$@" "cpu*25 20 think:x main:x" | cut -d, -f1,4)" "hot,1.00000
rest,0.78261" "last, where CPU time matters"
	is "$(rests "$@" "cpu*25 80 think:x main:x" | cut -d, -f1)" "hot" "or not at all"
	like "$("$cpprof" report -r blocked "$tmp/data")" "\\${call% *}" "(the report has it)"
done
rests "blocked*30 60 $call:libc.so.6 query:x main:x" "cpu*25 4 think:x main:x" >/dev/null
like "$("$cpprof" advise "$tmp/data" | tr '\n' ' ')" \
	'1\. For 1\.80 ms of 1\.90 ms it waits in \[epoll_wait\] below query, longest on this +path: +main > query > epoll_wait > \[epoll_wait\] +try: resource blocked; fold off; up \[epoll_wait\] ' \
	"in words"
set --
for i in 1 2 3 4 5 6 7; do set -- "$@" "cpu*25 20 work_$i:x main:x"; done
is "$(rests "$@" "cpu*75 20 think:x all:x main:x" "cpu*75 20 think:x some:x main:x" \
	"blocked*300 40 $call:libc.so.6 query:x main:x" | tail -n 1 | cut -d, -f1)" \
	"rest" "whatever else there is"

# Of one resource alone, and the time of the run if it is one.
only() { "$cpprof" advise --format=csv -r "$1" "$tmp/data" | sed 1d | cut -d, -f1-2 | tr '\n' ' '; }
resources='cpu blocked syscalls'
rests "cpu*25 4 think:x main:x" "blocked*30 60 $call:libc.so.6 query:x main:x" \
	"syscalls*99 60 read:libc.so.6 look:x main:x" "syscalls*25 9 read:libc.so.6 main:x" >/dev/null
sed 's/\(resource syscalls: gtick\) us/\1 call/' "$tmp/text" | "$cpprof" import -q --from=perf -o "$tmp/data" -
unset resources
is "$(only syscalls)" 'context,"syscalls" ' "advice on one resource"
is "$(only cpu)" 'rest,"blocked" hot,"cpu" ' "on a time, with that of the run"
is "$(only blocked)" 'rest,"blocked" ' "on waits"
like "$("$cpprof" -c 'resource cpu; advise' "$tmp/data")" "of syscalls" "in the shell on all"

# A thread that had nothing to do does not make a run that mostly waits.
is "$(waits "blocked 2000 [rt_sigsuspend] sigsuspend:libc.so.6 master:x main:x" \
	"blocked 500 futex:libc.so.6 lock:libc.so.6 work:x $thread" \
	"cpu 999 work:x main:x")" "" "the longest wait is of one that has nothing to do"

# One process of several, with its arguments, where it is not that of the run.
processes() { several '' "$@"; }
is "$(processes 2 95 1 1 1)" 'process,"cpu-clock","",0.95000,0.00000,5' \
	"one process of five has the time"
is "$("$cpprof" advise "$tmp/data" | sed -n 's/.*try: //p')" "processes; process 102" \
	"and the commands"
is "$(processes 95 1 1 1 2)" '' "not that of the run"
is "$(processes 25 25 25 24 1)" '' "nor where four share it"
is "$(processes 1 300 1 2 1)" '' "nor where the others have next to nothing to do"

# Nor what is next to nothing beside the waits of who has nothing to do.
select='[pselect6] select:libc.so.6 master:x main:x'
is "$(waits "blocked 9000 $select" "blocked 200 [recvfrom] recv:libc.so.6 ask:x $thread" \
	"cpu 199 work:x main:x")" "" "a short wait"

# A pool's threads wait for work, main for what they do.
cond='futex:libc.so.6 pthread_cond_wait:libc.so.6'
is "$(waits "blocked 900 $cond worker:x $thread" "cpu 100 work:x main:x")" "" \
	"threads without work are no advice"
for idle in sem_wait:libc.so.6 epoll_wait:libc.so.6; do
	is "$(waits "blocked 900 $idle loop:x $thread" "cpu 100 work:x main:x")" "" \
		"nor where none came: $idle"
done
is "$(waits "blocked 900 $cond worker:x $thread" "blocked 300 $cond join:x main:x" \
	"cpu 100 work:x main:x")" \
	'waits,"blocked","main;join;pthread_cond_wait;futex",0.25000' "but main that waits for them"
is "$(waits "blocked*90 10 $cond worker:x $thread" \
	"blocked*30 5 $cond ObjectMonitor::enter(JavaThread*):libjvm.so run:x $thread" \
	"cpu 100 work:x main:x")" \
	'waits,"blocked","start_thread;run;ObjectMonitor::enter(JavaThread*)",0.14286' \
	"and who wants Java's lock, whatever the share of those without work"

lock='futex:libc.so.6 sem_wait:libc.so.6 lock_PyThread_acquire_lock:python3'
is "$(waits "blocked 900 $lock Condition.wait:x get:x $thread" "blocked 150 $lock store:x $thread" \
	"cpu 100 work:x main:x")" \
	'waits,"blocked","start_thread;store;lock_PyThread_acquire_lock",0.14286' \
	"and who wants Python's lock, but for a condition"
waits "blocked*90 10 $cond worker:x $thread" \
	"blocked*30 5 $cond ObjectMonitor::enter(JavaThread*):libjvm.so run:x $thread" \
	"cpu 100 work:x main:x" >/dev/null

# ... for the method that is not of its machine, which has stubs, and a library.
java() { # METHOD
	{
		printf '# resource %s: gtick us; interval 1; hits 9; samples 9; in samples 9\n' blocked cpu
		printf 'x 1/1 1.0: 100 cpu:\n\t10 work (/bin/x)\n\n'
		for thread in 2 3; do
			printf 'x 1/%d 1.0: 400 blocked:\n\t10 futex (/lib/libc.so.6)\n' $thread
			printf '\t20 %s (/lib/libjvm.so)\n' 'os::PlatformEvent::park()' \
				'ObjectMonitor::enter(JavaThread*)' 'ObjectSynchronizer::enter(Handle)'
			printf '\t30 %s (/tmp/perf-1.map)\n' 'monitorenter_nofpu Runtime1 stub' \
				_complete_monitor_locking_Java 'void java.util.Hashtable.put(int)' "$@" \
				Interpreter 'StubRoutines (1)'
			printf '\t40 thread_native_entry(Thread*) (/lib/libjvm.so)\n'
			printf '\t50 start_thread (/lib/libc.so.6)\n\n'
		done
	} | "$cpprof" import -q --from=perf -o "$tmp/data" -
	COLUMNS=200 "$cpprof" advise "$tmp/data" | sed -n '/^1/p;s/ threads$//;s/.*try: //p'
}
is "$(java 'void Shop.sell(int)')" \
	"1. Waits of threads with work: 100.0 % of blocked is in ObjectMonitor::enter below Shop.sell, longest on this path:
resource blocked; up ObjectMonitor::enter;" "Java's lock, and the method that wants it"
is "$(java | head -n 1)" \
	"1. Waits of threads with work: 100.0 % of blocked is in ObjectMonitor::enter below java.util.Hashtable.put, longest on this path:" \
	"or what is known of it"
waits "blocked*90 10 $cond worker:x $thread" \
	"blocked*30 5 $cond ObjectMonitor::enter(JavaThread*):libjvm.so run:x $thread" \
	"cpu 100 work:x main:x" >/dev/null

# Python's own lock is work, too, where its functions have no names.
python() { # FRAMES, of python3 or "NAME (FILE)", below the function of a script
	{
		printf '# resource %s: gtick us; interval 1; hits 9; samples 9; in samples 9\n' blocked cpu
		printf 'x 1/1 1.0: 100 cpu:\n\t10 work (/bin/x)\n\n'
		printf 'x 1/2 1.0: 400 blocked:\n\t10 futex (/lib/libc.so.6)\n'
		printf '\t20 pthread_cond_timedwait (/lib/libc.so.6)\n'
		printf '\t30 %s\n' "$@" | sed '/)$/!s,$, (/bin/python3),'
		for function in lookup run; do
			printf "\t40 ${script:-py::%s:/x.py} (/tmp/perf-1.map)\n" $function
			printf '\t50 _PyEval_EvalFrameDefault (/bin/python3)\n'
		done
		printf '\t60 start_thread (/lib/libc.so.6)\n\n'
	} | "$cpprof" import -q --from=perf -o "$tmp/python" -
	"$cpprof" advise --format=csv "$tmp/python" | sed -n 's/^waits,.*;//p' | cut -d, -f1
}
is "$(python '[unknown]' PyEval_RestoreThread)" 'PyEval_RestoreThread"' "who wants Python's lock by name"
python '[unknown]' PyEval_RestoreThread sleep _PyEval_EvalFrameDefault >/dev/null
like "$(COLUMNS=200 "$cpprof" advise "$tmp/python")" 'in PyEval_RestoreThread below py::lookup:' \
	"below a function of the script, not of Python"
is "$(python '[unknown]' _PyEval_EvalFrameDefault)" 'futex"' "or in its loop"
lock=PyThread_acquire_lock_timed
is "$(python $lock '[unknown]')" "$lock\"" "or a lock of the script's"
is "$(python $lock '[unknown] (/lib/_queue.cpython-311-x86_64-linux-gnu.so)')" "" \
	"but not work for a pool"
script='JS:%s node:x:1:1'
python $lock 'wait (/lib/libx.so)' call >/dev/null
script=
like "$(COLUMNS=200 "$cpprof" advise "$tmp/python")" "in $lock below JS:lookup node:x:1:1," \
	"below one of a script's library, not of what interprets it"
is "$(python '[unknown]' '[unknown]' call _PyEval_EvalFrameDefault)$(python)" '' \
	"but what others wait for"

# Reports have these in one line, and the rest is as it was; filters tell them apart.
report() { "$cpprof" report -r blocked --width=80 "$@" "$tmp/data" | sed '1,/^$/d'; }
is "$(report)" '    total      self  function
   85.7 %    85.7 %  [idle]
   14.3 %    14.3 %  futex     libc.so.6
              0.0 %  4 wrappers (--no-fold)

   85.7 %  [idle]
   14.3 %  run > ObjectMonitor::enter > pthread_cond_wait > futex' "idle"
like "$("$cpprof" report -r blocked --up=worker "$tmp/data" 2>&1)" \
	"^hint: 'fold off', or --no-fold, shows" "a function of no other stack"
like "$(report --contains=start_thread --then=worker)" '^ +85\.7 % +100\.0 % .*worker > ' \
	"below one all stacks are shown"
like "$(report --no-fold)" '^ +85\.7 %  +worker > ' "where, with --no-fold"
is "$("$cpprof" export -f folded -r blocked "$tmp/data" | grep -c worker)" 1 "and in exports"
like "$("$cpprof" report --why=worker "$tmp/data")" '^ +85\.7 % .* worker > pthread' "and beside other resources"
last() { report "$1" | tail -n 1 | tr -s ' '; }
for filter in without=[idle] contains=run; do
	is "$(last "--$filter")" " 14.3 % 100.0 % run > ObjectMonitor::enter > pthread_cond_wait > futex" \
		"a filter: $filter"
done
is "$(last --contains=[idle])$(last --contains=worker)" " 85.7 % 100.0 % [idle] 85.7 % 100.0 % [idle]" \
	"and of those that are idle"

is "$(waits "blocked*90 10 $cond worker:x $thread" "cpu 100 work:x main:x")" "" \
	"where all waits are idle there is no advice"
like "$(report)" '^ +100\.0 % .*worker > ' "... and the report shows them"
like "$("$cpprof" report -r blocked "$tmp/data")" "^all of it is waits for events, for work or" "... which it says"

# Nor are the threads of a runtime that has nothing for them to run.
for idle in runtime.stopm runtime.sysmon runtime.netpoll runtime.templateThread \
	'<std::thread::thread::Thread>::park' \
	'<std::sync::mpmc::context::Context>::wait_until'; do
	is "$(waits "blocked 900 futex:libc.so.6 wait:x $idle:x serve:x $thread" \
		"cpu 100 work:x main:x")" "" "$idle: nothing to run"
done
is "$(waits "blocked 900 futex:x runtime.lock2:x serve:x runtime.mcall:x" \
	"blocked 400 futex:x runtime.stopm:x runtime.mcall:x" "cpu 100 work:x main:x")" \
	'waits,"blocked","runtime.mcall;serve;runtime.lock2;futex",0.69231' \
	"but those that want a lock"
like "$(COLUMNS=200 "$cpprof" report -r blocked "$tmp/data")" \
	"^a goroutine that waits is on no thread: these are the waits of Go's threads; as root 'cpprof run -r calls=runtime.gopark -- PROG' " \
	"whose waits they are, and how to see the others"

# What the kernel's time was for is in another run: here is nothing to try.
"$top_builddir/t/lib/make_fixture" "$tmp/kernel" waits
is "$("$cpprof" advise "$tmp/kernel" | sed -n "/kernel's/,/^\$/p")" \
	"1. 80.0 % of the CPU time is the kernel's:
  'cpprof run -r syscalls,iotime -- PROG' shows what for." "the kernel's time, and the run to make"

# Who waits for a processor.
line=runqueue
waits "cpu 600 work:x main:x" "runqueue 300 work:x main:x" "runqueue 100 more:x main:x" >/dev/null
is "$("$cpprof" advise --format=csv "$tmp/data" | grep runqueue)" \
	'line,"runqueue","",0.40000,0.00000,0' "a lack of processors, whatever the function"
waits "cpu 900 work:x main:x" "runqueue 100 work:x main:x" >/dev/null
is "$("$cpprof" advise --format=csv "$tmp/data" | grep runqueue)" "" "but not a little"
resources=blocked
waits "blocked 100 work:x main:x" "runqueue 900 work:x main:x" >/dev/null
is "$("$cpprof" advise --format=csv "$tmp/data" | grep runqueue)" "" \
	"nor where nobody knows how long they ran"
resources=
line=

# Two waits of a library's threads do not read alike.
waits "blocked 500 futex:libc.so.6 wait:libc.so.6 idle:libm.so.1 x:libm.so.1 y:libm.so.1 $thread" \
	"blocked 400 futex:libc.so.6 wait:libc.so.6 drain:libm.so.1 x:libm.so.1 y:libm.so.1 $thread" \
	>"$tmp/csv"
is "$(COLUMNS=80 "$cpprof" advise "$tmp/data" | grep ' > ')" \
	"    y > x > idle > wait > futex
    y > x > drain > wait > futex" "who waits in a library"

# No line is longer than the terminal is wide, and no figure is cut in two.
printf '%s\n' "main;read_the_whole_file;a_function_in_between;look_it_up 12345" \
	'main;c;a_function_in_between;look_it_up 10' | advise >"$tmp/out"
for columns in 40 41 42 43 44 45 46 47 48 49 50 80; do
	COLUMNS=$columns "$cpprof" advise "$tmp/data" >"$tmp/narrow"
	is "$(awk -v columns=$columns 'length > columns' "$tmp/narrow"
		grep -c '12 345' "$tmp/narrow")" 1 \
		"$columns columns, and a number is one word"
done

# Page faults in one function, time in another.
if "$cpprof" run -q -r cpu:500us,pagefaults:1 -o "$tmp/real" -- "$samples/burn" >"$tmp/log" 2>&1
then
	"$cpprof" advise "$tmp/real" >"$tmp/out"
	is $? 0 "of a real run"
else
	skip 1 "no profiles here: $(head -n 1 "$tmp/log")"
fi

# Page faults where next to no time is spent are no advice: a sixtieth, whatever a
# fault and its sample take here.
cat >"$tmp/little.c" <<'END'
#include <stdlib.h>
#include <time.h>
#define NOINLINE __attribute__((noinline))
NOINLINE void touch(volatile char *p, long n) { for (; n--; p += 4096) *p = 1; }
NOINLINE void much(char *p) { touch(p, 900); touch(p, 0); }
NOINLINE void little(char *p) { touch(p, 100); touch(p, 0); }
int main(void) {
	volatile unsigned long sum = 0;
	char *p = malloc(4096 * 1000L);
	much(p); little(p + 4096 * 900L);
	for (clock_t took = clock(); clock() < 60 * took;)
		for (unsigned long i = 0; i < 1000000; i++) sum += i;
	return 0; }
END
if cc -O1 -o "$tmp/little" "$tmp/little.c" 2>/dev/null &&
	"$cpprof" run -q -r cpu,pagefaults:1 -o "$tmp/real" -- "$tmp/little" 2>/dev/null; then
	is "$("$cpprof" advise --format=csv "$tmp/real" | grep pagefaults)" "" \
		"page faults without time"
	"$cpprof" run -q -r pagefaults:1 -o "$tmp/real" -- "$tmp/little"
	like "$("$cpprof" advise --format=csv "$tmp/real")" '"much;touch"' \
		"but where no time was counted"
else
	skip 2 "no profiles here, or no cc"
fi

# The source of a library that was built elsewhere is not here to be listed.
mkdir "$tmp/built" && cd "$tmp/built" || exit 99
cat >../hot.c <<'END'
void hot(long n) { for (volatile long i = 0; i < n; i++) { } }
END
cat >main.c <<'END'
void hot(long n);
__attribute__((noinline)) void much(void) { hot(300000000); __asm__ volatile(""); }
__attribute__((noinline)) void little(void) { hot(20000000); __asm__ volatile(""); }
int main(void) { much(); little(); return 0; }
END
if can_profile && cc -g -O1 -fPIC -shared "-fdebug-prefix-map=$PWD=." -o libhot.so ../hot.c \
	2>/dev/null && cc -O1 -o main main.c ./libhot.so -Wl,-rpath,"$PWD" 2>/dev/null; then
	"$cpprof" run -q -r cpu -o "$tmp/real" -- ./main
	like "$("$cpprof" advise "$tmp/real")" 'up hot; disasm hot$' \
		"a library's instructions, where its source is not known"
	cat >../hot.c <<'END'
static inline __attribute__((always_inline)) void turn(long n)
{ for (volatile long i = 0; i < n; i++) { } }
void hot(long n) { turn(n); }
END
	cc -g -O1 -fPIC -shared "-fdebug-prefix-map=$PWD=." -o libhot.so ../hot.c
	"$cpprof" run -q -r cpu -o "$tmp/real" -- ./main
	like "$("$cpprof" advise "$tmp/real")" 'up turn; list turn$' \
		"but what is inlined has none of its own"
else
	skip 2 "no profiles here, or no cc"
fi
# Where calls go to, a library's instructions tell nothing.
cat >calls.c <<'END'
#include <unistd.h>
__attribute__((noinline)) void much(void) { for (int i = 5000; i--;) close(-1); }
__attribute__((noinline)) void little(void) { for (int i = 300; i--;) close(-1); }
int main(void) { much(); little(); return 0; }
END
if cc -O1 -o calls calls.c 2>/dev/null &&
	"$cpprof" run -q -r syscalls:10 -o "$tmp/real" -- ./calls 2>"$tmp/log"; then
	like "$("$cpprof" advise "$tmp/real")" 'up [^;]*close; disasm much$' \
		"of a call, the instructions of the program that makes it"
else
	skip 1 "no profiles here, or no cc: $(head -n 1 "$tmp/log")"
fi
# Nor do those of a function that makes a system call, and no more.
cat >calls.c <<'END'
#include <fcntl.h>
#include <unistd.h>
__attribute__((noinline)) void much(int fd) { for (int i = 100; i--;) { char b[65536]; pread(fd, b, sizeof b, 0); } }
int main(void) { for (int i = 60, fd = open("/dev/zero", O_RDONLY); i--;) much(fd); return 0; }
END
if cc -O1 -o calls calls.c 2>/dev/null && "$cpprof" run -q -r cpu:100us -o "$tmp/real" -- ./calls 2>"$tmp/log" &&
	"$cpprof" info "$tmp/real" | grep -q 'timer: kernel, per-CPU'; then
	like "$("$cpprof" advise "$tmp/real")" 'resource cpu; up [^;]*pread[^;]*$' \
		"a call that takes the time has no code to show"
else
	skip 1 "no profiles here, or no cc: $(head -n 1 "$tmp/log")"
fi
cat >near.cc <<'END'
namespace std { __attribute__((noinline)) void turn(long n) { for (volatile long i = 0; i < n; i = i + 1) { } } }
__attribute__((noinline)) void much() { std::turn(200000000); __asm__ volatile(""); }
__attribute__((noinline)) void little() { std::turn(15000000); __asm__ volatile(""); }
int main() { much(); little(); }
END
if can_profile && c++ -g -O1 -o near near.cc 2>/dev/null; then
	"$cpprof" run -q -r cpu -o "$tmp/real" -- ./near
	like "$("$cpprof" advise "$tmp/real")" 'up turn; list much$' \
		"the lines of the program's own function, not of a library's inside it"
else
	skip 1 "no profiles here, or no c++"
fi
cd "$tmp" || exit 99

# Programs read at most 8 KiB, whatever the names.
long=$(printf '%2000s' '' | tr ' ' x)
for i in 1 2 3 4 5 6 7; do
	printf '%s\n' "main;a$long$i;b$long;f$long$i 90" "main;c;f$long$i 10"
done >"$tmp/many"
advise <"$tmp/many" >"$tmp/lines"
"$cpprof" advise --format=json "$tmp/data" >"$tmp/json"
within "$(wc -c <"$tmp/json")" 200 8192 "JSON within 8 KiB"
if command -v jq >/dev/null; then
	is "$(jq -c '[.profile, .version, (.entries | length > 0)]' "$tmp/json")" \
		'["advise",1,true]' "and it is JSON"
else
	skip 1 "no jq"
fi
is "$(printf '%s\n' "main;a;it's (f) 90" "main;c;it's (f) 10" | advise >/dev/null
	"$cpprof" advise "$tmp/data" | sed -n 's/.*try: //p')" \
	"resource samples; up \"it's (f)\"; down a" "names as the shell reads them"
printf '%s\n' "up \"it's (f)\"" >"$tmp/script"
"$cpprof" "$tmp/data" <"$tmp/script" >"$tmp/out" 2>&1
like "$(cat "$tmp/out")" "90.0 %    a < main" "and it does read them"

# What probes took the run of one resource does without.
"$cpprof" run -q -r cpu,syscalls:1 -o "$tmp/data" -- \
	dd if=/dev/zero of=/dev/null bs=1 count=200000 2>/dev/null
much=$("$cpprof" info "$tmp/data" 2>/dev/null | awk '/^resource/ { cpu = $2 == "cpu" }
	cpu && $1 == "[probes]:" { took = $2 }
	cpu && $1 == "consumed" { sub(/.*: /, ""); all = $1 }
	END { print (took > all / 8) }')
if [ "$much" -eq 1 ]; then
	like "$(COLUMNS=200 "$cpprof" advise "$tmp/data")" \
		"of cpu was taken by this run's own probes; alone it has none: 'cpprof run -r cpu -- PROG'\.$" \
		"probes, and the run that has none"
else
	skip 1 "its probes took little, or there are no profiles here"
fi

# Where a program starts the processes that cost so much, and the commands.
if can_profile && "$cpprof" run -q -r cpu:100us -o "$tmp/data" -- sh -c \
	'i=0; while [ $((i += 1)) -le 60 ]; do /bin/true; done' 2>"$tmp/err"; then
	is "$("$cpprof" advise --format=csv "$tmp/data" | awk -F, '
		$1 == "processes" { print $2, $3 ~ /;v?fork"$/, $6 }')" '"cpu" 1 60' \
		"many processes, and who starts them"
	try=$("$cpprof" advise "$tmp/data" |
		sed -n '/processes that one process starts/,/^$/s/.*try: //p')
	is "$try" "resource cpu; processes" "and the commands"
	like "$("$cpprof" -c "$try" "$tmp/data" 2>&1)" " %1  .* true$" \
		"which show them"
else
	skip 3 "no profiles here: $(cat "$tmp/err")"
fi

# What Java interprets has no names, which is said once, with what names it.
cat >"$tmp/java.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
	static const char loop[] = "\x48\xff\xcf\x75\xfb\xc3"; /* of RDI turns */
	char *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), name[99];
	void (*run)(long) = (void (*)(long))memcpy(code, loop, sizeof loop);
	snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(name, "w");
	fprintf(map, "%lx 1000 Interpreter\n", (long)code);
	fclose(map);
	puts(name);
	run(500000000);
	return 0; }
END
if [ "$(uname -m)" = x86_64 ] && can_profile && cc -O1 -o "$tmp/java" "$tmp/java.c" 2>/dev/null; then
	map=$("$cpprof" run -q -r cpu -o "$tmp/real" -- "$tmp/java")
	rm -f "$map"
	for ask in advise report; do
		is "$(COLUMNS=200 "$cpprof" $ask "$tmp/real" | grep -c '^Interpreter stands for the methods that Java has not compiled: these have no names; with -Xcomp it compiles all$')" \
			1 "what Java interprets: $ask"
	done
	is "$("$cpprof" advise --format=csv "$tmp/real" | grep -c Interpreter)" 0 "which is no advice"
else
	skip 3 "no profiles here, or no cc, or other code"
fi

# Of what is waited for the waits tell, and real, which is waits and CPU time, no
# second time.
cat >"$tmp/naps.c" <<'END'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *nothing(void *a) { return a; }
int main(void) {
	struct timespec t, nap = {0, 100000000};
	pthread_t thread;
	pthread_create(&thread, 0, nothing, 0);
	pthread_join(thread, 0);
	nanosleep(&nap, 0);
	pthread_mutex_lock(&m);
	for (int i = 0; i < 20; i++) {
		clock_gettime(CLOCK_REALTIME, &t);
		if ((t.tv_nsec += 10000000) >= 1000000000)
			t.tv_sec++, t.tv_nsec -= 1000000000;
		pthread_cond_timedwait(&c, &m, &t);
	}
	return 0; }
END
if cc -O0 -pthread -o "$tmp/naps" "$tmp/naps.c" 2>/dev/null &&
	"$cpprof" run -q -r cpu,real:1ms,blocked:1ms -o "$tmp/real" -- \
		"$tmp/naps" 2>/dev/null; then
	is "$("$cpprof" advise --format=csv "$tmp/real" | grep -c ',"real",')" 0 \
		"real tells of no wait again"
else
	skip 1 "no profiles here, or no cc"
fi

# What waits by a tail call is told by its name.
cat >"$tmp/tail.c" <<'END'
#include <pthread.h>
#include <time.h>
static volatile int ran;
__attribute__((noinline)) static int inner(const struct timespec *t) {
	nanosleep(t, NULL);
	return ++ran; }
__attribute__((noinline)) int sem_clockwait(const struct timespec *t) { return inner(t); }
static void *serve(void *arg) {
	const struct timespec nap = {.tv_nsec = 5000000};
	for (int i = 0; i < 20; i++) ran += sem_clockwait(&nap);
	return arg; }
int main(void) {
	const struct timespec nap = {.tv_nsec = 9000000};
	pthread_t thread;
	pthread_create(&thread, NULL, serve, NULL);
	for (int i = 0; i < 10; i++) nanosleep(&nap, NULL);
	pthread_join(thread, NULL);
	return 0; }
END
if cc -O2 -pthread -o "$tmp/tail" "$tmp/tail.c" 2>/dev/null &&
	"$cpprof" run -q -r blocked:1ms -o "$tmp/real" -- "$tmp/tail" 2>/dev/null; then
	like "$("$cpprof" report -r blocked --no-fold "$tmp/real")" "serve > sem_clockwait > inner" \
		"what was left by a tail call stands in the stack"
	is "$("$cpprof" report -r blocked "$tmp/real" | grep -c serve)" 0 "and tells that it is [idle]"
else
	skip 2 "no profiles here, or no cc"
fi

# Where no waits were counted, that it waited, and the run that counts them; several
# threads that wait for events, in one line.
cat >"$tmp/rest.c" <<'END'
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/select.h>
#include <time.h>
__attribute__((noinline)) static void think(void) {
	for (clock_t end = clock() + CLOCKS_PER_SEC / 500; clock() < end;)
		for (volatile int i = 0; i < 100000; i++) ; }
__attribute__((noinline)) static void query(void) {
	struct timeval t = {0, 60000};
	select(0, NULL, NULL, NULL, &t); }
static void *turn(void *arg) {
	for (int i = 0; i < 12; i++) { query(); think(); }
	return arg; }
int main(int argc, char **argv) {
	pthread_t thread;
	if (argc > 2)
		for (;;) turn(argv);
	if (argc < 2 || pthread_create(&thread, NULL, turn, NULL))
		turn(argv);
	else
		pthread_join(thread, NULL);
	return 0; }
END
first() { "$cpprof" advise --format=csv "$tmp/real" | sed 1d | cut -d, -f1 | tr '\n' ' '; }
if can_profile && cc -O1 -pthread -o "$tmp/rest" "$tmp/rest.c" 2>/dev/null; then
	"$cpprof" run -q -r cpu:100us -o "$tmp/real" -- "$tmp/rest"
	like "$(COLUMNS=200 "$cpprof" advise "$tmp/real")" \
		"^1\. No thread ran for [0-9]+ ms of [0-9.]+ m?s: 'cpprof run -r blocked:1ms,runqueue -- PROG' shows why\.$" \
		"it waits, and nobody counted"
	"$cpprof" run -q -r cpu:100us,blocked -o "$tmp/real" -- "$tmp/rest"
	like "$(first)" "^rest .*hot " "a client waits, and then what it costs"
	"$cpprof" run -q -r cpu:100us,blocked -o "$tmp/real" -- "$tmp/rest" threads
	like "$(first)" "hot .*rest $" "several threads rest: last"
	like "$(COLUMNS=200 "$cpprof" advise "$tmp/real")" \
		"^[0-9]\. No thread ran for [0-9]+ ms of [0-9.]+ m?s: \[idle\], they wait for events or for work\.$" \
		"in one line"
	"$tmp/rest" for ever &
	"$cpprof" attach -q --duration=1s -r cpu:100us,blocked:1ms -o "$tmp/real" $!
	kill $!
	like "$(first)" "hot .*rest $" "who was there before may serve others: last"
else
	skip 5 "no profiles here, or no cc"
fi

# Of what threads wait that have nothing to do the report says how to see it.
cat >"$tmp/pool.c" <<'END'
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static void *idle(void *arg) { for (;;) pause(); return arg; }
static void *work(void *arg) {
	const struct timespec nap = {.tv_nsec = 500000};
	for (clock_t end = clock() + CLOCKS_PER_SEC / 3; clock() < end;)
		if (!(clock() & 63)) nanosleep(&nap, NULL);
	return arg; }
int main(void) {
	pthread_t thread;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, idle, NULL);
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	return 0; }
END
if cc -O1 -pthread -o "$tmp/pool" "$tmp/pool.c" 2>/dev/null &&
	"$cpprof" run -q -r blocked:1ms -o "$tmp/real" -- "$tmp/pool" 2>/dev/null; then
	like "$(COLUMNS=200 "$cpprof" report "$tmp/real")" \
		"% of it is \[idle\], .*: 'cpprof report -r blocked --no-fold $tmp/real' shows where$" \
		"which threads do nothing"
	like "$(COLUMNS=200 "$cpprof" -c report "$tmp/real")" ": 'fold off' shows where$" "in the shell, too"
	is "$("$cpprof" -c 'resource blocked; contains [idle]; threads' "$tmp/real" |
		awk '$NF == "idle" || ($NF == "work" && !($3 + 0))' | grep -c ' pool ')" 4 \
		"and whose they are"
else
	skip 3 "no profiles here, or no cc"
fi
done_testing
