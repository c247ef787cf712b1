#!/bin/sh
# bytes-mapped is what strace(1) sees granted: each call of each process.
. "$(dirname "$0")/../../lib/lib.sh"

data=$tmp/data
"$cpprof" run -q -r bytes-mapped -o "$data" -- true 2>"$tmp/err" ||
	skip_all "$(head -n 1 "$tmp/err")"
strace -f -o "$tmp/calls" true 2>"$tmp/err" ||
	skip_all "no strace that traces here"

cat >"$tmp/mapped.awk" <<'END'
function whole(x) {
	return int((x + 4095) / 4096) * 4096
}
function hex(s, i, v) {
	for (i = 3; i <= length(s); i++)
		v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return v
}
{ pid = $1; sub(/^[0-9]+ +/, "") }
/unfinished/ { part[pid] = $0; sub(/ <unfinished.*/, "", part[pid]); next }
/^<\.\.\. / { sub(/^<\.\.\. [a-z0-9_]+ resumed>/, ""); $0 = part[pid] $0 }
/^(fork|vfork|clone3?)\(/ && match($0, /= [0-9]+$/) {
	# its own calls may be told before
	child = substr($0, RSTART + 2)
	if (!(child in end))
		end[child] = end[pid]
	next
}
/^execve\(/ { end[pid] = 0; next }
/^brk\(/ && match($0, /0x[0-9a-f]+$/) {
	at = whole(hex(substr($0, RSTART)))
	if (end[pid] && at > end[pid])
		sum += at - end[pid]
	end[pid] = at
	next
}
/= -1 / { next }
/^mmap\(/ { split($0, a, ", "); sum += whole(a[2]) }
/^mremap\(/ {
	split($0, a, ", ")
	sub(/[^0-9].*/, "", a[3])
	if (a[3] + 0 > a[2] + 0)
		sum += whole(a[3]) - whole(a[2])
}
END { printf "%d\n", sum }
END

# as_strace WHAT COMMAND...
as_strace() {
	what=$1
	shift
	strace -f -o "$tmp/calls" \
		-e trace=mmap,mremap,brk,clone,clone3,fork,vfork,execve "$@" \
		>"$tmp/out" 2>&1
	"$cpprof" run -q -r bytes-mapped:1 -o "$data" -- "$@" >"$tmp/out" 2>&1
	is "$(of bytes-mapped total)" "$(awk -f "$tmp/mapped.awk" "$tmp/calls")" \
		"$what: as strace says"
	is "$(of bytes-mapped weight)" "$(of bytes-mapped total)" \
		"... all of it in samples"
}
seq 200000 >"$tmp/numbers"
# (sort takes memory by how much is free, and threads as they come)
as_strace "a program" od -c "$tmp/numbers"
as_strace "a shell's children" sh -c "cat $tmp/numbers | wc -l; ls / | wc -l"
if command -v python3 >/dev/null; then
	PYTHONHASHSEED=0 as_strace "mappings that grow" python3 -c '
x = bytearray(10)
for i in range(200): x += bytes(100000)'
else
	skip 2 "no python3 here"
fi
done_testing
