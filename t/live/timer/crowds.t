#!/bin/sh
# Crowds, under each kind of timer: a hundred threads at once, ten thousand
# threads and ten thousand processes that are each shorter than the interval, a
# tree of processes.  Each call, byte and fault is where the program says it was;
# parts of intervals are passed on; no time is missing.
. "$(dirname "$0")/../../lib/lib.sh"
plain_build

dump=$top_builddir/t/lib/monitor_dump
data=$tmp/data truth=$tmp/truth folded=$tmp/folded

# observe RESOURCES OPTIONS...: of the program that has crowds
observe() {
	spec=$1
	shift
	"$cpprof" run -q --timer=$timer -r "$spec" -o "$data" -- \
		"$samples/shortlived" --truth "$@" >"$truth" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "$timer: $*: $spec: runs to its end"
	"$dump" "$data" >"$tmp/dump"
}

# records_lost: the machine was so busy that the file notes unknown threads or
# mappings
records_lost() {
	grep -q '^note warning .* records of new mappings' "$tmp/dump"
}

# known THREADS PROCESSES
known() {
	if records_lost; then
		skip 1 "$timer: records of threads were lost, and it says so"
		return
	fi
	is "$(grep -c '^thread ' "$tmp/dump"):$(
		grep -c '^process ' "$tmp/dump")" "$1:$2" \
		"$timer: every thread and process is known"
}

# exact RESOURCE...: at intervals of one
exact() {
	for r; do
		"$cpprof" export --format=folded --resource="$r" "$data" \
			>"$folded"
		awk -f "$top_srcdir/t/lib/truth.awk" -v resource="$r" -v exact=1 \
			"$truth" "$folded"
		ok $? "$timer: $r, exactly as the program tells, path by path"
	done
}

# handed_on RESOURCE: as many hits as whole intervals in all, as good as: each
# thread starts anywhere in an interval
handed_on() {
	every=$(of "$1" interval)
	off=$(($(of "$1" weight) + $(of "$1" lost) - $(of "$1" total)))
	[ ${off#-} -le $((20 * every)) ]
	ok $? "$timer: what each leaves of $1 is handed on ($off, every $every)"
}

# all_time: the threads' own clocks have no more time than was counted; the
# kernel's count at their ends may lack a little
all_time() {
	[ "$(of cpu total)" -ge "$(awk '/^truth cpu / { n += $4 }
		END { print int(n * 0.98) }' "$truth")" ]
	ok $? "$timer: no CPU time is missing ($(of cpu total) us)"
}

# crowd SPEC OPTIONS...: counted one by one, exactly
crowd() {
	observe "$@"
	if records_lost; then
		skip 1 "$timer: records of mappings were lost, and it says so"
		return
	fi
	for r in $(echo "$spec" | tr ',' ' '); do
		case $r in
		*:1) exact "${r%:1}" ;;
		cpu*) all_time ;;
		*) handed_on "${r%:*}" ;;
		esac
	done
}

crowds() {
	timer=$1 ones=$2 many=$3
	why=$("$cpprof" run -q -o "$tmp/can" --timer=$timer -r "$ones" -- \
		true 2>&1) || {
		skip 1 "$timer: $(echo "$why" | tr '\n' ' ')"
		return
	}
	crowd "$ones,cpu" --threads=100 --together --processes=0 --us=2000 \
		--pages=5 --bytes=100
	known 101 1
	crowd "$ones" --threads=0 --processes=20 --generations=3 --us=10 \
		--pages=5 --bytes=100
	known 61 61
	crowd "$ones,cpu" --threads=10000 --processes=0 --us=20 --pages=2 \
		--bytes=100
	known 10001 1
	crowd "$many,cpu" --threads=0 --processes=10000 --us=20 --pages=2 \
		--bytes=100
	known 10001 10001
}

crowds per-cpu bytes-read:1,syscalls=read:1,pagefaults:1 \
	bytes-read:1024,syscalls=read:7,pagefaults:100
crowds per-task pagefaults:1 pagefaults:1
crowds stop bytes-read:1,syscalls=read:1 bytes-read:1024,syscalls=read:7
done_testing
