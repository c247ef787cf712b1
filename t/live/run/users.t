#!/bin/sh
# README's first screen, for each kind of user: what a newcomer types first works,
# and says what it took and what to change.
. "$(dirname "$0")/../../lib/lib.sh"
refuse="$top_builddir/t/lib/refuse EPERM perf_event_open,bpf"
ordinary="setpriv --reuid=65534 --regid=65534 --clear-groups"
chmod 777 "$tmp" && cd "$tmp" || exit 99
ulimit -l unlimited 2>/dev/null

# screen WHO...: the commands of README by that user; $told is what run said
screen() {
	as="$*" && as=${as##*/t/lib/}
	as=${as:-this user} as=${as#setpriv * --clear-groups }
	rm -rf home && mkdir -m 777 home && cd home || exit 99
	"$@" timeout -k 2 600 "$cpprof" run -- "$samples/process_db" >out 2>told
	is $? 0 "$as: run"
	told=$(cat told)
	"$@" "$cpprof" report >report 2>&1
	like "$(cat report)" "^cpu .* samples?" "... report"
	if grep -q 'not pagefaults' told; then
		is "$("$@" "$cpprof" report -r pagefaults 2>&1 | grep -c 'cpu')" 1 \
			"... there is cpu alone, and report says so"
	else
		like "$("$@" "$cpprof" report -r pagefaults 2>&1)" "main .*process_db.c" \
			"... report -r pagefaults"
	fi
	"$@" "$cpprof" advise >advice 2>&1
	is "$?:$(grep -c '^cpprof: ' advice)" 0:0 "... advise"
	like "$(echo function | "$@" "$cpprof" 2>&1)" "process_db\.c:" "... the shell"
	"$@" "$cpprof" export -f html -o page.html && [ -s page.html ]
	ok $? "... a page"
	"$@" "$cpprof" resources >resources 2>&1
	is "$?:$(grep -c '^cpu  .* [a-z]' resources)" 0:1 "... resources"
	"$@" sleep 300 &
	sleeper=$!
	until [ "$(cat /proc/$sleeper/comm)" = sleep ]; do sleep 0.02; done
	"$@" timeout -k 2 600 "$cpprof" attach --duration=0.3s $sleeper >log 2>&1
	is $? 0 "... attach" || sed 's/^/# /' log
	kill $sleeper
	# nobody can leave a zombie to the shell that waits for it
	wait $sleeper 2>/dev/null
	"$@" timeout -k 2 600 "$cpprof" run --detach -- sh -c 'echo $PPID' >log 2>&1
	is $? 0 "... run --detach" || sed 's/^/# /' log
	cd ..
}

screen
if "$cpprof" run -q --timer=per-cpu -o can -- true 2>/dev/null; then
	unlike "$told" "takes" "root has all, and is told nothing"
else
	skip 1 "no BPF programs here"
fi

if $refuse true 2>/dev/null; then
	screen $refuse
	like "$told" "^cpprof: takes cpu, not pagefaults: perf_event_open: " \
		"... and run says what it takes"
	like "$told" "^hint: .*(sysctl|allow the system call)" "... and what to change"
else
	skip 11 "no seccomp filters"
fi

if [ "$(id -u)" -eq 0 ] && $ordinary test -x "$cpprof" 2>/dev/null; then
	screen $ordinary
	like "$(echo $told)" "^cpprof: takes cpu.*(sysctl|allow the system call|setcap)" \
		"... and run says what to change"
	screen $ordinary $refuse
	# A tenth of a second of faults, half a million in a second, 1 KiB a sample, is
	# half of what this user's rings may have; what is asked for stays.
	may=$(($(cat /proc/sys/kernel/perf_event_mlock_kb || echo 516) +
		64 / $(getconf _NPROCESSORS_ONLN)))
	# (a user of its own: what the runs of others have locked counts)
	small() {
		setpriv --reuid=64321 --regid=64321 --clear-groups \
			sh -c 'ulimit -l 64 && exec "$@"' sh "$cpprof" "$@"
	}
	row=$(small resources 2>/dev/null | grep '^pagefaults .*kernel, per-task')
	if [ "$row" ]; then
		every=$(echo $row | cut -d' ' -f3)
		ok $((100000 / every > may)) "small rings: a default of $every fits in $may KiB"
		small run -o "$tmp/many" -- true 2>log
		small run -o "$tmp/few" -r pagefaults:3 -- true 2>>log
		is "$(for f in many few; do "$cpprof" info "$tmp/$f"; done |
			sed -n 's/^ *interval: *\([0-9]*\) fault.*/\1/p' | xargs)" "$every 3" \
			"... and is the default of run, where none is given" || sed 's/^/# /' log
	else
		skip 2 "no per-task timers of page faults"
	fi
else
	skip 21 "no way to be an ordinary user here"
fi

done_testing
