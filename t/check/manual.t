#!/bin/sh
# The manual against the program: what the tables have, the pages have, and the
# other way round; and the pages are sound mdoc.
. "$(dirname "$0")/../lib/lib.sh"
man=$top_srcdir/man

# same WHAT FILE1 FILE2: two sorted lists are equal
same() {
	sort -u "$2" >"$tmp/1" && sort -u "$3" >"$tmp/2"
	if [ -s "$tmp/1" ] && cmp -s "$tmp/1" "$tmp/2"; then
		ok 0 "$1"
	else
		ok 1 "$1"
		diff "$tmp/1" "$tmp/2" | sed -e 's/^</# program only:/' \
			-e 's/^>/# manual only:/' | grep '^#'
		[ -s "$tmp/1" ] || echo "# the program lists nothing"
	fi
}

# -h and --help, of each option a page has in its lists
page_options() {
	sed -n 's/^\.It Fl \(.*\)/\1/p' "$1" | sed -e 's/ Fl /\n/g' \
		-e 's/ | /\n/g' | awk '{ print "-" $1 }'
}
help_options() {
	sed -n 's/^  *\(-[-a-zA-Z].*\)/\1/p' | awk '{
		for (i = 1; i <= NF; i++) {
			if ($i !~ /^-/) break
			sub(/[=,[].*/, "", $i); print $i
			if ($i ~ /^--/) break
			if ($(i + 1) !~ /^-/) i++
		} }'
}

"$cpprof" --help >"$tmp/help"
sed -n '/^Subcommands/,/^$/s/^  \([a-z]*\) .*/\1/p' "$tmp/help" >"$tmp/subs"
sed -n 's/^\.It Cm \([a-z]*\)$/\1/p' "$man/cpprof.1" >"$tmp/page"
same "cpprof.1 has every subcommand" "$tmp/subs" "$tmp/page"
help_options <"$tmp/help" >"$tmp/prog"
page_options "$man/cpprof.1" >"$tmp/page"
same "cpprof.1 has every option" "$tmp/prog" "$tmp/page"

grep -vx help "$tmp/subs" >"$tmp/paged"
ls "$man" | sed -n 's/^cpprof-\(.*\)\.1$/\1/p' >"$tmp/page"
same "there is a page for every subcommand" "$tmp/paged" "$tmp/page"

while read -r sub; do
	page=$man/cpprof-$sub.1
	[ -e "$page" ] || continue
	"$cpprof" "$sub" --help >"$tmp/help"
	help_options <"$tmp/help" >"$tmp/prog"
	page_options "$page" >"$tmp/page"
	same "cpprof-$sub.1 has every option" "$tmp/prog" "$tmp/page"
	# an option without a letter is in the synopsis, or a filter, by that word
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/p' "$page" | tr ' ' '\n' >"$tmp/synopsis"
	sed -n 's/^-\([a-z][-a-z]*\)$/--\1/p' "$tmp/synopsis" | sort -u >"$tmp/page"
	sort "$tmp/prog" | comm -13 - "$tmp/page" >"$tmp/wrong"
	grep -q filters "$tmp/synopsis" ||
		sed -n 's/^  *\(--[a-z][-a-z]*\).*/\1/p' "$tmp/help" | sort |
			comm -23 - "$tmp/page" >>"$tmp/wrong"
	is "$(cat "$tmp/wrong")" "" "... and its synopsis is right"
	# report has more options than a small screen has lines
	ok $(($(wc -l <"$tmp/help") > ($(expr $sub = report) ? 48 : 24))) \
		"$sub --help fits a screen"
done <"$tmp/paged"

# Resources: gtick and interval as `cpprof resources` has them
"$cpprof" resources |
	sed -n '2,/^$/s/^\([^ =]*\)[^ ]*  *\([a-z]*\)  *\([0-9][^ ]*\( [a-zA-Z]*\)\{0,1\}\)  .*/\1 \2 \3/p' |
	sed 's/ *$//' >"$tmp/prog"
awk '/^\.It Cm / { name = $3 }
	/default interval: / && name {
		sub(/^Gtick: 1 /, ""); sub(/; default interval:/, "")
		sub(/\.$/, ""); print name, $0; name = "" }' \
	"$man/cpprof-resources.1" >"$tmp/page"
same "cpprof-resources.1 has every resource with gtick and interval" \
	"$tmp/prog" "$tmp/page"
cut -d ' ' -f 1 "$tmp/prog" >"$tmp/names"
awk '/^\.It Cm / { name = $3 }
	/^Costs: / { sub(/^Costs: /, ""); sub(/\.$/, ""); print name, $0 }' \
	"$man/cpprof-resources.1" >"$tmp/page"
"$cpprof" resources | sed -n 's/^\([^ =]*\).* \([0-9.]*x [a-z]*\)  *\(.*\)/\1 \2 by \3/p' |
	sed 's/ by [isk].*-process$//;s/ by kernel, per-CPU.*//;s/ by stop, stepping$//' >"$tmp/prog"
if grep -q ' by ' "$tmp/prog" || ! grep -q '^real ' "$tmp/prog"; then
	skip 1 "not all timers are to be had here"
else
	awk 'NR == FNR { has[$1] = 1; next } $1 in has' "$tmp/prog" "$tmp/page" \
		>"$tmp/here"
	same "... and what it costs" "$tmp/prog" "$tmp/here"
fi
sed -n '/^\.Ss Resources/,/^\.Pp/s/^\.Cm \([^ ]*\).*/\1/p' \
	"$man/cpprof-run.1" >"$tmp/page"
same "cpprof-run.1 names every resource" "$tmp/names" "$tmp/page"
# "cycles..." stands for what follows it in the list, too
"$cpprof" run --help | sed -n '/^Resources:/,/^The/{s/^Resources://;/^ /p;}' |
	tr -s ' ,' '\n\n' | sed -e 's/[=[].*//' -e '/^$/d' >"$tmp/help"
awk 'NR == FNR { many = sub(/\.\.\.$/, ""); says[$1] = 1 + many; next }
	$1 in says { many = says[$1] == 2; delete says[$1]; print; next }
	many
	END { for (name in says) print name }' "$tmp/help" "$tmp/names" >"$tmp/prog"
same "run --help names every resource" "$tmp/prog" "$tmp/names"
"$cpprof" resources --all | sed -n '2,/^$/s/^\([^ ]*\) .*/\1/p' |
	grep -vxF -f "$tmp/names" >"$tmp/prog"
sed -n '/^\.Ss Hardware events/,/^\.Ed/p' "$man/cpprof-resources.1" |
	grep -- '-misses$' | tr -s ' ' '\n' | grep -vx LLC-loads >"$tmp/page"
same "cpprof-resources.1 has every event of a cache" "$tmp/prog" "$tmp/page"
is "$("$cpprof" resources | sed -n 's/ more cache events like LLC-loads.*//p')" \
	"$(wc -l <"$tmp/prog")" "resources tells how many it left out"

# Shell commands, their arguments included
if can_profile && "$cpprof" run -q -r pagefaults:1 -o "$tmp/data" -- true; then
	"$cpprof" shell -c help "$tmp/data" |
		sed -n '/^F is/q; s/^  \([a-z][a-z]*\) \(.*\)/\1 \2/p' |
		sed -e 's/   *.*//' -e 's/ *$//' >"$tmp/prog"
	sed -n 's/^\.It Ic //p' "$man/cpprof-shell.1" |
		sed -e 's/Oo Ar \([A-Z]*\) Oc/[\1]/g' \
			-e 's/Op Ar \([A-Z]*\)/[\1]/g' \
			-e 's/Op Cm on | off/[on|off]/' \
			-e 's/Op Cm short | full/[short|full]/' \
			-e 's/Op Cm off | calls | on/[off|calls|on]/' \
			-e 's/Oo Fl -asm Oc/[--asm]/' -e 's/Op Cm all/[all]/' \
			-e 's/Ar //g' >"$tmp/page"
	same "cpprof-shell.1 has every command with its arguments" \
		"$tmp/prog" "$tmp/page"
else
	skip 1 "no profile can be taken here: $(echo "$why" | tr '\n' ' ')"
fi

"$cpprof" report --format=no-such /dev/null 2>&1 | tr -d "'" |
	sed -n 's/^hint: [^:]*: //p' | tr ',' '\n' | tr -d ' ' >"$tmp/prog"
sed -n '/^\.It Fl f Ar FORMAT/,/^\.It Fl -sites/s/^\.Cm \([a-z]*\).*/\1/p' \
	"$man/cpprof-report.1" >"$tmp/page"
same "cpprof-report.1 has every format" "$tmp/prog" "$tmp/page"
"$cpprof" export --format=no-such /dev/null 2>&1 |
	sed -n 's/^hint: [^:]*: //p' | tr ',' '\n' | tr -d ' ' >"$tmp/prog"
sed -n 's/^\.It Cm \([a-z-]*\)$/\1/p' "$man/cpprof-export.1" >"$tmp/page"
same "cpprof-export.1 has every format" "$tmp/prog" "$tmp/page"
"$cpprof" --complete -- export -f '' | cut -f 1 >"$tmp/page"
same "the help of export --format has every format" "$tmp/prog" "$tmp/page"

"$cpprof" import --from=no-such /dev/null 2>&1 |
	sed -n 's/^hint: [^:]*: //p' | tr ',' '\n' | tr -d ' ' >"$tmp/prog"
sed -n 's/^\.It Cm \([a-z-]*\)$/\1/p' "$man/cpprof-import.1" >"$tmp/page"
same "cpprof-import.1 has every format" "$tmp/prog" "$tmp/page"

for page in "$man"/*.1; do
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS ENVIRONMENT FILES \
		'EXIT STATUS' EXAMPLES DIAGNOSTICS 'SEE ALSO'; do
		grep -qx "\.Sh $section" "$page" || echo "$section"
	done >"$tmp/lacks"
	is "$(cat "$tmp/lacks")" "" "$(basename "$page") has every section"
	sed -n 's/^\.Xr \(cpprof[a-z-]*\) \([15]\).*/\1.\2/p' "$page" |
		while read -r other; do
			[ -e "$man/$other" ] || echo "$other"
		done >"$tmp/lacks"
	is "$(cat "$tmp/lacks")" "" "$(basename "$page") refers to pages there are"
done

# As man shows them: whoever reads a page on Linux does not read BSD's, and each
# quote that opens is closed where it ought to be.
if ! groff --version >/dev/null 2>&1; then
	skip 11 "groff is not installed"
else
	# The macros do not end where the line at the top has no room.
	for page in "$man"/*.[1-9]; do
		timeout -k 5 30 groff -mdoc -Tutf8 -rLL=20n -rLT=20n "$page" \
			>/dev/null 2>&1 || echo "$page"
	done >"$tmp/said"
	is "$(cat "$tmp/said")" "" "20 columns: every page comes to its end"
	# Only lines that a narrow terminal cannot break may be too long.
	for columns in 40 80 200; do
		for page in "$man"/*.[1-9]; do
			timeout -k 5 30 groff -ww -Wbreak -mdoc -Tutf8 \
				-rLL=${columns}n -rLT=${columns}n "$page" \
				2>&1 >"$tmp/shown"
			[ -s "$tmp/shown" ] || echo "$page: nothing is shown"
		done >"$tmp/said" 2>&1
		is "$(cat "$tmp/said")" "" \
			"$columns columns: troff warns of nothing in any page"
	done
	# What man makes of a terminal of 80 has room for all lines (groff 1.23 warns,
	# too, of such as have one word for the blanks that fill them).
	for page in "$man"/*.[1-9]; do
		for columns in 78 79; do
			groff -ww -mdoc -Tutf8 -rLL=${columns}n -rLT=${columns}n \
				"$page" 2>&1 >/dev/null | sed "s|^|$(basename "$page"): |"
		done
	done >"$tmp/said"
	is "$(cat "$tmp/said")" "" "80 columns: every line can be broken and adjusted"
	# A cell that wraps goes on far to the right of where it began.
	for page in "$man"/*.[1-9]; do
		groff -mdoc -Tutf8 -P-cbou -rLL=78n -rLT=78n "$page" 2>/dev/null |
			grep '^ \{44\}[^ ]' | sed "s|^|$(basename "$page"): |"
	done >"$tmp/said"
	is "$(cat "$tmp/said")" "" "80 columns: no cell of a table wraps"
	if man -w man >/dev/null 2>&1; then
		for columns in 40 80 200; do
			COLUMNS=$columns timeout 30 "$cpprof" help export \
				</dev/null 2>"$tmp/said" >"$tmp/shown"
			is "$(grep -c 'folded' "$tmp/shown" | sed 's/[1-9].*/shown/'
				cat "$tmp/said")" shown \
				"$columns columns: help shows the page, and no warning"
		done
	else
		skip 3 "no man(1) that has pages"
	fi
	for page in "$man"/*.[1-9]; do
		groff -mdoc -Tutf8 -P-cbou "$page" 2>/dev/null |
			sed "s|^|$(basename "$page"): |"
	done >"$tmp/shown"
	grep 'BSD General\|: BSD ' "$tmp/shown" >"$tmp/lacks"
	is "$(cat "$tmp/lacks")" "" "no page is headed as BSD's"
	grep "‘[^’]*‘\|’’\|‘[^’]*: [^’]*’" "$tmp/shown" |
		grep -v '‘note:’' >"$tmp/lacks"
	is "$(cat "$tmp/lacks")" "" "quotes are closed where they should be"
fi

if [ -z "${MANDOC:-}" ]; then
	skip 1 "mandoc is not installed"
else
	# Which other pages this machine has is not the pages' fault.
	(cd "$man" && "$MANDOC" -T lint ./*.[1-9]) 2>&1 |
		grep -v 'referenced manual not found\|mandoc\.db' >"$tmp/lint"
	is "$(cat "$tmp/lint")" "" "mandoc -T lint has nothing to say"
fi
# The limits that cpprof-run(1) names.
for limit in 'RESOURCES_MAX base/limits.h' 'PERCPU_COUNTERS timer/percpu/abi.h'
do
	n=$(sed -n "s/^#define ${limit% *} *\\([0-9]*\\).*/\\1/p" \
		"$top_srcdir/monitor/${limit#* }")
	like "$(tr '\n' ' ' <"$top_srcdir/man/cpprof-run.1")" "up to $n[ ,]" \
		"cpprof-run(1) says that there are $n at most"
done

# The signals that it names.
sed -n '/passed_on\[\] = {/,/};/p' "$top_srcdir/monitor/launch/control.c" |
	grep -o 'SIG[A-Z0-9]*' | grep -vx SIGUSR1 >"$tmp/prog"
sed -n '/^passes on$/,/^if they/p' "$man/cpprof-run.1" |
	grep -o 'SIG[A-Z0-9]*' >"$tmp/page"
same "cpprof-run.1 names every signal that is passed on" "$tmp/prog" "$tmp/page"

# What programs read: each key of the schema, and each column, is a word of a page.
cat "$man"/*.1 | tr -cs 'a-zA-Z0-9_' '\n' | sort -u >"$tmp/words"
if command -v jq >/dev/null; then
	jq -r '.. | objects | .properties? // empty | keys[]' "$man/cpprof-profile.schema.json" |
		sort -u | comm -23 - "$tmp/words" >"$tmp/wrong"
	is "$(cat "$tmp/wrong")" "" "the pages have each key of JSON"
else
	skip 1 "no jq"
fi
for i in 30 31; do
	echo "main;f;f $i" | "$cpprof" import -q -o "$tmp/folded$i" -
done
for form in report 'report --why' 'report --threads' 'report --processes' advise \
	callgraph 'callgraph --cycles' "diff $tmp/folded31" info; do
	"$cpprof" $form --format=csv "$tmp/folded30" | head -n 1
done >"$tmp/headers"
tr , '\n' <"$tmp/headers" | sort -u | comm -23 - "$tmp/words" >"$tmp/wrong"
is "$(grep -c , "$tmp/headers"; cat "$tmp/wrong")" 9 "... and each column of CSV"

done_testing
