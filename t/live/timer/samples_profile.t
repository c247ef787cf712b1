#!/bin/sh
# Profiles of the sample programs against the truth they tell, and against what
# the papers that they come from conclude.
. "$(dirname "$0")/../../lib/lib.sh"
plain_build

can_profile || skip_all "cannot sample here: $why"

# away: whether the processor was taken away for a quarter of the run.  The clock of
# a per-task event has one tick for all that a virtual processor missed, and
# the profile calls the rest [unsampled].
away() {
	[ $timer = per-task ] && [ "$resource" = cpu ] || return
	[ $((4 * $(of cpu unsampled))) -gt "$(of cpu total)" ] &&
		echo "# $what: $(of cpu unsampled) of $(of cpu total) us are unsampled"
}

# profile RESOURCE:INTERVAL SAMPLE ARGS...: by $timer into $data, $truth and
# $folded
data=$tmp/data truth=$tmp/truth folded=$tmp/folded
profile() {
	resource=${1%%:*}
	requested=$1 prog=$2
	shift 2
	what="$timer: $prog${*:+ $*}"
	for try in 1 2 3 4 5; do
		"$cpprof" run -q --timer=$timer -r "$requested" -o "$data" -- \
			"$samples/$prog" --truth "$@" >"$truth" 2>"$tmp/err"
		status=$?
		# a fault that the kernel took besides: what is true is not
		# known then, and the program says so
		grep -q 'faults for [0-9]* pages' "$tmp/err" && continue
		[ "$status" -eq 0 ] && away || break
	done
	"$cpprof" export --format=folded --resource="$resource" "$data" \
		>"$folded" 2>>"$tmp/err" || status=1
	ok "$status" "$what is profiled"
	[ "$status" -eq 0 ] || sed 's/^/# /' "$tmp/err"
}

# whole N [SHARE]: whether all samples but SHARE found room in the ring; if not,
# N tests are skipped.  A busy machine or an ordinary user's small ring may lose
# some; that the profile then says so is what agrees holds.
whole() {
	lost=$(awk -v most="${2:-0}" '
		{ all += $NF }
		/^\[lost\]/ { lost += $NF }
		END {
			if (lost > most * all)
				print lost " of " all " samples lost"
		}' "$folded")
	[ -z "$lost" ] && return 0
	skip "$1" "$what: $lost"
	return 1
}

# compare AWK-OPTIONS... TRUTH FOLDED: stacks of the profile with the truth
compare() {
	awk -f "$top_srcdir/t/lib/truth.awk" -v resource="$resource" \
		-v each="$(each "$resource")" \
		-v unsampled=$([ $timer = per-task ] && echo 0.5 || echo 0) \
		"$@"
}

# agrees [AWK OPTIONS...]: the profile with the truth, path by path
agrees() {
	compare "$@" "$truth" "$folded"
	ok $? "$what: $resource as the program tells it"
}

# as_told ERE HITS WHAT: what a report says of a part, with the truth of the
# paths that match
as_told() {
	compare -v part="$1" -v has="$2" "$truth" "$folded"
	ok $? "$3 ($2 hits)"
}

# report OPTIONS...: the lines of a profile below its rule
report() {
	"$cpprof" report --format=paper --resource="$resource" --threshold=0 "$@" "$data" |
		sed '1,/^-----/d'
}

# hits PATH: of exactly this line "fraction (path) [#hits]" or "fraction
# function [#hits]" on standard input, 0 if there is none
hits() {
	awk -v path="$1" '{
		line = $0
		k = line
		sub(/^.*\[/, "", k)
		sub(/\].*/, "", k)
		sub(/^ *[0-9.]+ /, "", line)
		sub(/ \[[0-9]+\]$/, "", line)
		if (line == path)
			found = k
	} END { print found + 0 }'
}

# fraction PATH: likewise
fraction() {
	awk -v path="$1" '{
		line = $0
		sub(/^ *[0-9.]+ /, "", line)
		sub(/ \[[0-9]+\]$/, "", line)
		if (line == path)
			found = $1
	} END { print found + 0 }'
}

# highest: the highest fraction on standard input
highest() {
	awk '$1 + 0 > max { max = $1 + 0 } END { print max + 0 }'
}

# tree_nodes FUNCTION: of the lines "name (fraction) [hits]" of a tree, those of
# the function, as folded stacks
tree_nodes() {
	awk -v name="$1" '{
		match($0, /^ */)
		while (depth > 0 && at[depth] >= RLENGTH)
			depth--
		at[++depth] = RLENGTH
		stack[depth] = (depth > 1 ? stack[depth - 1] ";" : "") $1
		hits = $NF
		gsub(/[][]/, "", hits)
		if ($1 == name)
			print stack[depth], hits
	}'
}

holds() {
	awk "BEGIN { exit !($1) }"
	ok $? "$2"
}

# most FUNCTION WHAT: of the samples there are, it has all but one in twenty (and
# one sample of many hits) in $tmp/function
most() {
	holds "$(hits "$1" <"$tmp/function") > 0.95 * $(of cpu hits) - \
		sqrt($(of cpu hits) * ($(each cpu) - 1))" "$2"
}

# Hall and Goldberg, Figure 1
check_forms() {
	agrees
	report --function >"$tmp/function"
	report --tree >"$tmp/tree"
	report --up=db_read_record >"$tmp/up"
	most db_read_record "$timer: forms: db_read_record is about all of the run"
	for part in invoice receipt purchase_order statement reminder \
		check_index close_books; do
		as_told "^main;$part;" "$(tree_nodes $part <"$tmp/tree" |
			awk '{ n += $NF } END { print n + 0 }')" \
			"$timer: forms: the tree has what was read for $part"
	done
	{
		tree_nodes db_read_record <"$tmp/tree"
		grep '^\[unsampled\]' "$folded"
	} >"$tmp/nodes"
	compare "$truth" "$tmp/nodes"
	ok $? "$timer: forms: the tree spreads db_read_record over its parts"
	path='(address_information db_get_property db_read_record)'
	as_told ';address_information;' "$(hits "$path" <"$tmp/up")" \
		"$timer: forms: upward, address_information is two thirds"
	is "$(grep -vE '\((db_get_property )?db_read_record\)' "$tmp/up" |
		grep -vF main | head -n 1 | sed 's/^[^(]*//; s/ \[.*//')" \
		"$path" "$timer: forms: upward, only main comes before it"
}

# Froyd, Mellor-Crummey and Fowler, Figure 1
check_fig1() {
	agrees
	report --down=main >"$tmp/down"
	from_a=$(hits '(main a c)' <"$tmp/down")
	from_b=$(hits '(main b c)' <"$tmp/down")
	as_told '^main;a;' "$from_a" "$timer: fig1: c called from a"
	as_told '^main;b;' "$from_b" "$timer: fig1: c called from b"
	# the same work, ten times the calls
	holds "$from_a > 50 && $from_b < 3 * $from_a" \
		"$timer: fig1: c costs no more from b for being called more often"
}

# Spivey
check_pqr() {
	agrees
	report --function >"$tmp/function"
	report --down=main >"$tmp/down"
	holds "$(highest <"$tmp/function") <= 1" "$timer: pqr: nothing is counted twice"
	most P "$timer: pqr: P is the whole run"
	most S "$timer: pqr: so is S"
	like "$(cat "$tmp/down")" '\(main P Q\)' "$timer: pqr: Q is called by P"
	unlike "$(cat "$tmp/down")" 'Q R[ )]|R.* Q[ )]' \
		"$timer: pqr: no path shows a call that never was"
}

# Hall and Goldberg, 022.li
check_queens() {
	report --function >"$tmp/function"
	report --down=eval >"$tmp/down"
	report --up=gc >"$tmp/up"
	share=$(fraction eval <"$tmp/function")
	most eval "$timer: queens: eval is the run, once ($share)"
	holds "$(highest <"$tmp/function") <= 1" "$timer: queens: nothing is above 1"
	holds "$(fraction '(eval)' <"$tmp/down") == $share" \
		"$timer: queens: eval downward is eval of the function profile"
	awk '{
		n = split($0, f, /[() ]+/)
		for (i = 2; i < n - 1; i++)
			if (seen[NR, f[i]]++)
				bad = 1
	} END { exit bad || NR == 0 }' "$tmp/down"
	ok $? "$timer: queens: no path names a function twice"
	holds "$(hits '(gc)' <"$tmp/up") > 0" \
		"$timer: queens: there is garbage to collect"
	is "$(hits '(cons gc)' <"$tmp/up")" "$(hits '(gc)' <"$tmp/up")" \
		"$timer: queens: gc is called from cons only"
}

# Hall and Goldberg, process_db.  What is touched first while it warms up is
# besides its own faults.
check_process_db() {
	report --down=main >"$tmp/down"
	# glibc's qsort jumps to qsort_r, which leaves only that on the stack
	sort1=$(sed 's/ qsort_r)/ qsort)/' "$tmp/down" |
		hits '(main uniquify_db qsort)')
	holds "$sort1 > 10000" "$timer: process_db: the first qsort faults ($sort1)"
	is "$(hits '(main order_by_balance)' <"$tmp/down")" 0 \
		"$timer: process_db: the second does not"
	plain=$(hits '(main uniquify_db)' <"$tmp/down")
}

check_process_db_optimized() {
	report --down=main >"$tmp/down"
	better=$(hits '(main uniquify_db_locally)' <"$tmp/down")
	holds "$better > 1000 && 10 * $better < ${plain:-22041}" \
		"$timer: process_db --optimized: a tenth of the faults at most ($better)"
}

# Whatever serves, every program shows the same.
every_program() {
	profile cpu:100us forms
	whole 12 0.01 && check_forms
	profile cpu:1ms fig1
	whole 4 0.01 && check_fig1
	profile cpu:1ms pqr
	whole 6 0.01 && check_pqr
	profile cpu:1ms queens
	whole 6 0.01 && check_queens
	profile pagefaults:1 process_db
	agrees -v exact=1 -v except=warm_up
	whole 2 && check_process_db
	profile pagefaults:1 process_db --optimized
	agrees -v exact=1 -v except=warm_up
	whole 1 && check_process_db_optimized

	# Appel, Duba and MacQueen: inlined
	# (1 in 30 is its look at the clock, and what the inlined calls lead to)
	profile cpu:1ms subset
	whole 1 0.01 && agrees -v others=0.1

	# Names by the moment of the sample
	profile cpu:1ms dl
	whole 1 0.01 && agrees

	# Stacks that are not the thread's own, code without a file, the kernel's part
	profile cpu:1ms coroutine
	whole 1 0.01 && agrees
	profile cpu:1ms jit
	whole 1 0.01 && agrees
	profile cpu:1ms sysmix
	whole 1 0.01 && agrees

	# Faults to the unit, in threads and children; those of the kernel where this
	# user may count them
	except='^$'
	[ "$(id -u)" -eq 0 ] ||
		[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 2 ] ||
		except=touch_in_kernel
	profile pagefaults:1 faults
	agrees -v exact=1 -v except="$except"
	profile pagefaults:1 faults --threads=50 --children=20 --pages=50
	agrees -v exact=1 -v except="$except"

	# Time in threads and children
	profile cpu:1ms burn
	whole 1 0.01 && agrees
	profile cpu:1ms burn --threads=12 --children=6 --ms=6
	whole 1 0.01 && agrees -v others=0.2
}

for timer in per-cpu per-task; do
	if "$cpprof" run -q --timer=$timer -r cpu,pagefaults -o "$data" -- \
		true 2>"$tmp/err"; then
		every_program
	else
		skip 1 "no $timer timers: $(head -n 1 "$tmp/err")"
	fi
done

done_testing
