#!/bin/sh
# In a plain chroot: without /sys each processor has its events all the same, also
# when the machine has just booted; without /proc nothing is started, and that is
# said; nothing but the folder of the file need be writable.
. "$(dirname "$0")/../../lib/lib.sh"
plain_build

[ "$(id -u)" -eq 0 ] || skip_all "only root changes its root"
unshare -m true 2>/dev/null || skip_all "no mount namespace of one's own"
mkdir "$tmp/root" "$tmp/out"
chmod 777 "$tmp/out"

# of the first seconds: the line of all processors could be one of processor 5
sed '1s/.*/cpu  5 0 7 900 0 0 0 0 0 0/' /proc/stat >"$tmp/stat"

# inside FOLDERS COMMAND...: in a root that has only these mounted
inside() {
	unshare -m sh -c 'root=$0/root
		mount --bind / "$root" || exit 77
		[ -z "${sealed:-}" ] || mount -o remount,bind,ro "$root" || exit 77
		for d in $1 "$0/out"; do
			mount --rbind "$d" "$root$d" || exit 77
		done
		[ ! -e "$root/proc/stat" ] ||
			mount --bind "$0/stat" "$root/proc/stat" || exit 77
		shift
		cd "$root$0/out" && exec chroot "$root" "$@"' "$tmp" "$@"
}
inside "/proc /dev" true 2>/dev/null || skip_all "no root of one's own"

# The defect was that events were only where a run did not happen to be.
user="setpriv --reuid=65534 --regid=65534 --clear-groups"
processors=$(sed -n 's/^cpu\([0-9][0-9]*\) .*/\1/p' /proc/stat)
for who in "" "$user"; do
	for cpu in $processors; do
		data=$tmp/out/data.$cpu
		if ! why=$($who "$cpprof" run -q -r cpu -o "$data" -- true 2>&1); then
			skip 1 "$(echo "$why" | head -n 1)"
			continue
		fi
		inside "/proc /dev" $who "$cpprof" run -q -r cpu -o "$data" \
			-- taskset -c "$cpu" "$samples/queens" >/dev/null
		# a whole run's CPU time is at least that of its samples' whole time
		[ "$(of cpu total)" -gt 10000 ] && [ "$(of cpu samples)" -gt 0 ]
		ok $? "on processor $cpu${who:+, an ordinary user}: $(of cpu samples) samples, $(of cpu total) us"
		rm -f "$data"
	done
done

if "$cpprof" run -q --timer=per-cpu -o "$tmp/out/none" -- true 2>/dev/null; then
	err=$(inside "/proc /dev" "$cpprof" run --timer=per-cpu \
		-o "$tmp/out/none" -- true 2>&1)
	is "$(echo "$err" | sed 's/ as root.*//')" "cpprof: cpu: bpf: /sys is not mounted
hint: 'mount -t sysfs sysfs /sys'" "without /sys no per-CPU timers: why, and the way out"
else
	skip 1 "no per-CPU timers here"
fi
err=$(inside "/dev" "$cpprof" run -o "$tmp/out/none" -- sh -c 'echo ran' 2>&1)
is $? 125 "without /proc nothing is run"
like "$err" "^cpprof: /proc.*: open: No such file" "... the error says so"
like "$err" "^hint: .*mount -t proc" "... and the way out"
unlike "$err" "^ran" "... before the program starts"

# Folders that this user cannot write.
unwritable() { # WHAT COMMAND...
	what=$1
	shift
	err=$("$@" sh -c 'cd "$1" && "$0" run -- sh -c "echo ran"' "$cpprof" "$tmp" 2>&1)
	is $? 125 "$what: nothing is run"
	like "$err" "^cpprof: cpprofdata: create: (Permission|Read-only)" \
		"... the error names file and reason"
	like "$err" "^hint: .* -o" "... and the way out"
	unlike "$err" "^ran" "... before the program starts"
}
if $user test -x "$cpprof" 2>/dev/null; then
	unwritable "another user's folder" $user
else
	skip 4 "no way to be an ordinary user here"
fi
export sealed=y
if inside "/proc /dev" true 2>/dev/null; then
	unwritable "a root that is read-only" inside "/proc /dev"
else
	skip 4 "no root that is read-only here"
fi

# ... and all the rest of cpprof, in the one folder that can be written.
"$cpprof" run -q -o "$tmp/out/others" -- "$samples/queens" >/dev/null 2>&1
everything='unset HOME TMPDIR
	cd "$2" || exit
	"$0" run -q -o data -- "$1" >/dev/null || exit
	"$0" export --format=pprof -o data.pb.gz data &&
	"$0" export --format=html -o page data && [ -s page ] &&
	"$0" import -q -o again - <data.pb.gz && "$0" merge -q -o both data again &&
	"$0" report both >report && grep -q "evlist" report &&
	echo function | "$0" data >function && grep -q "evlist" function'
for who in "" "$user"; do
	rm -f "$tmp/out"/[!o]*
	err=$(inside "/proc /dev" $who sh -c "$everything" "$cpprof" \
		"$samples/queens" "$tmp/out" 2>&1)
	status=$?
	[ $status -ne 77 ] && [ $status -ne 125 ] || {
		skip 1 "$(echo "$err" | head -n 1)"
		continue
	}
	is "$status:$err" 0: \
		"no HOME, /tmp read-only${who:+, an ordinary user}: all of cpprof works"
done
if [ -s "$tmp/out/others" ] && inside "/proc /dev" $user true 2>/dev/null; then
	err=$(inside "/proc /dev" $user "$cpprof" report "$tmp/out/others" 2>&1)
	is "$?:$err" "1:cpprof: $tmp/out/others: open: Permission denied
hint: its owner may read it; another user where the owner allows that with chmod" \
		"a file that this user may not read, as root on a squashing server"
else
	skip 1 "no profile of another user here"
fi
done_testing
