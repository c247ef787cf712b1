#!/bin/sh
# Rows against libunwind, frame by frame, on every sample of real programs, and
# the share of stacks that are whole.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "no sampling here: $why"

# stacks FILE: "whole truncated" of the first resource
stacks() {
	"$cpprof" info "$1" |
		sed -n 's/^ *stacks: \([0-9]*\) whole, \([0-9]*\) truncated.*/\1 \2/p' |
		head -n 1
}

# check NAME RESOURCE LEAST PROG...: no contradiction, LEAST per mille whole
check() {
	name=$1 resource=$2 least=$3
	shift 3
	said=$("$cpprof" run --unwinder=check -r "$resource" -o "$tmp/data" \
		-- "$@" 2>&1 >/dev/null)
	contradicted=$(printf '%s\n' "$said" |
		sed -n 's/.*libunwind contradicts \([0-9]*\) of.*/\1/p')
	compared=$(printf '%s\n' "$said" |
		sed -n 's/.*contradicts [0-9]* of \([0-9]*\) stacks.*/\1/p')
	is "$contradicted" 0 "$name: libunwind contradicts no stack"
	[ "${contradicted:-1}" = 0 ] || "$cpprof" info "$tmp/data" |
		grep "unwinder check" | sed 's/^/# /'
	ok "$((${compared:-0} < 20))" \
		"$name: ${compared:-none} stacks were compared"
	set -- $(stacks "$tmp/data")
	# or two of a few, which are no share
	[ $((${2:-9} * 1000)) -le \
		$((${1:-0} * (1000 - least) + ${2:-9} * (1000 - least) + 2000)) ] &&
		[ "${1:-0}" -gt 20 ]
	ok $? "$name: ${1:-no} stacks are whole, ${2:-?} truncated"
}

# program COMMAND: whether it is there; else three tests are skipped
program() {
	command -v "$1" >/dev/null && return 0
	skip 3 "no $1 here"
	return 1
}

check forms cpu:1ms 990 "$samples/forms"
check queens cpu:1ms 990 "$samples/queens"
check faults pagefaults 990 "$samples/faults"
check coroutine cpu:1ms 990 "$samples/coroutine"
# What lies beyond the copy is asked of the live process, and comparing takes so
# long that it has often gone on.  (handler: its outer frames are on another
# stack.)
check deep pagefaults 200 "$samples/deep" --depth=1000
check handler cpu:1ms 200 "$samples/handler"

program sort && {
	awk 'BEGIN { for (i = 0; i < 200000; i++) print i * 7919 % 100003 }' \
		>"$tmp/numbers"
	check sort pagefaults:10 990 sort -n "$tmp/numbers"
}
program xz && check xz cpu:1ms 990 xz -kc1 "$tmp/numbers"
program sqlite3 && check sqlite3 cpu:1ms 990 sqlite3 :memory: '
	with recursive r(i) as (select 1 union all select i + 1 from r
		where i < 400000)
	select sum(length(i || char(120)) * (i % 7)) from r;'
program perl && check perl cpu:100us 990 perl -e '
	sub f { my $n = shift; $n < 2 ? $n : f($n - 1) + f($n - 2) }
	my %h; $h{$_ % 999} .= "a$_," for 1 .. 300000;
	print f(22), join(",", sort values %h) =~ tr/9//;'

program busybox && {
	check "busybox awk" cpu:1ms 990 busybox awk '{ n += $1 * NR % 7 }
		END { print n }' "$tmp/numbers" "$tmp/numbers"
	check "busybox sh" cpu:1ms 990 busybox sh -c 'i=0
		while [ $i -lt 60000 ]; do i=$((i + 1)); done; echo $i'
}

# That the comparison sees a difference: frame pointers where there are none.
"$cpprof" run -q -r cpu:1ms -o "$tmp/auto" -- "$samples/queens" >/dev/null
"$cpprof" run -q --unwinder=fp -r cpu:1ms -o "$tmp/fp" \
	-- "$samples/queens" >/dev/null
set -- $(stacks "$tmp/auto") $(stacks "$tmp/fp")
[ "${2:-1}" -le $((${1:-0} / 50)) ] && [ "${4:-0}" -gt $((${3:-0} / 2)) ]
ok $? "a program without frame pointers: rows ${1:-?} whole, ${2:-?} not;" \
	" frame pointers ${3:-?}, ${4:-?}"

said=$("$cpprof" run --unwinder=none -- true 2>&1)
is "$?" 125 "an unknown unwinder is refused"
like "$said" 'there are: auto, fast, libunwind, fp, check' "with the list"
done_testing
