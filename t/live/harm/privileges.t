#!/bin/sh
# Every resource, with any rights: it works, and samples and losses add up, or
# two lines say why not and what to do.
. "$(dirname "$0")/../../lib/lib.sh"

mkdir -m 777 "$tmp/w"
data=$tmp/w/data
refuse=$top_builddir/t/lib/refuse
target=$top_builddir/t/live/target/monitor_target
names=$("$cpprof" resources | awk 'NR > 1 && NF > 1 {
	print $1 } !NF { exit }' | sort -u)

# The rows, with what those need that cannot be without it.
rows() {
	for name in $names; do
		case $name in
		calls | calls=FUNC) echo calls=main ;;
		rNNN) echo r3c ;;
		PMU/.../) echo cpu/config=0x3c/ ;;
		tracepoint:*) echo tracepoint:sched:sched_process_exec ;;
		*) echo "$name" ;;
		esac
	done
}

# The errors in totals and losses.  Clocks are sampled; all else is
# counted, to within one interval per thread and processor.
unbalanced() {
	"$cpprof" info "$data" 2>&1 | awk -v cpus="$(nproc)" '
		/^  interval: / { interval = $2 }
		/sampled by a clock/ { clock = 1 }
		/^  difference: / {
			seen = 1
			line = $0
			d = $2 < 0 ? -$2 : $2 + 0
		}
		/^processes: / { threads = $NF }
		END {
			if (!seen)
				print "no books"
			else if (!clock && d > interval * (threads + cpus))
				print line
		}'
}

# matrix WHO COMMAND...: COMMAND runs what follows it
matrix() {
	who=$1
	shift
	works=0
	for row in $(rows); do
		rm -f "$data"
		"$@" "$cpprof" run -q -r "$row" -o "$data" -- "$target" processes 3 10 \
			>/dev/null 2>"$tmp/err"
		rc=$?
		if [ $rc -eq 0 ]; then
			works=$((works + 1))
			is "$(cat "$tmp/err"; unbalanced)" "" \
				"$who: $row works, and its books balance"
		else
			is "$rc:$(sed -E '1s/^cpprof: [^ ].*: .+$/why/
				2s/^hint: .+$/way/' "$tmp/err" | tr '\n' ' ')" \
				"125:why way " \
				"$who: $row says why not, and the way out"
		fi
	done
	echo "# $who: $works resources work"
}

# need RESOURCES WHO COMMAND...: these must work
need() {
	rm -f "$data"
	spec=$1
	who=$2
	shift 2
	"$@" "$cpprof" run -q -r "$spec" -o "$data" -- "$target" processes 3 10 \
		>/dev/null 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "$who: $spec works"
}

matrix "this user" env
if [ "$(id -u)" -eq 0 ] &&
	setpriv --reuid=65534 --clear-groups test -x "$cpprof" 2>/dev/null; then
	chmod 777 "$tmp/w"
	rm -f "$data"
	matrix "an ordinary user" setpriv --reuid=65534 --regid=65534 \
		--clear-groups
	rm -f "$data"
	matrix "root without CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN" setpriv \
		--bounding-set=-bpf,-perfmon,-sys_admin \
		--inh-caps=-bpf,-perfmon,-sys_admin
fi
rm -f "$data"
"$refuse" EPERM perf_event_open,bpf true
if [ $? = 77 ]; then
	skip 1 "no seccomp filters"
else
	matrix "perf_event_open and bpf refused" \
		"$refuse" EPERM perf_event_open,bpf
	need syscalls,bytes-read "perf_event_open and bpf refused" \
		"$refuse" EPERM perf_event_open,bpf
fi
done_testing
