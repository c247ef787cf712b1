#!/bin/sh
# fpe: floating point exceptions by kind and path, as many as programs say that they
# raise; what programs see of it, which is nothing; and what is left of it when
# cpprof is killed.
. "$(dirname "$0")/../../lib/lib.sh"

data=$tmp/data truth=$tmp/truth folded=$tmp/folded
target=$top_builddir/t/live/target/exceptions

"$cpprof" run -q -r fpe=nonsense -o "$data" -- true 2>"$tmp/err"
is "$?:$(grep -c 'no such kind' "$tmp/err"):$(grep -c '^hint: .*denormal' "$tmp/err")" \
	125:1:1 "a wrong kind has the right ones in its hint"
timeout 60 "$cpprof" run -q -r fpe -o "$data" -- "$target" d >"$tmp/out" 2>"$tmp/err" ||
	[ $? = 3 ] || skip_all "no exceptions here: $(head -n 1 "$tmp/err")"

# exactly RESOURCE
exactly() {
	"$cpprof" export --format=folded --resource="$1" "$data" |
		sed 's/^.*;thread;/thread;/' >"$folded"
	awk -f "$top_srcdir/t/lib/truth.awk" -v resource="$1" -v exact=1 \
		"$truth" "$folded"
	ok $? "$1, path by path, exactly"
}

all=fpe=invalid,fpe=divbyzero,fpe=overflow,fpe=underflow,fpe=denormal
"$target" kinds again >"$tmp/bare"
TELL=2 timeout 100 "$cpprof" run -q -r $all,fpe=inexact,fpe -o "$data" -- \
	"$target" kinds again >"$truth"
is "$?:$(grep -v ^truth "$truth")" "0:$(cat "$tmp/bare")" \
	"in threads, a child and after an exec: a program sees the flags it would see"
for kind in invalid divbyzero overflow underflow denormal; do
	exactly fpe=$kind
done
# overflow, underflow and sums of denormals round, too
is "$("$top_builddir/t/lib/monitor_dump" "$data" |
	awk '$1 == "resource" && $2 == "fpe=inexact" { print $7 }')" \
	$((2 * 5 * (3 + 4 + 5 + 6))) "fpe=inexact: all that round"
is "$("$top_builddir/t/lib/monitor_dump" "$data" |
	awk '$1 == "resource" && $2 == "fpe" { print $7 }')" \
	$((2 * 5 * (1 + 2 + 3 + 4 + 5))) "fpe: all but those that only round"

timeout 100 "$cpprof" run -q -r fpe,cpu -o "$data" -- "$samples/solver" --truth \
	--cells=4 --steps=250 >"$truth"
exactly fpe
timeout 100 "$cpprof" run -q -r fpe=inexact:10 -o "$data" -- "$target" kinds \
	>/dev/null
within "$(of fpe=inexact hits)" 6 9 "every tenth"

# what it does by itself is done to it, and nothing else
for letters in d dd ddhd hdd hedd hei hi dhi hmdd hk k ed dhedd hddmd dkd; do
	("$target" $letters >"$tmp/bare") 2>/dev/null
	status=$?
	timeout 60 "$cpprof" run -q -r fpe -o "$data" -- "$target" $letters \
		>"$tmp/out" 2>"$tmp/err"
	is "$?:$(cat "$tmp/out")" "$status:$(cat "$tmp/bare")" \
		"$letters: the same output and status"
done
timeout 60 "$cpprof" run -q -r fpe -o "$data" -- "$target" hd >/dev/null 2>&1
like "$("$cpprof" info "$data")" "handles SIGFPE or unmasks" \
	"a program that handles SIGFPE is left alone, and info says so"
timeout 100 "$cpprof" run -q -r fpe=divbyzero -o "$data" -- "$target" s >"$tmp/out"
is "$?:$(cat "$tmp/out")" "3:signals came
enabled 0" "signals come while it steps"
"$cpprof" export --format=folded "$data" | sed 's/.*;storm;/storm;/' |
	grep '^storm;divbyzero ' >"$folded"
is "$(awk '{ n += $NF } END { print n }' "$folded")" 1000 \
	"... and each exception counts once"
"$cpprof" run -r fpe -o "$data" -- "$target" d >/dev/null 2>"$tmp/err"
like "$(cat "$tmp/err")" "killed \(SIGKILL\)" "run says what SIGKILL would do"

# The target waits, without a tracer, until the guard has masked its exceptions.
scope=$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)
if [ "$scope" = 0 ] || [ "$(id -u)" = 0 ]; then
	mkfifo "$tmp/go"
	# started COMMAND...: when it waits for a line, which is what ends it
	started() {
		rm -f "$tmp/out"
		timeout 100 "$@" sh -c '"$0" dwdd <"$1" >"$2"; echo $? >"$2.status"' \
			"$target" "$tmp/go" "$tmp/out" &
		exec 3>"$tmp/go"
		until grep -q . "$tmp/out" 2>/dev/null || [ $n -gt 600 ]; do
			n=$((n + 1))
			sleep 0.1
		done
	}
	ended() {
		echo >&3
		exec 3>&-
		until grep -q . "$tmp/out.status" 2>/dev/null || [ $n -gt 600 ]; do
			n=$((n + 1))
			sleep 0.1
		done
		cat "$tmp/out" "$tmp/out.status"
		rm -f "$tmp/out.status"
	}
	n=0
	started env
	ended >"$tmp/bare"
	started env
	# the shell is timeout's child, and the program the shell's
	pid=$(cat /proc/$!/task/*/children)
	pid=$(cat "/proc/${pid% }"/task/*/children)
	timeout 60 "$cpprof" attach -q -r fpe --duration=300ms -o "$data" \
		"${pid% }" >/dev/null 2>"$tmp/err"
	ended >"$tmp/left"
	is "$(cat "$tmp/err" "$tmp/left")" "$(cat "$tmp/bare")" \
		"a program that is let go has its own masks"
	started "$cpprof" run -q -r fpe -o "$data" --
	monitor=$(cat /proc/$!/task/*/children)
	monitor=${monitor% }
	for guard in $(cat "/proc/$monitor"/task/*/children); do
		[ "$(cat "/proc/$guard/comm")" != cpprof-guard ] || break
	done
	is "$(cat "/proc/$guard/comm")" cpprof-guard "there is a guard"
	kill -KILL "$monitor"
	while [ -e "/proc/$guard" ] && [ $n -le 600 ]; do
		n=$((n + 1))
		sleep 0.1
	done
	ended >"$tmp/killed"
	is "$(cat "$tmp/killed")" "$(cat "$tmp/bare")" \
		"killed, cpprof leaves no exception unmasked"
	wait
else
	skip 3 "kernel.yama.ptrace_scope is $scope: the guard may not trace"
fi
done_testing
