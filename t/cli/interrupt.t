#!/bin/sh
# Ctrl-C while something is computed: the shell goes on, with nothing changed;
# the other commands end as by the signal, and leave nothing behind.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
TERM=xterm INPUTRC=/dev/null PAGER=cat
export TERM INPUTRC PAGER
"$top_builddir/t/lib/make_big" --endless endless || exit 99

# at ARGS... <SCRIPT: $out and $rc of cpprof at a terminal
at() {
	"$top_builddir/t/lib/pty" 24 100 "$cpprof" "$@" >raw 2>failed
	rc=$?
	out=$(tr -d '\r' <raw | sed 's/\x1b\[K/<WIPED>/g')
	[ ! -s failed ] || sed 's/^/# /' failed
}

echo before >kept
at endless <<'X'
prompt cpprof> 
send root function_2\r
prompt cpprof> 
send up function_1 0\r
expect cpprof: walking call paths: 
send \x03
expect cpprof: interrupted
prompt cpprof> 
send contains function_9; threshold 0.25\r
prompt contains function_9> 
send up function_1 0 >kept; threshold 0.75\r
expect cpprof: walking call paths: 
send \x03
expect cpprof: interrupted
prompt contains function_9> 
send up function_1 0 | cat >new\r
expect cpprof: walking call paths: 
send \x03
expect cpprof: interrupted
prompt contains function_9> 
send root; threshold; filters\r
expect root function_2
expect threshold 0.25
expect contains function_9
prompt contains function_9> 
send processes\r
expect %1 
prompt contains function_9> 
send quit\r
X
[ "$rc" -eq 77 ] && skip_all "no terminals to be had"
is "$rc" 0 "the shell goes on, its settings as they were"
is "$(cat kept)" before "a file for the output is left alone"
[ ! -e new ]
ok $? "and no other command started"
like "$out" "<WIPED>cpprof: interrupted$" "what was said of the progress is wiped"

at report --up=function_1 --threshold=0 endless <<'X'
expect cpprof: walking call paths: 
send \x03
X
is "$rc" 130 "report ends by the signal"
at export -o kept endless <<'X'
X
is "$rc $(wc -l <kept)" "0 1" "export writes its file"
is "$(ls -A | grep -v '^raw$\|^failed$\|^state$' | tr '\n' ' ')" "endless kept " \
	"and nothing else"
timeout --preserve-status -s INT 3 "$cpprof" report --format=paper --up=function_1 -t 0 \
	endless >out 2>err
is "$? $(cat out err)" "130 " "no progress where there is no terminal"

# merge, by each of the signals: it may be done before one comes
printf '\211cpprof\nbefore' >before
"$top_builddir/t/lib/make_big" --endless one 300000 || exit 99
"$cpprof" merge -q -o whole one
for status in 130 143 129; do
	signal=$(kill -l $status)
	cp before kept
	for after in 0.001 0.03 0.1 0.2; do
		timeout --preserve-status -s $signal $after \
			"$cpprof" merge -o kept one 2>err
		rc=$?
		if [ $rc -eq $status ] && cmp -s kept before; then
			rc=0 # stopped
		elif [ $rc -eq 0 ] || [ $rc -eq $status ]; then
			# done, when the signal came to a process that ends
			[ "$("$cpprof" report --format=paper --body kept 2>&1)" = \
				"$("$cpprof" report --format=paper --body whole)" ] &&
				cmp -s kept.old before
			rc=$?
			rm -f kept.old
			cp before kept
		fi
		if [ $rc -ne 0 ]; then
			echo "# status $rc: $(cat err)"
			break
		fi
		rc=0
	done
	is "$rc" 0 "merge, SIG$signal: done, or stopped with OUT as it was"
done
is "$(ls -A | grep '^\.\|old\|partial')" "" "and no temporary file is left"

# import, while it waits for more of a pipe, and while it works
mkfifo pipe && exec 9<>pipe && echo 'main;a 1' >&9
for status in 130 143; do
	timeout -k 20 --preserve-status -s $(kill -l $status) 0.3 \
		"$cpprof" import -q -o kept - <pipe 2>err
	is "$? $(cmp kept before)" "$status " "import of a pipe that goes on: status $status"
done
exec 9<&-
yes 'main;a 1' | head -n 2000000 >long
for after in 0.01 0.1 0.2 0.4; do
	timeout -k 20 --preserve-status -s INT $after \
		"$cpprof" import -q --from=folded -o kept long 2>err
	rc=$?
	if [ $rc -eq 0 ] || { [ $rc -eq 130 ] && cmp -s kept before; } ||
		"$cpprof" report kept >/dev/null 2>&1; then # done when it came
		rc=0
	fi
	[ $rc -eq 0 ] || break
done
is "$rc" 0 "import, SIGINT: done, or stopped with OUT as it was"
is "$(ls -A | grep '^\.\|partial')" "" "... and no temporary file is left"
rm -f kept.old long

# export, by SIGKILL: where the file system has files without a name
if python3 -c 'import os; os.close(os.open(".", os.O_TMPFILE | os.O_WRONLY))' 2>/dev/null; then
	rm -f kept
	for after in 0.02 0.05 0.1 0.15 0.2 0.3 0.4; do
		timeout -s KILL $after "$cpprof" export -f firefox -o kept one 2>/dev/null
	done
	rm -f kept
	is "$(ls -A | grep '^kept')" "" "an export that is killed leaves nothing"
else
	skip 1 "no O_TMPFILE here, or no python3"
fi
done_testing
