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
*) story=${top_srcdir:-.}/t/${test##*/}.c ;;
esac
how=--shared
grep -q '^\(#\| \*\) Alone: ' "$story" 2>/dev/null && how=--exclusive
case $test in
*.t) set -- /bin/sh "$@" ;;
esac
env --default-signal=INT,QUIT true 2>/dev/null &&
	set -- env --default-signal=INT,QUIT "$@"
command -v flock >/dev/null || exec "$@"
# closed in the test: nothing that it leaves behind holds up the others
exec flock --close $how "${top_builddir:-.}/t/turn.lock" "$@"
