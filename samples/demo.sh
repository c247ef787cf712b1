#!/bin/sh
# make demo: where a program takes its page faults, and why.  Run by make with
# top_builddir set; leaves nothing behind.
build=$(cd "${top_builddir:?}" && pwd) || exit 1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cpprof-demo.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
cd "$tmp" || exit 1
PATH=$build/cpprof:$build/samples:$PATH

say() {
	echo
	printf '%s\n' "$*" | fold -s -w 79 | sed 's/ $//'
	echo
}

# show COMMAND...: the command and what it prints
show() {
	echo "\$ $*"
	"$@" >report || exit 1
	cat report
}

faults() { sed -n 's/^pagefaults \([0-9 ]*[0-9]\)  .*/\1/p' report; }

say "process_db makes the records of a database unique by name and sorts them, \
while only a few of its pages may stay in memory. Where does it take its page \
faults?"
echo '$ cpprof run -r pagefaults -- process_db'
cpprof run -r pagefaults -- process_db >/dev/null || {
	status=$?
	say "No profile could be taken; the lines above say why. Where the \
system forbids perf_event: as root, sysctl kernel.perf_event_paranoid=2; in a \
container, allow the system call perf_event_open (for docker: --cap-add PERFMON \
and a seccomp profile with perf_event_open). Then again: make demo"
	exit $status
}
echo
show cpprof report --threshold=2%
before=$(faults)
say "Each fault is in the books. Total is what a \
function takes with all it calls, self what it takes itself: it is visit that \
faults. The tree below shows who makes it; upward from visit the same is a list:"
show cpprof report --up=visit --threshold=2%
say "Nearly all is uniquify_db's: most of it where qsort compares names through \
pointers to records, the rest where the records are then walked in name order. \
Either way pages are visited at random. qsort itself is not to blame: \
order_by_balance calls it too, on a compact table, and of the stacks that \
faulted so many hold it:"
echo '$ cpprof export | grep -c order_by_balance'
cpprof export | grep -c order_by_balance
say "So the remedy is to copy the keys together first, in one pass over the \
records:"
echo '$ cpprof run -r pagefaults -- process_db --optimized'
cpprof run -r pagefaults -- process_db --optimized >/dev/null || exit 1
echo
show cpprof report --down=main --threshold=5%
say "$before page faults before, $(faults) now. For your own program:"
cat <<END
    $build/cpprof/cpprof run -r cpu,pagefaults -- PROG ARGS...
    $build/cpprof/cpprof report
    $build/cpprof/cpprof
END
