#!/bin/sh
# Do no harm: what a program finds, does and says under cpprof is what it is
# without.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "$why"
target=$top_builddir/t/live/target/monitor_target
dump=$top_builddir/t/lib/monitor_dump
f=$tmp/file
traced=${resources:+yes} # perf events are refused

# under COMMAND...: its profile goes to $f
under() {
	"$cpprof" run -q -o "$f" -r "${resources:-cpu,pagefaults:10}" -- "$@"
}

# said FILE...: without what a tracer cannot but show, and whether signal 33 was
# ignored, which is the C library's own: it takes it for itself in cpprof
said() {
	if [ -n "$traced" ]; then
		sed 's/^\(TracerPid:\).*/\1/
			s/^\(SigIgn:.0000000\)1/\10/' "$@"
	else
		cat "$@"
	fi
}

# followed TEXT WANTED: so many records of the file have TEXT, or it says that
# such were lost (an ordinary user's rings are small)
followed() {
	n=$("$dump" "$f" | grep -c "$1")
	if [ "$n" -lt "$2" ] && "$dump" "$f" |
		grep -q '^note warning .*records of new .* were lost'; then
		ok 0 "... are followed, but for those said to be lost ($n)"
	else
		is "$n" "$2" "... all are followed"
	fi
}

# same WHAT SHELL-TEXT: in which $run is nothing, or cpprof
same() {
	run=
	(eval "$2") >"$tmp/o" 2>"$tmp/e"
	bare=$?
	said "$tmp/o" "$tmp/e" >"$tmp/bare"
	run=under
	(eval "$2") >"$tmp/o" 2>"$tmp/e"
	is "$?" "$bare" "$1: the status is $bare"
	is "$(said "$tmp/o" "$tmp/e")" "$(cat "$tmp/bare")" \
		"$1: the same is said"
}

# whole WHAT: the file is complete
whole() {
	is "$("$dump" "$f" | grep -c '^end ')" 1 "$1: the file is complete"
}

for status in 0 1 42 125 126 127 128 255; do
	"$target" exit $status
	bare=$?
	under "$target" exit $status
	is $? $bare "exit $status"
done
for signal in 1 2 3 6 9 11 13 14 15; do
	under "$target" signal $signal 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" "$((128 + signal)):" "ended by signal $signal"
	is "$("$dump" "$f" | sed -n 's/^end //p')" $signal \
		"... which is in the file"
done

# Descriptors.  The shell itself has none but 0 to 2 open here.
same "descriptors" '$run "$target" fds </dev/null'
same "a closed standard input" '$run "$target" fds <&-'
same "a closed standard output" '$run "$target" fds <&- >&-'
same "closed standard descriptors" '$run "$target" fds <&- >&- 2>&-'
whole "closed standard descriptors"
same "descriptors to inherit" \
	'$run "$target" fds </dev/null 5</dev/null 9>>"$tmp/nine"'
same "input and output" 'seq 20000 | $run sort -rn | md5sum'
same "much output, half of it read" \
	'$run seq 1000000 2>/dev/null | head -n 3'
same "an executable that is no program" '$run "$tmp/script" a b' \
	"$(printf 'echo "$0" "$@"\n' >"$tmp/script"; chmod +x "$tmp/script")"

# What a program begins with.  Its group is cpprof's, so the shell's here.
same "attributes" '$run "$target" attributes'
same "what it asks of its parent" '$run "$target" parent'
same "... under a flood" '$run sh -c "\$1 flood 3000 20 & exec \$1 parent" - \
	"$target" | sort'
same "... with signals ignored" \
	'trap "" CHLD HUP INT PIPE TSTP USR1; $run "$target" attributes'
same "... under limits" 'ulimit -n 64; ulimit -c 0; ulimit -s 1024
	$run "$target" attributes'
same "... nice, with another umask" \
	'umask 7; run="${run:+$cpprof run -q -o $f --}"; nice -n 5 $run "$target" attributes'
same "... with nothing in the environment" \
	'run="${run:+$cpprof run -q -o $f --}"; env -i $run "$target" attributes'
if command -v chrt >/dev/null; then
	same "... of another policy" \
		'run="${run:+$cpprof run -q -o $f --}"; chrt -b 0 $run "$target" attributes'
else
	skip 2 "no chrt"
fi

# Threads and processes of every sort.
same "the leader ends first" '$run "$target" leader-first'
whole "the leader ends first"
same "exec from another thread" '$run "$target" exec-thread'
whole "exec from another thread"
is "$("$dump" "$f" | grep -c '^process .* exec monitor_target\|exec exec')" 2 \
	"... is a second program"
same "a hundred execs" '$run "$target" exec-chain 100'
same "vfork, posix_spawn, clone3" '$run "$target" spawns 20'
followed '^process .* exec ' 41
same "all descriptors closed" '$run "$target" close-all'
whole "all descriptors closed"
same "2000 processes" '$run "$target" processes 2000 10'
followed '^process .* fork monitor_target ' 2000
same "a target that stops itself" '$run "$target" stop-self 19'
same "... by the terminal's signal" '$run "$target" stop-self 20'
same "a shell's job control" '$run bash -mc "sleep 0.1 & wait %1; echo \$?"'

# A daemon outlives the target, and the profile: it works until it may end.
: >"$tmp/hold"
same "a daemon is left behind" '$run "$target" daemon "$tmp/d$run" "$tmp/hold"
	s=$?; [ -e "$tmp/d$run" ] && echo early; exit $s'
whole "a daemon is left behind"
rm "$tmp/hold"
i=0
until [ -e "$tmp/d" ] && [ -e "$tmp/dunder" ] || [ $i -gt 600 ]; do
	sleep 0.1
	i=$((i + 1))
done
[ -e "$tmp/dunder" ]
ok $? "... and ends its work"

# handed SIGNAL: sent to cpprof alone, from a group of its own
handed() {
	rm -f "$tmp/said"
	"$cpprof" run -q -o "$f" -- "$target" signals 1 >"$tmp/said" &
	pid=$!
	i=0
	until grep -qs ready "$tmp/said" || [ $i -gt 600 ]; do
		sleep 0.05
		i=$((i + 1))
	done
	kill -"$1" $pid
	wait $pid
	is "$?:$(tail -n 1 "$tmp/said")" "0:signal $2" \
		"SIG$1 to cpprof is the target's"
	whole "SIG$1"
}
handed TERM 15
handed HUP 1
handed INT 2
handed QUIT 3
handed USR2 12 # SIGUSR1 is cpprof's own: t/live/timer/collection.t

# grouped HOW SIGNAL NUMBER: sent to the group that cpprof and the target are in.
# SIGUSR2 and SIGQUIT to cpprof alone come last: one would be there before.  (A
# SIGINT after the SIGTERM would be a second request to end: t/live/harm/signals.t.)
grouped() {
	rm -f "$tmp/said"
	setsid sh -c 'echo $$ >"$1"; shift; exec "$@"' - "$tmp/group" \
		"$cpprof" run -q --timer="$1" -r "$2" -o "$f" -- \
		"$target" signals 4 >"$tmp/said" 2>"$tmp/err" &
	job=$!
	i=0
	until grep -qs ready "$tmp/said" || [ $i -gt 600 ]; do
		sleep 0.05
		i=$((i + 1))
	done
	pid=$(cat "$tmp/group")
	# each when the one before has come; twice it would come soon after
	for signal in "TERM -$pid 15" "HUP -$pid 1" "USR2 $pid 12" "QUIT $pid 3"
	do
		set -- "$1" "$2" $signal
		kill -"$3" "$4"
		i=0
		until grep -qs "signal $5\$" "$tmp/said" || [ $i -gt 400 ]; do
			sleep 0.05
			i=$((i + 1))
		done
		[ "$5" = 3 ] || sleep 0.3
	done
	wait $job
	is "$?:$(grep signal "$tmp/said" | tr '\n' ' ')" \
		"0:signal 15 signal 1 signal 12 signal 3 " \
		"$1: each signal to the group comes once"
	whole "$1: signals to the group"
}
for how in kernel:cpu stop:syscalls; do
	if "$cpprof" run -q --timer=${how%:*} -r ${how#*:} -o "$tmp/can" -- \
		"$target" exit 0 >"$tmp/err" 2>&1 ||
		grep -q 'no samples' "$tmp/err"; then
		grouped ${how%:*} ${how#*:}
	else
		skip 2 "no ${how%:*} timers here"
	fi
done

# Job control at a terminal.  By stops cpprof stops with the target only where
# all it traces has stopped; not so where a target with a child stops itself.
pty=$top_builddir/t/lib/pty
files="z c"
echo 'echo counting; until [ -e go ]; do :; done; echo counted; exit 8' >"$tmp/until"
[ -n "$traced" ] || files="z c s"
{
	cat <<-EOF
		send PS1='<>'; cd $tmp; stty -echo\r
		expect <>
		send $cpprof run -q -o z -- sh until\r
		expect counting
		send \x1a
		expect topped
		send echo has \$? prompt\r
		expect has 148 prompt
		send touch go; fg\r
		expect counted
		send echo status \$?\r
		expect status 8
		send $cpprof run -q -o c -- $target signals 1\r
		expect ready
		send \x03
		expect signal 2
		send echo status \$?\r
		expect status 0
	EOF
	[ -n "$traced" ] || cat <<-EOF
		send $cpprof run -q -o s -- $target stop-self 19\r
		expect went on
		send until $dump s 2>&1 | grep -q ^end; do sleep 0.1; done\r
		send echo all ended\r
		expect all ended
	EOF
	printf '%s\n' 'send exec true\r'
} | "$pty" 24 80 sh -i >"$tmp/tty" 2>&1
got=$?
if [ $got = 77 ]; then
	skip 4 "no pseudo-terminals"
else
	is $got 0 "Ctrl-Z, fg and Ctrl-C at a terminal"
	[ $got = 0 ] || sed 's/^/# /' "$tmp/tty"
	for name in $files; do
		f=$tmp/$name
		whole "at a terminal, $name"
	done
fi

done_testing
