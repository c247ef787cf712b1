#!/bin/sh
# Exports of many samples: memory goes with the stacks and not with the samples,
# wherever the output goes; a person sees how far it is.
. "$(dirname "$0")/../lib/lib.sh"
plain_build
cd "$tmp" || exit 99
[ -x "$top_builddir/bench/clock" ] || exit 99 # nobody would read the pipes
export TMPDIR="$tmp"
"$top_builddir/t/lib/make_big" few 600000 3000 12 &&
	"$top_builddir/t/lib/make_big" many 2400000 3000 12 || exit 99

# peak COMMAND: runs it and sets $peak to its peak memory, KiB
peak() {
	rm -f clock
	BENCH_CLOCK=$tmp/clock "$top_builddir/bench/clock" "$@"
	peak=$(cut -d' ' -f5 clock)
}

# alike WHAT: $few is about as much as $peak
alike() {
	awk -v few="$few" -v many="$peak" \
		'BEGIN { exit !(few && many && many < few * 1.25) }'
	ok $? "$1"
	echo "# $few and $peak KiB"
}

for format in folded pprof html perf-script; do
	peak "$cpprof" export -f $format -o /dev/null few
	few=$peak
	peak "$cpprof" export -f $format -o /dev/null many
	alike "$format: no more memory for four times the samples"
done

# $few is that of perf-script, whose output goes with the samples.
wanted=$("$cpprof" export -f perf-script many | cksum)
mkfifo pipe
cksum <pipe >got &
peak "$cpprof" export -f perf-script -o pipe many
wait
alike "a pipe is written as it comes"
is "$(cat got)" "$wanted" "... whole"
cksum <pipe >got &
peak "$cpprof" export -f perf-script -o /dev/stdout many >pipe
wait
alike "and /dev/stdout"
is "$(cat got)" "$wanted" "... whole"
echo before >appended
"$cpprof" export -o /dev/stdout few >>appended
is "$(head -n 1 appended) $(($(wc -l <appended) > 1))" "before 1" \
	"what leads to standard output is not begun anew"
echo before >linked
ln linked other
peak "$cpprof" export -f perf-script -o linked many
alike "a file with two names gets it in the end"
is "$(cksum <other)" "$wanted" "... whole"
rm got
peak "$cpprof" shell -c "export perf-script | cksum >got" many
alike "so does a command"
is "$(cat got)" "$wanted" "... whole"
is "$(ls | tr '\n' ' ')" "appended clock few got linked many other pipe " \
	"no scratch file has a name"

# cpu: CPU time of the last peak, us
cpu() {
	awk '{ print $3 + $4 }' clock
}
peak "$cpprof" export -f perf-script -o /dev/null many
all=$(cpu)
peak "$cpprof" export -f perf-script many 2>err | head -n 1 >/dev/null
part=$(cpu)
[ "$part" -lt $((all / 2)) ] && [ ! -s err ]
ok $? "it ends when nobody reads on"
echo "# $part of $all us"
rm err

# A reader who is late: the export takes longer than a second.
{
	sleep 2
	cat >/dev/null
} <pipe &
"$top_builddir/t/lib/pty" 24 100 "$cpprof" export -f perf-script -o pipe many \
	>raw <<'X'
expect cpprof: writing:
expect cpprof: writing:
X
is "$?" 0 "a terminal shows how far it is"
wait
{
	sleep 2
	cat >/dev/null
} <pipe &
"$cpprof" export -f perf-script -o pipe many 2>err
is "$?$(cat err)" 0 "nobody else is told"
wait
done_testing
