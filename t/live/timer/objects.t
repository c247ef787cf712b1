#!/bin/sh
# Page faults by what the memory is, and page by page, against a program that says
# where it has touched how much of which; by per-CPU and by per-task timers.
. "$(dirname "$0")/../../lib/lib.sh"

plain_build # others touch memory of their own

data=$tmp/data truth=$tmp/truth folded=$tmp/folded
target=$top_builddir/t/live/target/memory

# fold OPTIONS...: into $folded, without blanks in names
fold() {
	"$cpprof" export --format=folded --no-labels "$@" "$data" |
		sed -E 's/ ([0-9]+)$/\t\1/; s/ /_/g; s/\t/ /' >"$folded"
}

# hits ERE: in the stacks that match
hits() {
	awk -v ere="$1" '$0 ~ ere { n += $NF } END { print n + 0 }' "$folded"
}

# pages ERE CSV: of that memory, FROM:PAGESxTIMES by address
pages() {
	awk -F , -v ere="$1" '$3 ~ ere { print $6 ":" $7 "x" $8 }' "$2" | sort -n |
		tr '\n' ' '
}

for timer in per-cpu per-task; do
	timeout 60 "$cpprof" run -q --timer=$timer -r pagefaults:1 -o "$data" -- \
		"$target" "$tmp/file.db" >"$truth" 2>"$tmp/err"
	status=$?
	[ $status != 125 ] || {
		skip 10 "$timer: $(head -n 1 "$tmp/err")"
		continue
	}
	is "$status:$(cat "$tmp/err")" 0: "$timer: runs"
	fold --objects
	# who may not see the kernel's work has none of its faults
	except=
	[ "$(hits ';use_call;')" != 0 ] || except=use_call
	awk -f "$top_srcdir/t/lib/truth.awk" -v resource=pagefaults -v exact=1 \
		-v except="$except" -v others=1 "$truth" "$folded"
	ok $? "$timer: each page where the program says, exactly"
	[ $timer = per-task ] ||
		is "$(hits ';use_call;.*;[[]read];[[]anonymous] ')" 8 \
			"$timer: in a system call it is called from the call"
	if [ $timer = per-cpu ]; then
		fold --syscalls
		is "$(hits ';use_call;.*;[[]read] ') $(hits '[[]anonymous')" "8 0" \
			"$timer: ... which can be had without the memory"
		fold --objects
	else
		like "$("$cpprof" export --format=folded --syscalls "$data" 2>&1)" \
			'syscalls: no sample of this file tells' "$timer: there are no calls"
	fi
	is "$(hits ';use_(moved|realloc);.*[[](anonymous|unknown)] ')" 11 \
		"$timer: what mremap() moved is anonymous; unknown if it came too late"
	is "$(hits '] ')" "$(hits '')" \
		"$timer: each fault has its memory"
	"$cpprof" report --pages -f csv --threshold=0 "$data" >"$tmp/pages"
	is "$(pages '"[[]file.db' "$tmp/pages")" \
		"1048576:6x1 9437184:3x1 10485760:4x1 12582912:2x3 12591104:3x1 " \
		"$timer: which pages of a file faulted how often"
	like "$(pages '"[[]anonymous]' "$tmp/pages")" ':4x3 ' \
		"$timer: ... and of memory without one"
	is "$("$cpprof" report --pages --threshold=0 "$data" | awk '
		/[[]file[.]db 8[.][.]16 MiB]$/ { print $1, $4, $5 }')" "16 12 4" \
		"$timer: first touches, and what was touched again"
	fold
	is "$(hits '[[]anonymous')" 0 "$timer: ... which is shown on demand"
	# each file numbers them anew
	timeout 60 "$cpprof" run -q --timer=$timer -r pagefaults:1 \
		-o "$tmp/other" -- /bin/true
	"$cpprof" merge -q -o "$tmp/both" "$data" "$tmp/other"
	is "$("$cpprof" report --body --objects --threshold=0 --format=csv \
		"$tmp/both" | grep '"[[]memory]"' | cut -d, -f3 | sort |
		uniq -c | awk '{ n += $1 > 1 } END { print n + 0, (NR > 4) }')" \
		"0 1" "$timer: in merged files it has one row of each name"
done
if timeout 60 "$cpprof" run -q --timer=per-cpu -r pagefaults:1,bytes-mapped:4K \
	-o "$tmp/mapped" -- "$target" "$tmp/file.db" >"$truth" 2>"$tmp/err"; then
	"$cpprof" export --format=folded --no-labels --objects -r pagefaults \
		"$tmp/mapped" | sed -E 's/ ([0-9]+)$/\t\1/; s/ /_/g; s/\t/ /' >"$folded"
	is "$(hits ';use_(anonymous|again);.*[[]anonymous_of_memory] ')" 25 \
		"memory without a file has the name of who mapped it"
	is "$(hits ';use_malloc;.*[[]anonymous_of_libc[^;]*] ')" 9 \
		"... which is the C library for malloc"
	is "$(hits ';use_moved;.*[[]anonymous_of_memory]')" 4 \
		"... also when mremap() has moved it"
	is "$(hits ';use_realloc;.*[[]anonymous_of_libc[^;]*] ')" 7 \
		"... for the C library"
else
	skip 4 "per-CPU timers: $(head -n 1 "$tmp/err")"
fi
[ -s "$tmp/pages" ] || {
	skip 8 "no page faults"
	done_testing
	exit
}

"$cpprof" report --pages -f json "$data" | "$top_builddir/t/lib/check_schema" \
	"$top_srcdir/man/cpprof-profile.schema.json" 2>&1
ok $? "the pages in JSON match the schema"
cp "$data" "$tmp/second"
"$cpprof" merge -q -o "$tmp/merged" "$data" "$tmp/second"
escape=$(printf '\033')
ln -s /bin/true "$tmp/evil${escape}[31m"
timeout 60 "$cpprof" run -q -r pagefaults:1 -o "$tmp/other" -- "$tmp/evil${escape}[31m"
"$cpprof" merge -q -o "$tmp/both" "$data" "$tmp/other"
"$cpprof" report --pages --threshold=0 "$tmp/both" >"$tmp/pages"
like "$(cat "$tmp/pages")" 'once, evil.x1b.31m [0-9]+' "a process's name is escaped"
unlike "$(cat "$tmp/pages")" "$escape" "... in all that is said of it"
is "$(COLUMNS=40 "$cpprof" report --pages --threshold=0 "$tmp/both" |
	awk 'length > 40' | wc -l)" 0 "in 40 columns a memory has lines of its own"
"$cpprof" report --pages -f csv --threshold=0 "$tmp/merged" >"$tmp/pages"
is "$(pages '"[[]file.db' "$tmp/pages" | tr ' ' '\n' | sort -n | uniq -c |
	awk 'NF > 1 { print $1 "*" $2 }' | tr '\n' ' ')" \
	"2*1048576:6x1 2*9437184:3x1 2*10485760:4x1 2*12582912:2x3 2*12591104:3x1 " \
	"a merged file has the pages of both runs"
is "$("$cpprof" report --pages --contains use_again --threshold=0 "$data" |
	awk '/[[]file[.]db/ { print $1, $4, $5 }')" "9 5 4" \
	"filters keep the pages of their stacks"
timeout 60 "$cpprof" run -q -r pagefaults:4 -o "$data" -- "$target" \
	"$tmp/file.db" >"$truth"
like "$("$cpprof" report --pages "$data")" 'at least so many' \
	"where not each fault is sampled the report says so"
"$cpprof" import -o "$tmp/imported" "$folded" 2>"$tmp/err"
"$cpprof" report --pages "$tmp/imported" 2>"$tmp/err"
is "$?:$(grep -c 'no resource tells pages' "$tmp/err")" 1:1 "no faults, no pages"
"$cpprof" shell -c 'pages 0' "$data" >"$tmp/out"
like "$(cat "$tmp/out")" 'file[.]db 0' "the shell has them, too"
done_testing
