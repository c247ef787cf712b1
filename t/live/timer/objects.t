#!/bin/sh
# Page faults by what the memory is, against a program that says where it has touched
# how much of which; by per-CPU and by per-task timers.
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

for timer in per-cpu per-task; do
	timeout 60 "$cpprof" run -q --timer=$timer -r pagefaults:1 -o "$data" -- \
		"$target" "$tmp/file.db" >"$truth" 2>"$tmp/err"
	status=$?
	[ $status != 125 ] || {
		skip 6 "$timer: $(head -n 1 "$tmp/err")"
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
	is "$(hits ';use_moved;.*[[](anonymous|unknown)] ')" 4 \
		"$timer: what mremap() moved is anonymous; unknown if it came too late"
	is "$(hits '] ')" "$(hits '')" \
		"$timer: each fault has its memory"
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
done_testing
