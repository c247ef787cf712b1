#!/bin/sh
# The sample programs by themselves: they end well, say the same every time,
# and the truth they tell holds together.
. "$(dirname "$0")/../../lib/lib.sh"

[ -z "$SANITIZERS" ] || skip_all "no cpprof runs here: nothing for the sanitizers"

# amount RESOURCE PATH: from the truth in $out
amount() {
	printf '%s\n' "$out" | awk -v r="$1" -v p="$2" \
		'$1 == "truth" && $2 == r && $3 == p { n = $4 } END { print n + 0 }'
}

# sum RESOURCE ERE: of the paths that match
sum() {
	printf '%s\n' "$out" | awk -v r="$1" -v p="$2" \
		'$1 == "truth" && $2 == r && $3 ~ p { n += $4 } END { printf "%.0f\n", n }'
}

# cpu_seconds COMMAND...: of five runs
cpu_seconds() {
	(
		for i in 1 2 3 4 5; do
			"$@" >"$tmp/out"
		done
		times
	) | awk 'END {
		for (i = 1; i <= 2; i++) {
			split($i, t, /[ms]/)
			sum += 60 * t[1] + t[2]
		}
		print sum
	}'
}

# run_sample NAME ARGS...: into $out
run_sample() {
	prog=$1
	shift
	for try in 1 2 3 4 5; do
		out=$("$samples/$prog" --truth "$@" 2>"$tmp/err")
		status=$?
		# the kernel took a fault besides
		grep -q 'faults for [0-9]* pages' "$tmp/err" || break
	done
	ok $status "$prog${*:+ $*} ends with 0"
	is "$(cat "$tmp/err")" "" "$prog${*:+ $*} has no complaint"
}

# same NAME ARGS...: a second run says what the first said, but for its times.
# CPPROF_TEST_FULL=1 looks.
same() {
	[ -n "${CPPROF_TEST_FULL:-}" ] || return 0
	prog=$1
	shift
	is "$("$samples/$prog" --truth "$@" 2>"$tmp/err" |
		grep -v '^truth cpu ')" \
		"$(printf '%s\n' "$out" | grep -v '^truth cpu ')" \
		"$prog${*:+ $*}: the same again"
}

# told: all work has its time, and what has time has work, as far as it is told
told() {
	is "$(printf '%s\n' "$out" | awk '$1 == "truth" && $2 == "cpu" && $4 > 0 {
			print $3 }')" \
		"$(printf '%s\n' "$out" | awk '$2 == "work" { print $3 }')" \
		"$prog: the time of all its work is told"
}

# holds CONDITION WHAT: awk's arithmetic
holds() {
	awk "BEGIN { exit !($1) }"
	ok $? "$2"
}

run_sample forms
same forms
told
total=$(sum work .)
address=$(sum work ';address_information;db_get_property;db_read_record$')
holds "$address > 0.6 * $total && $address < 0.66 * $total" \
	"forms: address_information is two thirds"
holds "$(sum work ';db_read_record$') == $total" \
	"forms: db_read_record is all of it"
for part in invoice receipt purchase_order statement reminder check_index \
	close_books; do
	holds "$(sum work "^main;$part;") < 0.18 * $total" \
		"forms: $part is below 0.18"
done
most=$(printf '%s\n' "$out" | awk '$2 == "work" && $4 > m { m = $4 }
	END { printf "%.0f\n", m }')
holds "$most < 0.13 * $total" "forms: no path to db_read_record is above 0.13"

run_sample fig1
same fig1
told
is "$(sum work '^main;a;')" "$(sum work '^main;b;')" "fig1: a does what b does"
is "$(amount calls 'main;b;c')" "$((10 * $(amount calls 'main;a;c')))" \
	"fig1: b calls c ten times as often"

run_sample pqr
same pqr
told
is "$(sum work ';S$')" "$(sum work .)" "pqr: all work is in S"
is "$(sum work 'R.*Q|Q;R')" 0 "pqr: R never comes before Q, nor right below it"

run_sample queens
same queens
like "$out" '^92 solutions' "queens: the number of solutions"

run_sample process_db
same process_db
plain=$(sum pagefaults '^main;uniquify_db;')
first=$(sum pagefaults '^main;uniquify_db;compare_names;')
holds "$first > 10000" "process_db: the first sort faults"
holds "$first > 0.5 * $(sum pagefaults .)" "process_db: most of all faults"
is "$(sum pagefaults order_by_balance)" 0 "process_db: the second does not"
plain_says=$(printf '%s\n' "$out" | head -n 1)

run_sample process_db --records=32768
holds "$(sum pagefaults '^main;uniquify_db;compare_names;') > 2.5 * $first" \
	"process_db: faults of the first sort grow faster than the records"

run_sample process_db --optimized
same process_db --optimized
is "$(printf '%s\n' "$out" | head -n 1)" "$plain_says" \
	"process_db --optimized: the same result"
holds "10 * $(sum pagefaults '^main;uniquify_db') < $plain" \
	"process_db --optimized: a tenth of the faults at most"
slow=$(cpu_seconds "$samples/process_db")
fast=$(cpu_seconds "$samples/process_db" --optimized)
holds "$slow > 1.5 * $fast" \
	"process_db --optimized: faster by half ($slow s to $fast s)"

run_sample faults --pages=200 --threads=20 --children=5
same faults --pages=200 --threads=20 --children=5
is "$(amount pagefaults 'main;main_part;touch_many')" 600 "faults: main thread"
is "$(sum pagefaults '^thread_part;')" 12000 "faults: threads"
is "$(sum pagefaults '^main;child_part;')" 2000 "faults: children"

run_sample burn --threads=2 --children=1
for part in main main,child_part thread_part; do
	part=$(echo "$part" | tr , ';')
	short=$(amount cpu "$part;left;burn_short")
	long=$(amount cpu "$part;left;burn_long")
	holds "$long > 2 * $short && $long < 4.5 * $short" \
		"burn: $part;left: burn_long three times burn_short"
done

run_sample subset
same subset
told
is "$(sum work '^main;subset;')" "$(sum work '^main;subset_by_call;')" \
	"subset: as much inlined as called"

run_sample deep
same deep
like "$out" '^100000 frames' "deep: all frames"
run_sample deep --main --depth=200000
like "$out" '^200000 frames' "deep --main: all frames"

run_sample jit --clean
same jit --clean

run_sample dl
same dl
like "$out" 'at one address' "dl: both libraries at one address"
is "$(sum work '^main;use_library;burn_in_b')" \
	"$((2 * $(sum work '^main;use_library;burn_in_a')))" \
	"dl: b has twice the work of a"

run_sample coroutine
same coroutine

run_sample handler
is "$(amount work 'main;interrupted_loop;on_signal')" \
	"$(amount work 'main;raising_loop;on_signal')" \
	"handler: as much work in raised signals as in the timer's"

run_sample shortlived --threads=100 --processes=30
is "$(sum bytes-read .)" 13000 "shortlived: bytes of all"
is "$(sum pagefaults .)" 2860 "shortlived: faults of all"
holds "$(amount cpu 'short_thread;short_work') > 3 * 30 * 200" \
	"shortlived: threads work"

run_sample sysmix
for part in user_part system_part; do
	holds "$(amount cpu "main;mixed_part;$part") > 150000" "sysmix: $part"
done

run_sample io
same io
# 20 times sendfile 8000, splice 6000 + 6000, tee 4000, once 2000
is "$(($(sum bytes-read .) + $(sum bytes-written .) - $(sum bytes .)))" 482000 \
	"io: bytes moved between descriptors count twice apart, once together"

run_sample blocker
holds "$(amount blocked 'main;nap') >= 3 * 50000" "blocker: nap"
holds "$(amount blocked 'main;wait_poll') >= 3 * 40000" "blocker: wait_poll"
holds "$(amount real 'main;read_pipe') == $(amount blocked 'main;read_pipe')" \
	"blocker: read_pipe is all blocked"
is "$(amount blocked 'main;compute')" 0 "blocker: compute is not"

run_sample periodic
first=$(amount cpu 'main;first_half')
second=$(amount cpu 'main;second_half')
holds "$first > 0.8 * $second && $second > 0.8 * $first" "periodic: two halves"

"$samples/forms" --nonsense >"$tmp/out" 2>"$tmp/err"
is $? 2 "an unknown option is status 2"
like "$(cat "$tmp/err")" '^usage: ' "... and shows the usage"
"$samples/process_db" --records=12x >"$tmp/out" 2>"$tmp/err"
is $? 2 "a bad number is status 2"

done_testing
