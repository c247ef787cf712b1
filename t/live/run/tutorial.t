#!/bin/sh
# What cpprof-tutorial(7) shows is what the shell prints, but for the figures.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "$why"
"$cpprof" run -q -r pagefaults -o "$tmp/can" -- true >"$tmp/log" 2>&1 ||
	skip_all "$(head -n 1 "$tmp/log")"
page=$top_srcdir/man/cpprof-tutorial.7
PATH=$top_builddir/cpprof:$samples:$PATH
COLUMNS=80 # as on a terminal
export COLUMNS

# plain: the functions and their order, without figures and without the places and
# parts of libc's own sort, which change; lines that only tell how much there was are
# left out
plain() {
	sed -e '/^ *$/d' -e '/^\(wall\|cpu\|pagefaults\|kept:\) /d' \
		-e '/^Call graph of/d' -e '/^[0-9.]* s* *consumed/d' \
		-e '/hits in .* samples/d' -e '/sampl/d' -e '/ wrappers /d' \
		-e '/ more functions*$/d' -e '/ more functions*, /d' -e '/^# keeps/d' -e '/process.* thread/d' \
		-e '/^[0-9]* % of wall not running/d' -e '/^\[/d' \
		-e '/hide a function$/d' -e '/^[0-9]* % of CPU is/d' \
		-e 's/\[[0-9]*\]$//' \
		-e 's/^[01]\.[0-9]* //' -e 's/[0-9.][0-9.]* %[?*]*//g' \
		-e 's/[a-z]*sort\.c:[0-9]*//' \
		-e 's/\([<>]\) \(qsort_r\|\[libc: [0-9]*\]\) [<>]/\1 [libc] \1/' -e 's/[?]//g' -e 's/  */ /g' -e 's/ $//'
}

# The page's literal text from its $ run PROGRAM on to the next one.
transcript() { # PROGRAM
	awk -v program="$1" '
		/^\.Bd -literal/ { inside = 1; next }
		/^\.Ed/ { inside = 0 }
		!inside { next }
		/^\$ cpprof run/ { mine = $NF == program; next }
		/^\$ cpprof/ || !mine { next }
		{ sub(/^pagefaults, [a-z ]*> /, "cpprof> ") }
		{ sub(/^\\&/, ""); gsub(/\\e/, "\\"); print }' "$page"
}

# Each command of the transcript, in a shell that had those before it.
for program in process_db forms; do
	resource=$(sed -n "s/^\\\$ cpprof run -r \\([a-z]*\\) -- $program\$/\\1/p" \
		"$page")
	"$cpprof" run -q -r "$resource" -o "$tmp/data" -- $program >"$tmp/log" 2>&1
	is "$?" 0 "$program is profiled by $resource"
	transcript $program >"$tmp/transcript"
	sed -n 's/^cpprof> //p' "$tmp/transcript" >"$tmp/commands"
	[ "$(wc -l <"$tmp/commands")" -ge 4 ]
	ok $? "$program: $(wc -l <"$tmp/commands") commands"
	# libc's own functions have names where its debug symbols are
	if grep -q msort_with_tmp "$tmp/transcript" && ! "$cpprof" export \
		--format=folded "$tmp/data" | grep -q msort_with_tmp; then
		skip 1 "libc has no names here (libc6-dbg)"
		continue
	fi
	: >"$tmp/before"
	while read -r command; do
		"$cpprof" "$tmp/data" <"$tmp/before" >"$tmp/old" 2>&1
		echo "$command" >>"$tmp/before"
		"$cpprof" "$tmp/data" <"$tmp/before" >"$tmp/new" 2>&1
		tail -n "+$(($(wc -l <"$tmp/old") + 1))" "$tmp/new" |
			plain >"$tmp/got"
		awk -v command="cpprof> $command" '
			$0 == command { mine = 1; next }
			/^cpprof> / { mine = 0 }
			mine' "$tmp/transcript" | plain >"$tmp/wanted"
		# functions of nearly the same weight may change places, and a
		# wrapper with a sample of its own is a row
		case $command in
		function*)
			sort -o "$tmp/wanted" "$tmp/wanted"
			grep -xFf "$tmp/wanted" "$tmp/got" | sort -o "$tmp/got"
			;;
		esac
		is "$(cat "$tmp/got")" "$(cat "$tmp/wanted")" \
			"$program: $command"
	done <"$tmp/commands"
done
done_testing
