#!/bin/sh
# run_test.sh TEST: runs a test for make check.  SIGINT and SIGQUIT, which a shell
# ignores for what it runs in the background, are not ignored in a test: no shell
# could undo that.
case $1 in
*.t) set -- /bin/sh "$@" ;;
esac
env --default-signal=INT,QUIT true 2>/dev/null &&
	set -- env --default-signal=INT,QUIT "$@"
before=$(head -n 1 /proc/stat 2>/dev/null)
"$@"
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
