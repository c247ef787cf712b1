#!/bin/sh
# The shell at a terminal: prompt, completion, history, pager, colours,
# interrupts.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
"$top_builddir/t/lib/make_fixture" cpprofdata &&
	"$top_builddir/t/lib/make_fixture" large large || exit 99
TERM=xterm INPUTRC=/dev/null PAGER=cat
export TERM INPUTRC PAGER
unset LESS

# at ROWS [ARGS...] <SCRIPT: $out (escapes made visible) and $rc
at() {
	rows=$1
	shift
	"$top_builddir/t/lib/pty" "$rows" 100 "$cpprof" "$@" >raw 2>failed
	rc=$?
	out=$(tr -d '\r' <raw | sed 's/\x1b/<ESC>/g')
	[ ! -s failed ] || sed 's/^/# /' failed
}

at 24 <<'X'
prompt cpprof> 
send root\r
expect root main
prompt cpprof> 
send \x04
X
[ "$rc" -eq 77 ] && skip_all "no terminals to be had"
is "$rc" 0 "Ctrl-D leaves with status 0"
like "$out" "^cpprofdata: shop --big 'a b'   'help' lists the commands" \
	"the first line tells of the file"

# Each of these keys behind Ctrl-R and a prefix, and Ctrl-C out of the search.
for key in a '\x05' u '\x18' '\x12'; do
	at 24 <<X
prompt cpprof> 
send root\\r
prompt cpprof> 
send \\x12
prompt search
send ro\\x18$key
prompt cpprof
send \\x03\\x03
prompt cpprof> 
send threshold\\r
prompt threshold 0.01
send quit\\r
X
	is "$rc" 0 "Ctrl-R Ctrl-X $key, Ctrl-C, and on"
done

at 24 <<'X'
prompt cpprof> 
send donw\r
expect no such command
expect did you mean 'down'
prompt cpprof> 
send threshold\r
expect threshold 0.01
prompt cpprof> 
send quit\r
X
is "$rc" 0 "an error does not end the shell"

at 24 <<'X'
prompt cpprof> 
send contains receipt\r
expect # keeps 3
prompt cpu, contains receipt> 
send group by module\r
prompt , by module> 
send undo; group off\r
prompt cpprof> 
send quit\r
X
is "$rc" 0 "a filter that is typed says what it keeps, and is in the prompt"

at 24 <<'X'
prompt cpprof> 
send thresh\t.25\r
expect threshold .25
prompt cpprof> 
send resource pa\t\r
expect resource pagefaults
prompt pagefaults> 
send res\t\r
expect pagefaults   # there
prompt pagefaults> 
send resource cpu\r
prompt cpprof> 
send ro\tinv\t\r
prompt cpprof> 
send root\r
expect root invoice
prompt cpprof> 
send root libdb.so.2!db_r\t\r
prompt cpprof> 
send root\r
expect root libdb.so.2!db_read_record
prompt cpprof> 
send root std::v\t\r
expect std::vector<int>::push_back
prompt cpprof> 
send root\r
expect root std::vector<int>::push_back
prompt cpprof> 
send root push_b\t\r
expect std::vector<int>::push_back
prompt cpprof> 
send root 'std::vector<int, std::a\t; down .01\r
expect 6.0 %
prompt cpprof> 
send root \x22<&'\t\r
expect <&'a T as shop::Sell>::sell; now"
prompt cpprof> 
send root\r
expect root "<&'a T as shop::Sell>::sell; now"
prompt cpprof> 
send root db_\t\t
expect db_get_property
expect db_read_record
send r\t ; sites o\t\t
expect off
send ff\r
prompt cpprof> 
send root\r
expect root db_read_record
prompt cpprof> 
send help thres\t\r
expect leave out entries below
prompt cpprof> 
send export fo\t | wc -l\r
expect 6
prompt cpprof> 
send thread sh\t\r
prompt cpu, thread shop> 
send process 10\t\r
prompt process 100> 
send filters\r
expect thread shop
expect process 100
prompt process 100> 
send source cpprofd\t\r
expect source cpprofdata
prompt process 100> 
send exit\r
X
is "$rc" 0 "completion of commands, resources, functions, modules, threads, processes, switches and files"

at 24 <<'X'
prompt cpprof> 
send root nosuch
expect root nosuch
send \x03
prompt cpprof> 
send root invoice\r
prompt cpprof> 
send roo
expect roo
send \x03
prompt cpprof> 
send \x1b[A\r
prompt cpprof> 
send root\r
expect root invoice
prompt cpprof> 
send quit\r
X
case $rc in
0) ok 0 "Ctrl-C forgets the line" ;;
*) ok 1 "Ctrl-C forgets the line" ;;
esac
history=$XDG_STATE_HOME/cpprof/history
is "$(head -n 1 "$history")" root "the history is kept"
is "$(tail -n 4 "$history")" "exit
root invoice
root
quit" "across runs, no line twice in a row"
unlike "$(cat "$history")" nosuch "without what was forgotten"
is "$(stat -c %a "$history") $(stat -c %a "$XDG_STATE_HOME/cpprof")" "600 700" \
	"for its owner alone"
at 24 <<'X'
prompt cpprof> 
send \x1b[A\x1b[A\r
expect root main
prompt cpprof> 
send \x04
X
is "$rc" 0 "an older line comes back"
awk 'BEGIN { for (i = 1; i <= 1500; i++) print "root f" i }' >"$history"
at 24 <<'X'
prompt cpprof> 
send quit\r
X
is "$(wc -l <"$history")" 1000 "the history has 1000 lines at most"
is "$(tail -n 2 "$history")" "root f1500
quit" "the last ones"
for state in /proc/nonexistent "$tmp/cpprofdata" relative; do
	XDG_STATE_HOME=$state HOME=/proc/nonexistent at 24 <<'X'
prompt cpprof> 
send threshold\r
expect threshold 0.01
prompt cpprof> 
send quit\r
X
	is "$rc" 0 "without a place for the history ($state)"
	unlike "$out" "istory" "nothing is said of it"
done
[ ! -e relative ]
ok $? "a state folder that is relative is not used"

"$top_builddir/t/lib/pty" 24 40 "$cpprof" <<'X' >raw
prompt cpprof> 
send quit\r
X
is "$(tr -d '\r' <raw | sed 's/\x1b[^m]*m//g' | grep -v 'cpprof> ' |
	awk 'length > 40' | wc -l)" 0 "the first screen fits 40 columns"

# What TAB lists says what it is: of a function its total, where a profile is
# known, and its module.
at 24 <<'X'
prompt cpprof> 
send root db_\t\t
expect db_get_property   80.0 %  libdb.so.2
expect db_read_record    80.0 %  libdb.so.2
send \x15root i\t\r
prompt cpprof> 
send root \t\t
expect _start 
expect 100.0 %  shop
expect receipt 
expect 31.0 %  shop
send \x15resource pagefaults\r
prompt pagefaults> 
send root db_\t\t
expect db_get_property  libdb.so.2
send \x15set fo\t\t
expect fold    leave start-up code and wrappers out
expect format  text (default), paper, json or csv
send \x15resource \t\t
expect majorfaults  Major Page Faults
send \x15quit\r
X
is "$rc" 0 "a list of completions says what each is"
at 10 large <<'X'
prompt cpprof> 
send root leaf_\t\t
expect leaf_000 
expect <   1 %  shop
expect ... 393 more functions
send \x15quit\r
X
is "$rc" 0 "a long one as far as the screen is high"

# The pager.
cat >pager <<'X'
#!/bin/sh
echo "PAGER HAS $(wc -l) LINES"
X
cat >first <<'X'
#!/bin/sh
read line
echo "PAGER SAW $line"
X
cat >slow <<'X'
#!/bin/sh
trap 'echo PAGER STOPPED; exit 0' INT
echo PAGER WAITS
while :; do sleep 0.1; done
X
chmod +x pager first slow
PAGER=$tmp/pager at 24 -c 'down .01' cpprofdata </dev/null
like "$out" "50.0 %\?     db_get_property > db_read_record" "short output needs no pager"
unlike "$out" "PAGER" "and starts none"
PAGER=$tmp/pager at 24 -c 'function 0' large </dev/null
like "$out" "^PAGER HAS 4[0-9][0-9] LINES" "long output goes through PAGER"
PAGER=$tmp/pager at 1000 -c 'function 0' large </dev/null
unlike "$out" "PAGER" "but not on a screen that it fits"
PAGER=false CPPROF_PAGER=$tmp/pager at 24 report --function -t 0 large </dev/null
like "$out" "^PAGER HAS" "CPPROF_PAGER goes before PAGER, report has a pager too"
PAGER=$tmp/first at 24 -c 'function 0; root' large </dev/null
like "$out" "^PAGER SAW cpu " "a pager that does not read all"
like "$out" "^root main" "is no error"
PAGER=/nonexistent/pager at 24 -c 'function 0' large </dev/null
like "$out" "leaf_399" "without a pager that works, the output comes as it is"
PAGER=$tmp/slow at 24 large <<'X'
prompt cpprof> 
send function 0\r
expect PAGER WAITS
send \x03
expect PAGER STOPPED
prompt cpprof> 
send root\r
expect root main
prompt cpprof> 
send quit\r
X
is "$rc" 0 "Ctrl-C ends the pager, not the shell"
mkdir tools && ln -s "$(command -v sh)" tools/
cat >tools/more <<'X'
#!/bin/sh
echo "MORE HAS LINES"
X
cat >bare <<X
#!/bin/sh
unset PAGER CPPROF_PAGER
PATH=$tmp/tools
exec "$cpprof" "\$@"
X
chmod +x tools/more bare
cpprof=$tmp/bare at 24 -c 'function 0' large </dev/null
like "$out" "^MORE HAS LINES" "more where less is not installed"
rm tools/more
cpprof=$tmp/bare at 24 -c 'function 0' large </dev/null
unlike "$out" "not found" "... and no pager where neither is"
if command -v less >/dev/null; then
	PAGER='' CPPROF_PAGER=less at 24 large <<'X'
prompt cpprof> 
send function 0\r
expect total
expect :
send q
prompt cpprof> 
send quit\r
X
	is "$rc" 0 "less, and out of it"
else
	skip 1 "no less"
fi

# Colours.
at 24 -c 'function .5' cpprofdata </dev/null
like "$out" "<ESC>\[2m" "colours on a terminal"
NO_COLOR=1 at 24 -c 'function .5' cpprofdata </dev/null
unlike "$out" "<ESC>" "none with NO_COLOR"
TERM=dumb at 24 -c 'function .5' cpprofdata </dev/null
unlike "$out" "<ESC>" "none on a dumb terminal"
"$cpprof" -c 'function .5' >plain
unlike "$(cat plain | sed 's/\x1b/<ESC>/g')" "<ESC>" "none in a pipe"
echo 'cat' >cat && chmod +x cat
PAGER="$tmp/cat" at 24 -c 'function 0' large </dev/null
unlike "$out" "<ESC>" "none for a pager that may not know them"
done_testing
