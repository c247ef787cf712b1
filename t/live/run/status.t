#!/bin/sh
# The status line: on a terminal, when asked for, and nowhere else.
. "$(dirname "$0")/../../lib/lib.sh"
can_profile || skip_all "$why"
cd "$tmp" || exit 99
TERM=xterm
export TERM

# at [ARGS...] <SCRIPT: $out (escapes made visible) and $rc
at() {
	"$top_builddir/t/lib/pty" 24 100 "$cpprof" "$@" >raw 2>failed
	rc=$?
	out=$(tr '\r' '\n' <raw | sed 's/\x1b/<ESC>/g')
	[ ! -s failed ] || sed 's/^/# /' failed
}
line='^cpprof: [0-9]+ s: pagefaults [0-9]+ samples?, cpu [0-9]+ samples?$'

# A program that writes to its standard error all the time.
at run --status -r pagefaults:1,cpu:1ms -o data -- sh -c 'i=0
	while [ $i -lt 30 ]; do
		echo "word $i end" >&2
		i=$((i + 1))
		sleep 0.1
	done' <<'X'
expect  s: pagefaults 
expect  s: pagefaults 
X
[ "$rc" -eq 77 ] && skip_all "no terminals to be had"
is "$rc" 0 "run --status"
like "$out" "$line" "the time, and each resource's samples"
# (what looks the names up, later, tells of its own work)
unlike "$(printf '%s\n' "$out" | sed "/word 29 end/q")" "<ESC>" \
	"nothing that the program wrote is erased"
is "$(printf '%s\n' "$out" | grep -c '^word [0-9]* end$')" 30 \
	"the program's lines are whole"
is "$(printf '%s\n' "$out" | grep ' s: pagefaults' | grep -cvE "$line")" 0 \
	"so are those of the status"
is "$(printf '%s\n' "$out" | grep -o 'cpprof: [0-9]* s: pagefaults' | uniq -d)" \
	"" "once a second"
at run --status -r pagefaults:1 --delay=100s -o data -- sleep 4 <<'X'
expect  s, not collecting: pagefaults 0 samples
X
is "$rc" 0 "while nothing is collected"
at run -r pagefaults:1 -o data -- sleep 2 </dev/null
unlike "$out" " s: pagefaults" "not by itself: the terminal is the program's"
at run -q --status -r pagefaults:1 -o data -- sleep 2 </dev/null
is "$out" "" "not with -q"
is "$("$cpprof" run --status -r pagefaults:1 -o data -- sleep 2 2>&1 |
	grep -c ' s: ')" 0 "not in a pipe"

sleep 100 </dev/null >/dev/null 2>&1 &
target=$!
at attach -r pagefaults:1 --duration=2500ms -o data $target <<'X'
expect  s: pagefaults 
X
if [ "$rc" -eq 0 ]; then
	like "$out" "^<ESC>\[Kcpprof: [0-9]+ s: pagefaults" \
		"attach: by itself, where the process has no terminal"
	like "$(printf '%s\n' "$out" | grep -A 1 ' s: pagefaults' |
		tail -n 1)" "^<ESC>\[K" "cleared at the end"
else
	skip 2 "no attaching here"
fi
kill $target
done_testing
