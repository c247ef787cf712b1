#!/bin/sh
# The BPF programs stay within a budget, so that kernels other than this one
# take them: of instructions that the verifier goes through, and of stack.
. "$(dirname "$0")/../lib/lib.sh"

ONE=9800   # instructions, with one counter
EXIT=27000 # of on_exit, which adds up 1024 messages
ALL=130000 # with all counters that there can be; the kernel's limit is a million
STACK=384  # bytes, by the rule of Linux 6.1, whose limit is 512
object=$top_builddir/monitor/timer/percpu/bpf/percpu.bpf.o
budget=$top_builddir/t/lib/bpf_budget
[ -x "$budget" ] || skip_all "built without libbpf"

"$budget" "$object" >"$tmp/table" 2>"$tmp/err"
case $? in
0) ;;
77) skip_all "no BPF programs here: $(head -n 1 "$tmp/err")" ;;
*) sed 's/^/# /' "$tmp/err" ;;
esac

# keeps WHICH FILE: the table of one object
keeps() {
	printf '# %-20s %10s %10s %8s\n' "$1" one all stack
	awk '{ printf "# %-20s %10s %10s %8s\n", $1, $2, $3, $4 }' "$2"
	is "$(awk -v one=$ONE -v exit_=$EXIT \
		'$2 > ($1 ~ /^on_exit/ ? exit_ : one) { print $1, $2 }' "$2")" "" \
		"$1: at most $ONE instructions are verified with one counter"
	is "$(awk -v all=$ALL '$3 > all { print $1, $3 }' "$2")" "" \
		"... and $ALL with all"
	is "$(awk -v most=$STACK '$4 > most { print $1, $4 }' "$2")" "" \
		"... and $STACK bytes of stack"
	is "$(awk '$2 == "-" && $1 != "on_switch" { print $1 }' "$2")" "" \
		"... and none is refused, but on_switch before 5.18"
}

keeps "as built" "$tmp/table"

# Where a program loads a pointer from a task that the kernel trusts, the verifier of
# Linux 6.2 and later searches all of the kernel's types for it, a millisecond each
# time: what is not handed to a helper is read as memory (BPF_CORE_READ).
is "$(grep -nE '(task|child|parent|prev|next|btf\(\))->(mm|files|signal|thread_pid|utask)\>|group_leader->' \
	"$top_srcdir"/monitor/timer/percpu/bpf/*.h)" "" \
	"no program goes through a task's pointer itself"

# libbpf's loader, which loads them in the kernel at a fraction of the cost, has room
# for so many functions (MAX_USED_PROGS), and beyond them is refused.
if command -v readelf >/dev/null; then
	within "$(readelf -sW "$object" | grep -c ' FUNC ')" 1 32 \
		"the loader has room for all functions"
else
	skip 1 "no readelf"
fi

# Other compilers lay out frames in other ways.
for clang in $(seq -f clang-%g 13 30); do
	command -v $clang >/dev/null || continue
	if $clang -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 \
		-I"$top_srcdir" \
		-idirafter /usr/include/"$(uname -m)"-linux-gnu -c \
		-o "$tmp/$clang.o" \
		"$top_srcdir/monitor/timer/percpu/bpf/percpu.bpf.c" 2>"$tmp/err" &&
		"$budget" "$tmp/$clang.o" >"$tmp/table" 2>>"$tmp/err"; then
		keeps $clang "$tmp/table"
	else
		sed 's/^/# /' "$tmp/err"
		ok 1 "$clang compiles what the kernel takes"
	fi
done
done_testing
