#!/bin/sh
# The side records of the whole machine: of processes, programs and mappings the file
# has the target's, all of them, and nothing of the others'.
. "$(dirname "$0")/../../lib/lib.sh"

why=$("$cpprof" run -q -o "$tmp/can" --timer=per-cpu -r cpu -- true 2>&1) ||
	skip_all "no BPF programs here: $why"
dump=$top_builddir/t/lib/monitor_dump
target=$top_builddir/t/live/target/monitor_target
data=$tmp/data

# run RESOURCE COMMAND...: into $data
run() {
	resource=$1
	shift
	"$cpprof" run -q --timer=per-cpu -r "$resource" -o "$data" -- "$@" \
		>"$tmp/out" 2>"$tmp/err"
	is "$?:$(cat "$tmp/err")" "0:" "$(basename "$1") $(basename -- "${2-}") runs"
	"$dump" "$data" >"$tmp/dump"
}

# numbers RECORD COLUMN: those of the file, each once, in comm's order
numbers() {
	awk -v r="$1" -v c="$2" '$1 == r { print $c }' "$tmp/dump" | sort -u
}

# told: whether the rings had room for all side records
told() {
	! grep -q '^note warning .* records of new mappings' "$tmp/dump"
}

# Strangers that fork, execute and map all the time.
cp "$(command -v sleep)" "$tmp/stranger-prog"
cat >"$tmp/stranger-loop" <<END
#!/bin/sh
while [ ! -e "$tmp/enough" ]; do
	"$tmp/stranger-prog" 0
	"$tmp/stranger-prog" 0 | "$tmp/stranger-prog" 0
done
END
chmod +x "$tmp/stranger-loop"
"$tmp/stranger-loop" &
strangers=$!

# Processes that tell their numbers, each the program of a different name.
for i in 1 2 3 4 5 6 7 8; do
	cp "$(command -v sleep)" "$tmp/own-$i"
done
cat >"$tmp/tree" <<END
echo \$\$
for round in 1 2 3 4 5; do
	for i in 1 2 3 4 5 6 7 8; do
		(sh -c 'echo \$\$; exec "\$0" 0' "$tmp/own-\$i") &
		sh -c 'echo \$\$; "\$0" 0; exec "\$0" 0' "$tmp/own-\$i"
	done
	wait
done
END
run pagefaults:10 sh "$tmp/tree"
if told; then
	sort -u "$tmp/out" >"$tmp/said"
	is "$(numbers process 4 | comm -13 - "$tmp/said")" "" \
		"every process that told of itself is known"
	is "$(awk '$1 == "process" && $3 == 0' "$tmp/dump" | wc -l)" 1 \
		"all descend from the first"
	is "$(grep -c '^process .* exec own-' "$tmp/dump")" 120 \
		"every exec of theirs"
	is "$(awk '$1 == "process" && $6 ~ /^own-/ &&
			$7 !~ "/" $6 "$" { print $6, $7 }' "$tmp/dump")" "" \
		"... with its program"
else
	skip 4 "the rings were too small for so many strangers"
fi
is "$(grep -ac own-8 "$data" | sed 's/^[1-9].*/some/'):$(grep -ac stranger \
	"$data")" "some:0" "nothing of the strangers is in the file"

# Two libraries at one address, the strangers beside it.
run cpu:1ms "$samples/dl"
"$cpprof" export --format=folded --resource=cpu "$data" >"$tmp/folded"
is "$(awk '/burn_in_a/ && /work_in_b/ || /burn_in_b/ && /work_in_a/' \
	"$tmp/folded")" "" "dl: no stack has functions of both"
is "$(awk '/burn_in_a;work_in_a/ { a = 1 } /burn_in_b;work_in_b/ { b = 1 }
	END { print a + b }' "$tmp/folded")" 2 "dl: there are stacks of each"
is "$(grep -ac stranger "$data")" 0 "dl: nothing of the strangers"
touch "$tmp/enough"
wait $strangers

# An executable stack is mapped before the program.
echo 'int main(void) { return 0; }' >"$tmp/stack.c"
if ${CC:-cc} -z execstack -o "$tmp/stack" "$tmp/stack.c" 2>"$tmp/log"; then
	run pagefaults "$tmp/stack"
	like "$(cat "$tmp/dump")" '^process .* exec stack .*/stack$' \
		"executable stack: the program is known by its file"
else
	skip 2 "no program with an executable stack here: $(head -n 1 "$tmp/log")"
fi

# The same processes and threads, by per-CPU and per-task timers.
for what in 'processes 300 100' 'mayflies 300 100' 'exec-chain 50'; do
	for timer in per-cpu per-task; do
		"$cpprof" run -q --timer=$timer -r pagefaults:10 -o "$data" -- \
			"$target" $what >/dev/null 2>&1
		"$dump" "$data" | awk '
			$1 == "process" { n[$1 " " $5 " " $6]++ }
			$1 == "thread" { n[$1 " " $5]++ }
			END { for (i in n) print n[i], i }' | sort >"$tmp/$timer"
	done
	is "$(cat "$tmp/per-cpu")" "$(cat "$tmp/per-task")" \
		"$what: per-cpu knows whom per-task knows"
done

# A stranger that is given the number of a process of the target's that ended.
cat >"$tmp/once" <<END
sh -c 'echo \$\$' >"$tmp/number.new"
mv "$tmp/number.new" "$tmp/number"
while [ ! -e "$tmp/over" ]; do sleep 0.02; done
END
(
	while [ ! -e "$tmp/number" ]; do sleep 0.02; done
	"$top_builddir/t/lib/with_pid" "$(cat "$tmp/number")" \
		"$tmp/stranger-prog" 0
	echo $? >"$tmp/status"
	touch "$tmp/over"
) &
run pagefaults:10 sh "$tmp/once"
wait
if [ "$(cat "$tmp/status")" = 77 ]; then
	skip 2 "numbers cannot be given out here"
else
	is "$(cat "$tmp/status"):$(grep -ac stranger "$data")" 0:0 \
		"nothing of a stranger with a number of the target's"
	is "$(awk -v n="$(cat "$tmp/number")" '$1 == "process" && $4 == n' \
		"$tmp/dump" | wc -l)" 2 "... whose own fork and exec are there"
fi

# At a set-uid exec the kernel removes inherited events, but not those of a
# processor.
suid=
for prog in /usr/bin/su /bin/su /usr/bin/chsh /usr/bin/passwd; do
	[ -u "$prog" ] && suid=$prog
done
if [ "$(id -u)" -ne 0 ] || [ -z "$suid" ] || ! command -v setpriv >/dev/null
then
	skip 4 "not root, no setpriv, or no set-uid program here"
else
	run pagefaults:10 setpriv --reuid=65534 --regid=65534 --clear-groups "$suid" --help
	like "$(cat "$tmp/dump")" \
		"^process .* exec $(basename "$suid") .*/$(basename "$suid")\$" \
		"set-uid: the program is known by its file"
	is "$(awk '$1 == "resource" { n += $12 } END { print n + 0 }' \
		"$tmp/dump")" 0 "set-uid: nothing is uncounted"
	"$cpprof" export --format=folded --resource=pagefaults "$data" |
		awk '{ n += $NF } /^\[no user stack\]/ { lost += $NF }
			END { print (n > 0 && lost * 2 < n) }' >"$tmp/known"
	is "$(cat "$tmp/known")" 1 "set-uid: its stacks are read"
fi

done_testing
