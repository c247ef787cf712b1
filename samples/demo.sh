#!/bin/sh
# make demo: where a program takes its page faults, and why.  Run by make with
# top_builddir set; leaves nothing behind.
cpprof=$top_builddir/cpprof/cpprof
db=$top_builddir/samples/process_db
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cpprof-demo.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

say() { printf '\n%s\n' "$*" | fold -s -w 79; }

say "samples/process_db sorts the records of a database twice while only a few \
of its pages may stay in memory. Where do its page faults come from?"
echo
echo '$ cpprof run -r pagefaults -- process_db'
"$cpprof" run -r pagefaults -o "$tmp/plain" -- "$db" >/dev/null || {
	status=$?
	say "No profile could be taken here (the lines above say why). If \
perf_event is forbidden, as root: sysctl kernel.perf_event_paranoid=2; in a \
container, allow the system call perf_event_open (docker run --cap-add \
PERFMON --security-opt seccomp=unconfined ...). Then: make demo"
	exit $status
}

# The head of a profile and its N heaviest lines
show() { sed -n "1,/^-----/p;/^-----/,\$p" | awk -v n="$1" '
	/^-----/ { if (!rule++) print; next }
	!rule { print; next }
	n-- > 0 { print }'; }

echo
echo '$ cpprof report --function'
"$cpprof" report --function --threshold=0.05 "$tmp/plain" | show 8
say "Each line: the share of all page faults taken in that function and all it \
calls. Now by call path, from main downward:"
echo
echo '$ cpprof report --down=main'
"$cpprof" report --down=main --threshold=0.05 "$tmp/plain" | show 8
say "One path carries nearly all: the qsort that compares records through \
pointers. In name order their pages are visited at random, and each \
comparison brings a page back in. Remedy: copy the keys together first, as \
process_db --optimized does."
echo
echo '$ cpprof run -r pagefaults -- process_db --optimized'
"$cpprof" run -r pagefaults -o "$tmp/optimized" -- "$db" --optimized \
	>/dev/null || exit
echo '$ cpprof report --down=main'
"$cpprof" report --down=main --threshold=0.05 "$tmp/optimized" | show 8
say "The faults of that path are gone. For your own program:
    cpprof run -r cpu,pagefaults -- PROG ARGS...
    cpprof report
    cpprof"
