# The peers: how each is run, as its own manual has it, and what is in what it
# wrote.
#
# For a peer P, can_P says whether it works here (else a word in $why);
# run_P VARIANT FILE COMMAND prints the shell command that profiles COMMAND and
# leaves its data in FILE; and of that file, samples_P FILE prints how many
# samples it holds, whole_P FILE the share (%) of them whose stack reaches the
# start of its thread, report_P FILE COMMAND the command for a first report.
# A peer that has no such thing has no such function.

# A stack is whole if it ends in one of these.
starts='^(_start|_dl_start|_dl_start_user|clone|clone3|__clone|__clone3'
starts="$starts"'|start_thread|thread_start|\[no user stack\])$'

# The program that the profilers are told to run instead of the target.
clock="'$bench/clock'"

# try FILE COMMAND...: runs it, for can_*; its last words in $why if it fails
try() {
	try_log=$1
	shift
	timeout 30 "$@" >"$try_log" 2>&1 </dev/null || {
		why="it does not work here: $(tr -d '\000-\010\013-\037' \
			<"$try_log" | grep . | tail -n 1 | cut -c 1-100)"
		return 1
	}
}

can_cpprof() {
	try "$work/try" "$cpprof" run -q -o "$work/try.out" -- true
}

# VARIANT: RESOURCE:INTERVAL
run_cpprof() {
	echo "exec '$cpprof' run -q -r $1 -o '$2' -- '$bench/clock' $3"
}

samples_cpprof() {
	"$cpprof" info "$1" | awk '$1 == "file:" {
		for (i = 3; i <= NF; i++)
			if ($i ~ /^samples,?$/) print $(i - 1)
	}'
}

# What is in [truncated] is not whole, and neither is what was lost.
whole_cpprof() {
	"$cpprof" info "$1" | awk '
		$1 == "stacks:" { whole += $2; cut += $4 }
		END { if (whole + cut) print 100 * whole / (whole + cut) }'
}

report_cpprof() {
	echo "exec '$cpprof' report '$1'"
}

# perf record.  cpu-clock, since a virtual machine may have no cycles.
can_perf() {
	need perf && try "$work/try" perf record -q -e cpu-clock -F 100 \
		-o "$work/try.out" -- true
}

# VARIANT: RATE:STACKS, STACKS being none, fp, or dwarf,SIZE
run_perf() {
	run_perf_stacks=--call-graph=${1#*:}
	[ "${1#*:}" != none ] || run_perf_stacks=
	run_perf_event="-e cpu-clock -F ${1%%:*}"
	case $1 in
	faults*) run_perf_event='-e page-faults -c 1' ;;
	esac
	echo "exec perf record -q $run_perf_event $run_perf_stacks" \
		"-o '$2' -- $clock $3"
}

samples_perf() {
	perf report --stats -i "$1" 2>/dev/null |
		awk '/SAMPLE events:/ && !n { n = $3 } END { print n + 0 }'
}

# perf 6.1 at times cannot unwind a program that is not the first of its
# recording (from dd, started by another program: all stacks or none, by where
# libc happens to be mapped), so what comes of its data is judged by a recording
# of the target alone.
again_perf() {
	clock='' run_perf "$@"
}

# Unwinding is slow: of what it comes to in ten seconds.
whole_perf() {
	timeout 10 perf script --no-inline --max-stack 100000 -F ip,sym \
		-i "$1" 2>/dev/null |
		awk -v starts="$starts" -f "$srcdir/bench/whole.awk"
}

report_perf() {
	echo "exec perf report --stdio -i '$1'"
}

# gperftools' sampler, in the target by LD_PRELOAD.  4000 Hz is its limit, and
# its timers are those of the kernel's clock tick.
can_gperftools() {
	gperftools=
	for lib in $(ldconfig -p 2>/dev/null | awk '/libprofiler\.so/ {
			print $NF }') /usr/lib/*/libprofiler.so.0 \
		/usr/lib64/libprofiler.so.0; do
		[ ! -e "$lib" ] || gperftools=$lib
	done
	[ -n "$gperftools" ] || {
		why='libprofiler.so is not installed'
		return 1
	}
	# A program that starts others writes FILE_PID for them as well.
	pprof=
	for prog in google-pprof pprof; do
		[ -n "$pprof" ] || pprof=$(command -v $prog)
	done
}

run_gperftools() {
	echo "exec '$bench/clock' env LD_PRELOAD='$gperftools'" \
		"CPUPROFILE='$2' CPUPROFILE_FREQUENCY=$1 $3"
}

# A header of 0, n and n words; then records of count, depth and as many
# addresses, until one of 0, 1, 0; the rest is text.
samples_gperftools() {
	for profile in "$1" "$1"_*; do
		[ ! -s "$profile" ] || od -An -v -t u8 -w8 "$profile" |
			awk -f "$srcdir/bench/gperftools.awk"
	done | awk '{ n += $1 } END { print n + 0 }'
}

report_gperftools() {
	[ -n "$pprof" ] || return 1
	echo "exec '$pprof' --text '$(program_of "$2")' '$1'"
}

# program_of COMMAND: the file of its first word
program_of() {
	eval "set -- $1"
	[ "$1" != env ] || shift 2
	command -v "$1"
}

can_strace() {
	need strace && try "$work/try" strace -f -c -o "$work/try.out" true
}

# VARIANT: -c or -k
run_strace() {
	echo "exec strace -f $1 -o '$2' '$bench/clock' $3"
}

can_ltrace() {
	need ltrace && try "$work/try" ltrace -f -c -o "$work/try.out" true
}

run_ltrace() {
	echo "exec ltrace -f -c -o '$2' '$bench/clock' $3"
}

can_perftrace() {
	need perf && try "$work/try" perf trace -s -o "$work/try.out" -- true &&
		grep -q calls "$work/try.out" || {
		why=${why:-'perf trace -s prints nothing here'}
		return 1
	}
}

run_perftrace() {
	echo "exec perf trace -s -o '$2' -- '$bench/clock' $3"
}

can_callgrind() {
	need valgrind callgrind_annotate && try "$work/try" valgrind -q \
		--tool=callgrind --callgrind-out-file="$work/try.out" true
}

run_callgrind() {
	echo "exec '$bench/clock' valgrind -q --tool=callgrind" \
		"--callgrind-out-file='$2' $3"
}

report_callgrind() {
	echo "exec callgrind_annotate '$1'"
}

can_uftrace() {
	need uftrace
}

# Only for a program built with -pg.
run_uftrace() {
	echo "exec '$bench/clock' uftrace record --no-pager -d '$2' $3"
}

report_uftrace() {
	echo "exec uftrace report --no-pager -d '$1'"
}

# gprof has no program of its own to run the target: one built with -pg leaves
# gmon.out where it ran.
can_gprof() {
	need gprof ${CC:-cc}
}

run_gprof() {
	echo "mkdir -p '$2' && cd '$2' && exec '$bench/clock' $3"
}

report_gprof() {
	echo "exec gprof -b '$(program_of "$2")' '$1/gmon.out'"
}
