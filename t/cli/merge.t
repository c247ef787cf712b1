#!/bin/sh
# cpprof merge: the profiles of the merged file are the sums of the profiles.
. "$(dirname "$0")/../lib/lib.sh"
cd "$tmp" || exit 99
fixture=$top_builddir/t/lib/make_fixture

# run_ ARGS...: $out, $err and $rc of cpprof
run_() {
	out=$("$cpprof" "$@" 2>"$tmp/err" </dev/null)
	rc=$?
	err=$(cat "$tmp/err")
}

# folded FILE RESOURCE: "stack hits", sorted, without the losses (which are
# shown in intervals, rounded)
folded() {
	"$cpprof" export --format=folded -r "$2" "$1" 2>/dev/null |
		grep -v '^\[\(lost\|unsampled\|kernel\|uncounted.*\)\] ' | add_up
}

# add_up: functions of one name from several modules make lines that are equal
add_up() {
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n }
		END { for (s in sum) print s, sum[s] }' | sort
}

# summed RESOURCE FILE...: what merging should give, by adding up lines
summed() {
	resource=$1
	shift
	for f in "$@"; do
		folded "$f" "$resource"
	done | add_up
}

# consumed FILE: gticks consumed and lost, of each resource
consumed() {
	"$cpprof" info "$1" | awk '/^$/ { r = "" }
		/^resource / { r = $2 }
		r && /^  (consumed|in samples|\[)/ {
			sub(/ \((the|an) [^)]*\)/, ""); sub(/ \(.*/, "")
			sub(/,.*/, ""); sub(/ [a-z]+$/, ""); $1 = $1; print r, $0 }'
}

# summed_books FILE...
summed_books() {
	for f in "$@"; do
		consumed "$f"
	done | add_up
}

# sums OUT WHAT FILE...: OUT is the sum of the FILEs
sums() {
	merged=$1 what=$2
	shift 2
	for r in $("$cpprof" info "$merged" | sed -n 's/^resource \([^ ]*\).*/\1/p'); do
		is "$(folded "$merged" "$r")" "$(summed "$r" "$@")" \
			"$what: stacks of $r"
	done
	is "$(consumed "$merged" | sort)" "$(summed_books "$@")" \
		"$what: what was consumed, sampled and lost"
}

"$fixture" a && "$fixture" b && "$fixture" unfinished unfinished || exit 99
run_ merge -o ab a b
is "$rc$out" 0 "two files"
like "$err" "^cpprof: [0-9]* samples of [0-9]* processes from 2 files in ab$" \
	"are told of"
sums ab "two files" a b
# Blocked time with the time in line in it, as old files have it, is another resource.
"$fixture" apart blocked && "$fixture" in_line in-line || exit 99
like "$("$cpprof" report in_line)" " blocked\\+runqueue 6.00 s" "it has another name"
run_ merge -q -o x apart in_line
like "$rc$err" "^1.*apart has cpu, pagefaults, majorfaults, blocked$" \
	"... and is not merged with the other"
run_ diff -r blocked apart in_line
like "$rc$err" "^2.*in_line: no resource .blocked." "nor compared"
run_ merge -q -o one a
is "$rc$out$err" 0 "a single file, and -q"
sums one "one file" a
run_ merge -q -o aba ab one
is "$rc$err" 0 "merged files"
sums aba "merged files" a b a
like "$("$cpprof" report aba 2>&1)" "page faults +shop and 2 more processes$" \
	"the program's name, not cpprof's"
is "$("$cpprof" info aba | grep -c '^  run: ')" 3 "a note for each run, no more"
is "$("$cpprof" merge -q -o - a b | "$cpprof" report - 2>&1)" \
	"$("$cpprof" report ab 2>&1 | sed "s/NAME ab'/NAME -'/")" "standard output"

# inputs stay what they are
cp a a.copy
for name in a ./a; do
	run_ merge -o "$name" a b
	is "$rc" 1 "-o $name: an input"
	like "$err" "^cpprof: $name: write: it is one of the inputs" "is refused"
done
ln -s a link
run_ merge -o link a b
is "$rc" 1 "a link to an input is refused"
ln a hard
run_ merge -o new hard b a
is "$rc" 1 "a file twice is refused"
is "$err" "cpprof: a: merge: the same file as hard
hint: name each file once" "and named"
"$top_builddir/t/lib/make_fixture" waits waits && cp waits again || exit 99
run_ merge -q -o few waits again
is "$("$cpprof" info few | grep -c 'missed some')" 0 \
	"what each run may lack of its own count, all may"
rm waits again few
cp b x && cp b x.old
run_ merge -o x a x.old
is "$rc" 1 "an input that would be replaced by OUT.old"
like "$err" "x\.old is one of the inputs" "is refused"
cmp -s a a.copy && cmp -s b x.old
ok $? "no input was touched"
[ ! -e new ]
ok $? "and nothing written"

# what cannot be joined
run_ merge a b
like "$rc $err" "^1 cpprof: merge: no file to write" "no -o"
run_ merge -o new
like "$rc $err" "^1 cpprof: merge: no file to read" "no FILE"
run_ merge -o new a nosuch
like "$rc $err" "^1 cpprof: nosuch: open: No such file" "no such file"
echo text >text
run_ merge -o new a text
like "$rc $err" "^1 cpprof: text: .*[Nn]ot a cpprofdata file" "not one of ours"
run_ merge -o new a /dev/null
like "$rc $err" "^1 cpprof: /dev/null: read: Not a regular file" "no file"
run_ merge -o /nonexistent/new a b
like "$rc $err" "^1 cpprof: /nonexistent/new: " "OUT cannot be written"
head -c $(($(wc -c <b) - 3)) b >cut
cp cut damaged && printf '\377\377\377' |
	dd of=damaged bs=1 seek=60 conv=notrunc 2>/dev/null
run_ merge -o new a damaged
is "$rc" 1 "a damaged file"
[ ! -e new ]
ok $? "nothing is left of all these"
run_ merge -o withcut a unfinished
is "$rc" 0 "a file without an end"
like "$err" "^cpprof: 1 of the files had no end" "is told of"
unlike "$("$cpprof" info withcut)" "  consumed[^:]*: [0-9]" "... and has no total"

# a million samples take no more memory than a few
if [ -n "$SANITIZERS" ]; then
	skip 1 "sanitizers need the address space"
elif "$top_builddir/t/lib/make_big" big 1000000 50 20 >figures 2>/dev/null && [ -s big ]; then
	cp big big2
	size=$(($(wc -c <big) / 1024))
	(ulimit -v 150000 && "$cpprof" merge -q -o bigger big big2) 2>err
	ok $? "streams: two files of $size KiB in a small address space"
	sed 's/^/# /' err
else
	skip 1 "no large file"
fi

can_profile || {
	skip 1 "$why"
	done_testing
}
profile() {
	"$cpprof" run -q -o "$@" >/dev/null 2>&1 || exit 99
}
profile one -r pagefaults:1,cpu:1ms -- "$samples/fig1"
profile two -r cpu:1ms,pagefaults:10 -- "$samples/forms"
profile three -r pagefaults:3,cpu:5ms -- "$samples/fig1"
run_ merge -o all one two three
is "$rc" 0 "real files, of different intervals"
sums all "different programs and intervals" one two three
info=$("$cpprof" info all)
like "$info" "^  intervals: pagefaults: 1 to 10" "the intervals are noted"
for program in fig1 forms; do
	like "$info" "^  run: process [0-9]+ on .*exit status 0: .*/$program$" \
		"$program: its run is noted"
done
is "$(printf '%s\n' "$info" | grep -c '^  [0-9]* fig1 ')" 2 \
	"two runs of one program are two processes"
is "$("$cpprof" info all | sed -n 's/^modules: //p')" \
	"$({ for f in one two three; do "$cpprof" info $f; done; } |
		sed -n 's/, in no stack$//; /^modules/,/^$/s/^  //p' |
		awk '$NF !~ /^[0-9a-f]+$/ || length($NF) < 8 || !seen[$0]++' |
		wc -l)" \
	"runs of one program share the modules that have build ids"
profile fault -r pagefaults -- true
run_ merge -o new one fault
is "$rc" 1 "other resources"
is "$err" "cpprof: fault: merge: it has pagefaults; one has pagefaults, cpu
hint: only files of the same resources can be joined: collect them with the same -r" \
	"are named"
done_testing
