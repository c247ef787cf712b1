#!/bin/sh
# Faults in the monitor's own system calls, one by one: the program's status is
# its own or it is not run at all, the error is told, the file that is left can
# be read, and nothing hangs; who is attached to goes on.  CPPROF_TEST_FULL=1: every
# call, not some of them.  CPPROF_TEST_ONLY="--timer=stop,attach --timer=stop":
# with these options alone.
. "$(dirname "$0")/../../lib/lib.sh"
[ -z "${SANITIZERS:-}" ] || skip_all "the sanitizers' own calls would fail"

can_profile || skip_all "$why"
[ "$(uname -m)" = x86_64 ] || skip_all "the numbers of calls are x86-64's"
inject=$top_builddir/t/lib/inject
f=$tmp/file
"$inject" 5 999 1 true
[ $? -ne 77 ] || skip_all "no seccomp filters that ask"
EIO=5 EAGAIN=11 ENOMEM=12 EINVAL=22 EMFILE=24 ENOSPC=28 EPERM=1 ENOSYS=38

# under OPTIONS ERROR CALL N: the program writes what it is, and exits with 7;
# or what runs already, where the options begin with "attach"
under() {
	case $1 in
	attach*)
		rm -rf "$f" "$f.old" "$f.partial"
		# shellcheck disable=SC2086
		"$inject" $2 $3 $4 "$cpprof" $1 -q -r "$spec" \
			--duration=50ms -o "$f" $target >"$tmp/out" 2>"$tmp/err"
		rc=$?
		return
		;;
	esac
	rm -rf "$tmp/ran" "$f" "$f.old" "$f.partial"
	# shellcheck disable=SC2086
	"$inject" $2 $3 $4 "$cpprof" run -q $1 -r "$spec" \
		-o "$f" -- sh -c 'i=0; while [ $((i += 1)) -lt 3000 ]; do :; done
		echo ran >"$1"; exit 7' - "$tmp/ran" >"$tmp/out" 2>"$tmp/err"
	rc=$?
}

# judged: whether that went as it should, else the reason in $bad
judged() {
	bad=
	case $opts:$rc in
	*:124) bad="it hangs" ;;
	attach*:0) ;;
	attach*:1)
		grep -q '^cpprof: ' "$tmp/err" || bad="nothing is said"
		;;
	*:7) [ -s "$tmp/ran" ] || bad="status 7 of a program that did not run" ;;
	*:125)
		[ ! -s "$tmp/ran" ] || bad="the program's status is lost"
		grep -q '^cpprof: ' "$tmp/err" || bad="nothing is said"
		[ ! -e "$f" ] || bad="a file, though nothing was run"
		;;
	*)
		# the loader of programs has no other way
		grep -qE 'while loading shared libraries|for initial thread' \
			"$tmp/err" || [ "$name:$which" = mmap:1 ] ||
			[ "$name:$which" = mmap:1+ ] || bad="status $rc"
		;;
	esac
	# where nothing can be written, nothing can be said
	[ "$name:$which" != write:1+ ] || [ "$bad" != "nothing is said" ] ||
		bad=
	[ "${opts#attach}" = "$opts" ] || kill -0 $target 2>/dev/null ||
		bad="the process has ended"
	[ "${opts#attach}" = "$opts" ] ||
		! grep -qE '^State:	[tT]' /proc/$target/status ||
		bad="the process is stopped"
	for left in "$f" "$f.partial"; do
		[ ! -s "$left" ] || timeout 20 "$cpprof" info "$left" \
			>"$tmp/info" 2>&1 ||
			[ -s "$tmp/err" ] || bad="a file that cannot be read"
	done
	case $opts:$rc in
	attach*:0) grep -q 'still running' "$tmp/info" ;;
	attach* | *:124) true ;;
	*:7) grep -q '^exit status: 7' "$tmp/info" ;;
	esac || [ -s "$tmp/err" ] || [ "$name:$which" = write:1+ ] ||
		bad="no end of the file, and no word"
	[ -z "$bad" ]
}

# fails OPTIONS CALL NUMBER ERROR WHICH...: calls by number, "last" or "middle"
fails() {
	opts=$1 name=$2 nr=$3 error=$4
	shift 4
	under "$opts" 0 "$nr" 0
	all=$(awk -v nr="$nr" '$1 == nr { print $2 }' "$tmp/err")
	if [ -z "$all" ] || [ "$all" -eq 0 ]; then
		skip 1 "$opts: $name is not called here"
		return
	fi
	if [ -n "${CPPROF_TEST_FULL:-}" ] && [ "$name" != close ]; then
		# all of them; of a great many, as evenly as 200 are
		set -- $(awk -v n="$all" 'BEGIN { step = n > 200 ? n / 200 : 1
			for (i = 1; i <= n; i += step) print int(i) }') 1+
	fi
	failed=
	for which; do
		case $which in
		last) which=$all ;;
		middle) which=$(((all + 1) / 2)) ;;
		esac
		under "$opts" "$error" "$nr" "$which"
		judged || {
			failed="$failed $which"
			echo "# $name $which of $all: $bad: $(tr '\n' ' ' \
				<"$tmp/err" | head -c 300)"
		}
	done
	is "$failed" "" "$opts: $name fails with $error: 1 to $all"
}

"$top_builddir/t/live/target/attach_target" 3600000 >"$tmp/ready" &
target=$!
trap 'kill $target; rm -rf "$tmp"' EXIT
until grep -qs ready "$tmp/ready"; do sleep 0.01; done

for opts in --timer=auto --timer=per-task --timer=stop \
	"attach --timer=auto" "attach --timer=per-task" "attach --timer=stop"; do
	case ,${CPPROF_TEST_ONLY-$opts}, in *,"$opts",*) ;; *) continue ;; esac
	spec=cpu:1ms,pagefaults
	[ "${opts%stop}" = "$opts" ] || spec=cpu:1ms,syscalls
	under "$opts" 0 999 0
	if [ $rc -ne 7 ] && [ "$opts:$rc" != "attach ${opts#attach }:0" ]; then
		skip 1 "$opts: $(head -n 1 "$tmp/err")"
		continue
	fi
	fails "$opts" bpf 321 $EPERM 1 9 middle last 1+
	fails "$opts" bpf 321 $ENOSPC middle
	fails "$opts" perf_event_open 298 $EMFILE 1 middle last 1+
	fails "$opts" perf_event_open 298 $ENOSPC last
	fails "$opts" ioctl 16 $EINVAL 1 middle last
	fails "$opts" mmap 9 $ENOMEM last
	# the fifth lets the program go on after its exec; from there on none may
	fails "$opts" ptrace 101 $EPERM 1 5 5+ middle last
	fails "$opts" pipe2 293 $EMFILE 1 last
	fails "$opts" socketpair 53 $EMFILE 1 last
	fails "$opts" fork 56 $EAGAIN 1 2 last
	fails "$opts" clone3 435 $EAGAIN 1 last
	fails "$opts" signalfd4 289 $EMFILE 1
	fails "$opts" sched_setscheduler 144 $EPERM 1+
	fails "$opts" ppoll 271 $EINVAL 1
	fails "$opts" wait4 61 $EINVAL 1 last 1+
	fails "$opts" write 1 $EIO 1 last
	fails "$opts" openat 257 $EMFILE 1+
	fails "$opts" rename 82 $EIO 1
	# The kernel closes what it fails to close, an injected failure does not: an
	# end of a pipe that stays open is waited for in vain.
	fails "$opts" close 3 $EIO last
	[ "$opts" = --timer=stop ] || continue
	under "$opts" $EPERM 101 30+
	judged
	like "$rc $(cat "$tmp/err")" \
		'^7 .*ptrace: PTRACE_[A-Z_]*: Operation not permitted' \
		"$opts: no more is traced: the program goes on, and it is said"
	like "$(cat "$tmp/info")" \
		'collecting ended early, as the kernel refused to trace on' \
		"$opts: ... in the file too"
	is "$(sed -n 's/^  difference: \([0-9]*\) calls.*/\1/p' "$tmp/info")" 0 \
		"$opts: ... and what was counted until then balances"
done
done_testing
