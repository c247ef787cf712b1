#!/bin/sh
# turn.sh TEST ARGS...: runs a test, beside others or, if it has the line
# "# Alone: ..." or " * Alone: ...", when no other of the suite runs.  For tests
# that hold times against each other: what `make -j check' runs beside them must
# not decide.  Where there is no flock, all run as they come.
#
# SIGINT and SIGQUIT, which a shell ignores for what it runs in the background,
# are not ignored in a test: no shell could undo that.
test=$1
case $test in
*.t) story=$test ;;
*) story=${top_srcdir:-.}/t/${test#*t/}.c ;;
esac
how=--shared
grep -q '^\(#\| \*\) Alone: ' "$story" 2>/dev/null && how=--exclusive
case $test in
*.t) set -- /bin/sh "$@" ;;
esac
env --default-signal=INT,QUIT true 2>/dev/null &&
	set -- env --default-signal=INT,QUIT "$@"
lock=${top_builddir:-.}/t/turn.lock
if command -v flock >/dev/null && true 2>/dev/null >>"$lock"; then
	exec 9>"$lock"
	flock $how 9
fi
before=$(head -n 1 /proc/stat 2>/dev/null)
# closed in the test: nothing that it leaves behind holds up the others
"$@" 9>&-
status=$?
# The log has what the machine did meanwhile: of the time of all processors, in
# percent, what was idle and what other guests were given.
printf '%s\n' "$before" "$(head -n 1 /proc/stat 2>/dev/null)" \
	"load $(cat /proc/loadavg 2>/dev/null)" | awk '
	/^cpu/ {
		n++
		for (i = 2; i <= 9; i++) {
			d[i] = $i - last[i]
			last[i] = $i
			if (n == 2)
				all += d[i]
		}
	}
	/^load/ && n == 2 && all {
		printf "# machine: %d ticks, %.1f %% idle, %.1f %% stolen, " \
			"load %s %s %s, %s running\n", all, 100 * d[5] / all, \
			100 * d[9] / all, $2, $3, $4, $5
	}' 2>/dev/null
exit $status
