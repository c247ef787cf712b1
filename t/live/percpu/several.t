#!/bin/sh
# Several resources in one run, of the same events of the kernel, at equal and
# at other intervals, beside two busy loops: each is what it is alone, and what
# getrusage(2) and strace say.
. "$(dirname "$0")/../../lib/lib.sh"
plain_build

data=$tmp/data
count=$top_builddir/t/live/target/monitor_count

why=$("$cpprof" run -q -o "$tmp/can" --timer=per-cpu -r syscalls -- true 2>&1) ||
	skip_all "no BPF programs here: $why"

# two that run all the time
loops=
for i in 1 2; do
	timeout 100 sh -c 'while :; do :; done' &
	loops="$loops $!"
done
trap 'kill $loops; rm -rf "$tmp"' EXIT

# observe RESOURCES COMMAND...
observe() {
	spec=$1
	shift
	"$cpprof" run -q --timer=per-cpu -r "$spec" -o "$data" -- "$@" \
		>/dev/null 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 0: "$spec: $(basename "$1") runs"
	threads=$("$top_builddir/t/lib/monitor_dump" "$data" |
		grep -c '^thread')
}

# balanced RESOURCE...: samples and losses are the count; a thread starts
# anywhere in its first interval
balanced() {
	for r; do
		within $(($(of $r weight) + $(of $r lost) + \
			$(of $r unsampled) - $(of $r total))) 0 \
			$((($(of $r interval) - 1) * threads)) \
			"$spec: $r: samples and losses are the count"
	done
}

# System calls and bytes: alone, then together.
for r in syscalls bytes bytes-read bytes-written; do
	observe $r:1 "$samples/io"
	eval "alone_$(echo $r | tr - _)=$(of $r total)"
done
if command -v strace >/dev/null && strace -f -c -o "$tmp/strace" "$samples/io" \
	>/dev/null 2>&1; then
	is "$alone_syscalls" "$(awk 'END { print $4 }' "$tmp/strace")" \
		"syscalls are what strace counts"
else
	skip 1 "no strace here"
fi
for spec in bytes:1,bytes-read:1,bytes-written:1,syscalls:1 \
	bytes:4096,bytes-read:100,bytes-written:777,syscalls:10,cpu,user,system,real,blocked; do
	observe $spec "$samples/io"
	is "$(of syscalls total):$(of bytes total):$(of bytes-read total):$(of \
		bytes-written total)" \
		"$alone_syscalls:$alone_bytes:$alone_bytes_read:$alone_bytes_written" \
		"$spec: each is what it is alone"
	balanced syscalls bytes bytes-read bytes-written
done

# Page faults; the counters' own process is there beside the command's.
for spec in pagefaults:1,minorfaults:1,majorfaults:1 \
	pagefaults:7,minorfaults:3,majorfaults:5,cpu,syscalls:1; do
	observe $spec "$count" "$tmp/counts" "$samples/faults" --pages=300
	is "$(of pagefaults total)" \
		$(($(of minorfaults total) + $(of majorfaults total))) \
		"$spec: all are those of both kinds"
	within $(($(of minorfaults total) - \
		$(awk '$1 == "minorfaults" { print $2 }' "$tmp/counts"))) 0 400 \
		"$spec: the kernel's count"
	balanced pagefaults minorfaults majorfaults
done

# Times.
observe cpu,user,system,real,blocked "$count" "$tmp/counts" "$samples/burn" \
	--threads=3 --children=2
usage=$(awk '$1 == "rusage" { print $2 }' "$tmp/counts")
cpu=$(of cpu total)
within "$cpu" $((usage * 97 / 100 - 5000)) $((usage * 103 / 100 + 5000)) \
	"cpu is what wait4 says"
is $(($(of user total) + $(of system total))) "$cpu" "user + system = cpu"
is $(($(of user weight) + $(of system weight))) "$(of cpu weight)" \
	"... and in samples"
# what others on the processor and a virtual one's host take is real alone
within $(($(of real total) - $(of blocked total))) $((cpu * 97 / 100 - 5000)) \
	"$(of real total)" "real is blocked, what runs, and time in line"

# The most resources there may be, each for one call: the kernel's verifier must
# not follow each set of counters that can be due.
spec=
for call in read write openat close mmap munmap brk lseek futex poll getpid \
	getppid fstat pread64 pwrite64 ioctl; do
	spec=$spec${spec:+,}syscalls=$call
done
observe $spec true
observe real,cpu,blocked,bytes,bytes-read,bytes-written,iotime,switches,\
signals,pagefaults,minorfaults,majorfaults,syscalls,syscalls=read,\
syscalls=write,syscalls=close true

done_testing
