#!/bin/sh
# Bytes read and written are those of /proc/PID/io, except what exec itself reads,
# under each kind of timer that counts them: for foreign programs, and for one of
# ours.
. "$(dirname "$0")/../../lib/lib.sh"

proc_io=$top_builddir/t/live/target/proc_io
data=$tmp/data
[ -r /proc/self/io ] || skip_all "no /proc/PID/io here"
"$proc_io" exec true >"$tmp/exec" 2>&1 ||
	skip_all "no ptrace here: $(cat "$tmp/exec")"

# bytes RESOURCE PID: of one process, at an interval of one
bytes() {
	"$cpprof" export --format=folded --resource="$1" --process="$2" \
		"$data" | awk '{ n += $NF } END { printf "%d\n", n }'
}

# agree COMMAND...: under $timer
agree() {
	"$cpprof" run -q --timer=$timer -r bytes-read:1,bytes-written:1 \
		-o "$data" -- "$proc_io" "$tmp/io" "$@" >/dev/null \
		2>"$tmp/err" <"$tmp/numbers"
	is "$?:$(cat "$tmp/err")" 0: "$timer: $(basename "$1") runs to its end"
	read -r pid rchar wchar <"$tmp/io"
	exec=$("$proc_io" exec "$@" 2>/dev/null)
	is "$(bytes bytes-read "$pid")" $((rchar - exec)) \
		"... what it reads is rchar, less $exec of exec itself"
	is "$(bytes bytes-written "$pid")" "$wchar" "... what it writes is wchar"
}

awk 'BEGIN { for (i = 0; i < 5000; i++) print (i * 7919) % 10007 }' \
	>"$tmp/numbers"
for timer in per-cpu stop; do
	why=$("$cpprof" run -q -o "$data" --timer=$timer -r bytes -- true 2>&1) || {
		skip 18 "$timer: $(echo "$why" | tr '\n' ' ')"
		continue
	}
	agree dd if=/dev/zero of=/dev/null bs=1 count=300 status=none
	agree dd if="$tmp/numbers" of="$tmp/copy" bs=1000 status=none
	agree sort -n "$tmp/numbers"
	agree cat "$tmp/numbers"
	agree wc
	# in a thousand threads and in its own
	agree "$samples/shortlived" --threads=1000 --processes=0 --us=1 \
		--pages=1 --bytes=100
done
done_testing
