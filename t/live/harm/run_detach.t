#!/bin/sh
# run --detach: the program is where cpprof was, and the monitor is no relation.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "$why"
target=$top_builddir/t/live/target/monitor_target
data=$tmp/data

# detached ARGS...
detached() {
	timeout -k 1 60 "$cpprof" run --detach -q -o "$data" "$@"
}

# complete: until the monitor has written all of the file
complete() {
	i=0
	until "$cpprof" info "$data" 2>"$tmp/err" | grep -q '^exit status: [0-9]'; do
		i=$((i + 1))
		[ $i -lt 1200 ] || return 1
		sleep 0.05
	done
}

for how in kernel:cpu stop:syscalls:1; do
	timer=${how%%:*} spec=${how#*:}
	rm -f "$data"
	if ! "$cpprof" run -q --timer="$timer" -r "$spec" -o "$data" -- \
		"$samples/burn" >"$tmp/out" 2>"$tmp/err"; then
		skip 6 "no $timer timers here: $(head -n 1 "$tmp/err")"
		continue
	fi
	rm -f "$data"
	# the shell's own child, by number, parent, group and session
	sh -c 'echo $$; exec "$@"' - "$cpprof" run --detach -q -o "$data" \
		--timer="$timer" -r "$spec" -- \
		sh -c 'echo $$; echo $PPID; exec "$1" exit 42' - "$target" \
		>"$tmp/out" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" 42: "$how: its exit status"
	is "$(sed -n 1p "$tmp/out")" "$(sed -n 2p "$tmp/out")" \
		"$how: the program is the process that was started"
	is "$(sed -n 3p "$tmp/out")" $$ "$how: the child of its parent"
	complete
	ok $? "$how: the file is completed"
	like "$("$cpprof" info "$data")" '^exit status: 42' \
		"$how: and has the status"
	rm -f "$data"
	detached --timer="$timer" -r "$spec" -- "$target" spawns 3 >"$tmp/out"
	is "$?" "$("$target" spawns 3 >/dev/null; echo $?)" \
		"$how: it has no child that it did not make"
	complete
done

detached -- "$target" signal 15
is $? 143 "ended by a signal"

# The monitor is killed: the program runs on.
rm -f "$data" "$tmp/said"
detached -r cpu -- "$target" count 100 >"$tmp/said" 2>"$tmp/err" &
job=$!
until grep -qs counting "$tmp/said"; do sleep 0.05; done
for dir in /proc/[0-9]*; do
	[ "$(readlink "$dir/exe" 2>/dev/null)" = "$(readlink -f "$cpprof")" ] &&
		tr '\0' '\n' <"$dir/cmdline" 2>/dev/null |
		grep -qxF "$data" && kill -KILL "${dir#/proc/}"
done
wait $job
is "$?:$(tail -n 1 "$tmp/said")" 8:counted \
	"a killed monitor takes nothing with it"

# Errors: said before the exit, with the status that cpprof run has.
detached -- "$tmp/none" 2>"$tmp/err"
is "$?:$(sed -n 1p "$tmp/err")" \
	"127:cpprof: $tmp/none: exec: No such file or directory" "not found"
detached -- "$tmp" 2>"$tmp/err"
is "$?:$(sed -n 1p "$tmp/err")" "126:cpprof: $tmp: exec: Permission denied" \
	"not executable"
"$top_builddir/t/lib/refuse" EPERM perf_event_open \
	"$cpprof" run --detach --timer=kernel -o "$data" -- true 2>"$tmp/err"
is "$?:$(grep -c '^cpprof: .*perf_event_open' "$tmp/err")" 125:1 \
	"no timers: nothing is run"
detached -i -- true 2>"$tmp/err"
is $? 125 "not with --interactive"
done_testing
