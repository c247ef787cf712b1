# guest.sh LIST: what cpprof must do on the kernel that runs here; as root.
# try.sh runs it in an emulator.  All bounds follow from the books: an emulator is
# slow, and its host busy.
#
#   short   the manual's table of timers; every resource on three programs that
#           nobody here wrote; allocations, calls in a library, attach, a signal,
#           the exit status, an ordinary user
#   long    these; file systems, a container, a root without /sys; tests of t/live
#   wide    what a machine of many processors costs
#   four    on four processors, of which the fourth is isolated (isolcpus=3):
#           cpusets, and processors that come and go
. "${top_srcdir:?}/t/lib/lib.sh"

release=$(uname -r)
data=$tmp/data
page=$top_srcdir/man/cpprof-resources.1
refuse="$top_builddir/t/lib/refuse EPERM perf_event_open,bpf"
ordinary="setpriv --reuid=65534 --regid=65534 --clear-groups"
limit="timeout -k 5 600"

# The programs, and the word that each prints
awk 'BEGIN { for (i = 0; i < 30000; i++) print i * 7919 % 100003, i }' \
	>"$tmp/numbers"
cat >"$tmp/python3" <<'END'
exec /usr/bin/python3 -c 'print(sum(i * i % 7 for i in range(200000)))'
END
cat >"$tmp/sqlite3" <<'END'
exec sqlite3 :memory: 'with recursive c(x) as (select 1 union all
	select x + 1 from c where x < 50000) select count(*) + sum(x % 7) from c'
END
cat >"$tmp/sort" <<END
sort -n "$tmp/numbers" | gzip | gzip -dc | tail -n 1
END
for name in python3 sqlite3 sort; do
	sh "$tmp/$name" >"$tmp/$name.said"
done

# ran NAME OPTIONS...: one of them under cpprof: its words, its status, and no word
# of a library in what cpprof says; WHAT is $what
ran() {
	name=$1
	shift
	rm -f "$data"
	$as $limit "$cpprof" run -o "$data" "$@" -- sh "$tmp/$name" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	is "$? $(cat "$tmp/out")" "0 $(cat "$tmp/$name.said")" \
		"$what: status and output are the program's"
	unlike "$(cat "$tmp/err")" "libbpf|prog '" "$what: no words of libbpf"
	[ -s "$data" ] || sed 's/^/# /' "$tmp/err"
}

# row RESOURCE: of $data, its gticks, samples, how many are truncated, whether
# they balance
row() {
	"$cpprof" info --format=json "$data" | sed 's/},{/\n/g; s/\[{/\n/g' |
		sed -n "s/^\"resource\":\"$1\".*\"gticks\":\([0-9]*\),\
\"samples\":\([0-9]*\),.*\"truncated\":\([0-9]*\),\"balanced\":\([a-z]*\),.*/\
\1 \2 \3 \4/p"
}

# books RESOURCES: they are consumed and balance; one stack in twenty, or one, is
# cut off at most.  One in five, of those that the kernel itself causes, by per-task
# timers: on Linux 6.1 they do not see that an exit has given its memory back.
books() {
	for resource in $(echo "$1" | tr ',' ' '); do
		row "$resource" | awk -v name="$resource" -v what="$what" '
		{
			most = $2 * 0.05
			if (what ~ /per-task/ &&
			    name ~ /^(system|real|blocked|switches|.*-.*s)$/)
				most = $2 * 0.2
			if ($1 == 0 && name ~ /^(cpu|real|(page|minor)faults|syscalls|bytes)$/)
				said = said ", not consumed"
			if ($4 != "true")
				said = said ", does not balance"
			if ($3 > 1 && $3 > most)
				said = said ", " $3 " of " $2 " truncated"
		}
		END { print name (NR == 1 ? said : ", " NR " in the file") }'
	done >"$tmp/books"
	bad=$tap_bad
	is "$(cat "$tmp/books")" "$(echo "$1" | tr ',' '\n')" \
		"$what: books balance, stacks are whole"
	[ "$tap_bad" -eq "$bad" ] || "$cpprof" info "$data" 2>&1 |
		sed -n '/^resource/,/^processes/s/^/# /p' | head -n 100
}

# promised COLUMN: the resources that have a timer on this kernel, as the manual's
# table says; the columns are 2 per-CPU, 3 per-task, 4 stops
promised() {
	awk -v column="$1" -v release="$release" '
	function number(version, part) {
		split(version, part, ".")
		return part[1] * 1000 + part[2]
	}
	/^\.Bl -column "resource/ { inside = 1 }
	inside && /^\.El/ { exit }
	inside && sub(/^\.It Cm /, "") {
		split($0, cell, / Ta /)
		if (cell[column] == "-" || number(cell[column]) > number(release))
			next
		n = split(cell[1], name, / /)
		for (i = 1; i <= n; i++)
			print name[i] (number(cell[column]) ? "" : "?")
	}' "$page" | grep -vx "$missing" | sort
}
# what the manual says that a processor may lack
missing=
! "$cpprof" resources fpe 2>&1 | grep -q "this processor does not stop" ||
	missing=fpe
for column in 2 3 4; do
	promised $column >"$tmp/promised.$column"
done

# those COLUMN RESOURCES: the ones it has, with commas
those() {
	for resource in $(echo "$2" | tr ',' ' '); do
		! grep -qx -- "$resource" "$tmp/promised.$1" || echo "$resource"
	done | paste -s -d ,
}

# best RESOURCES: those that it has of its best family
best() {
	best=$(those 2 "$1")
	echo "${best:-$(those 3 "$1")}"
}

# The resources whose events an emulator has, in three lots
many=cpu,user,system,real,blocked,pagefaults,minorfaults,majorfaults,syscalls
more=bytes-read,bytes-written,bytes,bytes-mapped,iotime,switches,signals,cpu-migrations
more=$more,cgroup-switches,alignment-faults,emulation-faults
memory=bytes-allocated,allocations

table() {
	column=2 bad=$tap_bad
	for family in per-CPU per-task stop; do
		"$cpprof" resources --timer="$(echo $family | tr CPU cpu)" \
			>"$tmp/resources" 2>&1
		# where the program itself counts, a per-CPU timer is behind it;
		# contexts need none
		is "$(sed -nE "2,/^\$/{ s/^(contexts .*) in-process\$/\1 $family/
			s/ in-process(,|\$)/ per-CPU\1/
			s/per-CPU, stop/stop/
			s/^([^ ]*) .* $family.*/\1/p; }" \
			"$tmp/resources" | sort)" "$(cat "$tmp/promised.$column")" \
			"$family: the timers that cpprof-resources(1) promises"
		[ "$tap_bad" -eq "$bad" ] || sed -n '/^$/,$s/^/# /p' "$tmp/resources"
		column=$((column + 1))
	done
}

every_resource() {
	for name in python3 sqlite3 sort; do
		for lot in $many $more $memory; do
			lot=$(those 2 "$lot")
			[ -n "$lot" ] || continue
			what="$name, per-CPU, ${lot%%,*}..."
			ran $name -r "$lot" --timer=per-cpu && books "$lot"
		done
	done
	lot=$(those 3 $many,$more)
	what="python3, per-task, ${lot%%,*}..."
	ran python3 -r "$lot" --timer=per-task && books "$lot"
	lot=$(those 4 "syscalls,bytes,iotime,signals,$memory")
	what="sqlite3, stops, ${lot%%,*}..."
	ran sqlite3 -r "$lot" --timer=stop && books "$lot"
}

# Two ways to count the same calls
calls() {
	if ! grep -qx calls "$tmp/promised.2"; then
		skip 2 "$release: no calls in libraries"
		return
	fi
	what="calls in a library"
	$limit "$cpprof" run -q -o "$data" --timer=per-cpu \
		-r calls=libc:getpid,syscalls=getpid:1 -- /usr/bin/python3 -c '
import os
for i in range(500): os.getpid()' >"$tmp/err" 2>&1
	is "$(cat "$tmp/err")" "" "$what: nothing to say"
	like "$(row calls=libc:getpid | cut -d ' ' -f 1) $(row syscalls=getpid |
		cut -d ' ' -f 1)" '^(5[0-9]{2}) \1$' "$what: as many as system calls"
}

# More of them than processors: a program in the kernel that loses its processor
# keeps no other from counting.
crowd() {
	what="eight programs at once"
	for _ in 1 2 3 4 5 6 7 8; do
		echo "dd if=/dev/zero of=/dev/null bs=1 count=10000 status=none &"
	done >"$tmp/crowd"
	echo wait >>"$tmp/crowd"
	$limit "$cpprof" run -q -r syscalls=write:1000,bytes-written:1000 \
		-o "$data" -- sh "$tmp/crowd" >"$tmp/err" 2>&1
	is "$(cat "$tmp/err")" "" "$what: nothing to say"
	is "$(row syscalls=write | cut -d ' ' -f 1) $(row bytes-written |
		cut -d ' ' -f 1)" "80000 80000" "$what: each call and each byte counts"
}

# begun: waits until the program says that it has begun; its pid in $pid
begun() {
	tries=600
	until pid=$(cat "$tmp/begun" 2>/dev/null) && [ -n "$pid" ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return
		sleep 0.1
	done
}

attached() {
	what=attach
	rm -f "$tmp/begun"
	${pinned:-} /usr/bin/python3 -c 'import os, sys
with open(sys.argv[1], "w") as f: f.write(str(os.getpid()) + "\n")
while os.path.exists(sys.argv[1]): b"x" * (40 << 20)' "$tmp/begun" &
	target=$!
	begun
	$limit "$cpprof" attach -q --duration=2s -r cpu,pagefaults -o "$data" \
		"$target" 2>"$tmp/err"
	is "$? $(cat "$tmp/err")" "0 " "$what: status"
	books cpu,pagefaults
	kill -0 $target
	ok $? "$what: the program goes on"
	rm "$tmp/begun"
	wait $target
	is $? 0 "$what: and comes to its own end"
}

signalled() {
	what="a signal"
	rm -f "$tmp/begun"
	cat >"$tmp/waits.py" <<'END'
import os, signal, sys
def heed(number, frame):
    print("heeded", number)
    sys.exit(7)
signal.signal(signal.SIGUSR1, heed)
with open(sys.argv[1], "w") as f: f.write(str(os.getpid()) + "\n")
while True: signal.pause()
END
	$limit "$cpprof" run -q -r cpu,signals:1 -o "$data" -- \
		/usr/bin/python3 "$tmp/waits.py" "$tmp/begun" >"$tmp/out" &
	run=$!
	begun && kill -USR1 "$pid"
	wait $run
	is "$? $(cat "$tmp/out")" "7 heeded 10" "$what: the program heeds it"
	like "$(row signals)" '^1 1 0 true' "$what: counted once"
	$limit "$cpprof" run -q -o "$data" -- sh -c 'kill -TERM $$'
	is $? 143 "$what: the status of a program that one ends"
}

# What a newcomer types: as the kernel lets him, and where it lets him more.
ordinary_user() {
	allowed=$(cat /proc/sys/kernel/perf_event_paranoid)
	mkdir -p -m 1777 "$tmp/user"
	data=$tmp/user/data as="$ordinary"
	# From 3 on Debian refuses all to an ordinary user, others what they do at 2.
	for paranoid in 4 3 1; do
		echo $paranoid >/proc/sys/kernel/perf_event_paranoid
		what="an ordinary user, paranoid $paranoid"
		ran python3 && books cpu
		what="$what, stops"
		ran sqlite3 --timer=stop -r syscalls,bytes && books syscalls,bytes
	done
	echo "$allowed" >/proc/sys/kernel/perf_event_paranoid
	data=$tmp/data as=
}

short() {
	table
	every_resource
	calls
	crowd
	attached
	signalled
	ordinary_user
}

# small_root FOLDER: sqlite3, sh and cpprof there, with what they need
small_root() {
	mkdir -p "$1/bin" "$1/proc" "$1/dev" "$1/etc" "$1/lib64"
	mkdir -p -m 1777 "$1/tmp"
	cp "$cpprof" "$top_builddir/t/lib/refuse" "$(command -v sqlite3)" \
		/bin/sh "$1/bin/"
	cp "$tmp/sqlite3" "$1/sqlite3"
	for file in "$1"/bin/*; do
		ldd "$file" | sed -n 's/.* \(\/[^ ]*\) (.*/\1/p'
	done | sort -u | while read -r file; do
		mkdir -p "$1/$(dirname "$file")"
		cp -L "$file" "$1/$file"
	done
	cp -L /lib64/ld-linux-x86-64.so.2 "$1/lib64/"
}

# in_root FOLDER WHAT RESOURCES CHROOT...: sqlite3 under cpprof, by a command that
# enters FOLDER
in_root() {
	data=$1/tmp/data what=$2 lot=$3
	shift 3
	rm -f "$data"
	$limit "$@" /bin/cpprof run -r "$lot" -o /tmp/data -- \
		/bin/sh /sqlite3 >"$tmp/out" 2>"$tmp/err" </dev/null
	is "$? $(cat "$tmp/out")" "0 $(cat "$tmp/sqlite3.said")" \
		"$what: status and output are the program's"
	[ -s "$data" ] || sed 's/^/# /' "$tmp/err"
	books "$lot"
	data=$tmp/data
}

# What a container's root may, of all that root may
container=-all
for may in chown dac_override fowner fsetid kill setgid setuid setpcap \
	net_bind_service net_raw sys_chroot mknod audit_write setfcap; do
	container=$container,+$may
done

# tried_in FOLDER WHAT: as root, as in a container, as an ordinary user
tried_in() {
	small_root "$1"
	mount -t proc proc "$1/proc"
	mount -t devtmpfs dev "$1/dev"
	in_root "$1" "$2, root" "$(best cpu,pagefaults,syscalls)" chroot "$1"
	in_root "$1" "$2, stops" cpu,syscalls chroot "$1" \
		/bin/refuse EPERM perf_event_open,bpf
	in_root "$1" "$2, a container's root" cpu,syscalls \
		setpriv --bounding-set $container --inh-caps=-all chroot "$1" \
		/bin/refuse EPERM perf_event_open,bpf
	in_root "$1" "$2, an ordinary user" cpu,syscalls \
		chroot --userspec=65534:65534 --groups=65534 "$1"
	umount "$1/dev" "$1/proc"
}

file_systems() {
	mkdir -p "$tmp/below" "$tmp/layers" "$tmp/root" "$tmp/btrfs"
	tried_in "$tmp/below" "tmpfs"
	# The layers are of memory: overlays stand on two others at most.
	mount -t tmpfs tmpfs "$tmp/layers"
	mkdir "$tmp/layers/upper" "$tmp/layers/work"
	if mount -t overlay -o "lowerdir=$tmp/below,upperdir=$tmp/layers/upper,\
workdir=$tmp/layers/work" overlay "$tmp/root"; then
		tried_in "$tmp/root" "overlay"
		umount "$tmp/root"
	else
		skip 8 "no overlay can be mounted"
	fi
	umount "$tmp/layers"
	if modprobe btrfs 2>/dev/null && modprobe loop 2>/dev/null &&
		truncate -s 256M "$tmp/image" &&
		mkfs.btrfs -q "$tmp/image" 2>/dev/null &&
		mount -o loop "$tmp/image" "$tmp/btrfs"; then
		tried_in "$tmp/btrfs" "btrfs"
		umount "$tmp/btrfs"
	else
		skip 8 "no btrfs can be made: mkfs.btrfs is of btrfs-progs"
	fi
}

# Of many runs none counts nothing.
without_sys() {
	mkdir -p "$tmp/below/proc"
	mount -t proc proc "$tmp/below/proc"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		rm -f "$tmp/below/tmp/data"
		$limit chroot --userspec=65534:65534 --groups=65534 "$tmp/below" \
			/bin/cpprof run -q -r cpu -o /tmp/data -- /bin/sh /sqlite3 \
			>"$tmp/out" 2>"$tmp/err"
		data=$tmp/below/tmp/data
		row cpu
	done >"$tmp/rows"
	data=$tmp/data
	is "$(awk '$1 > 0 && $4 == "true"' "$tmp/rows" | wc -l)" 10 \
		"without /sys: each of 10 runs counts"
	umount "$tmp/below/proc"
}

# Tests that a slow machine can run in some seconds each
tests="probe/in_process probe/arcs timer/truth timer/objects run/status harm/signals probe/allocated
	percpu/percpu_sideband harm/privileges run/usage run/users"
others() {
	for test in $tests; do
		timeout -k 5 1200 sh "$top_srcdir/t/live/$test.t" >"$tmp/said" 2>&1
		status=$?
		if grep -q '^1\.\.0 # SKIP' "$tmp/said"; then
			skip 1 "t/live/$test.t: $(sed 's/.*# SKIP //' "$tmp/said")"
			continue
		fi
		ok $status "t/live/$test.t: $(grep -c '^ok' "$tmp/said") passed, status $status"
		grep -A 8 '^not ok' "$tmp/said" | sed 's/^/# /'
	done
}

# 64 MB of rings are enough for any machine, where no more are asked for; what a
# ring is: a shared mapping of an event.
wide() {
	strace -f -o "$tmp/calls" -e trace=perf_event_open,mmap \
		"$cpprof" run -q -o "$data" -- sh "$tmp/python3" >"$tmp/out" 2>&1
	is "$? $(cat "$tmp/out")" "0 $(cat "$tmp/python3.said")" \
		"$(nproc) processors: status and output are the program's"
	mapped=$(awk '/perf_event_open\(/ { event[$NF] = 1 }
		/mmap\(.*MAP_SHARED/ {
			split($0, word, /, /)
			if (word[5] in event)
				sum += word[2]
		}
		END { printf "%d", sum / 1048576 }' "$tmp/calls")
	within "$mapped" 1 66 "$(nproc) processors: MB of rings"
	echo "# $(grep -c perf_event_open "$tmp/calls") calls of perf_event_open"
	what="$(nproc) processors"
	books cpu
}

# spent: a program that uses 2 s of processors; the second, if it is told so, on
# another processor and not before it may.
cat >"$tmp/spent.py" <<'END'
import os, sys, time
def spend(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: sum(range(10000))
spend(1)
if len(sys.argv) > 1:
    with open(sys.argv[1], "w") as f: f.write(str(os.getpid()) + "\n")
    while os.path.exists(sys.argv[1]): time.sleep(0.05)
    os.sched_setaffinity(0, {int(sys.argv[2])})
spend(1)
END
spent="/usr/bin/python3 $tmp/spent.py"

online() {
	echo "$2" >"/sys/devices/system/cpu/cpu$1/online"
}

# complete COMMAND...: COMMAND starts it under cpprof: all of it is counted
complete() {
	$limit "$@" "$cpprof" run -r cpu --timer="$family" -o "$data" -- $spent \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	is "$? $(grep wait4 "$tmp/err")" "0 " "$what, $family: all is counted"
	books cpu
}

# changed CPU ONLINE FROM TO: that happens to CPU while the program is under
# cpprof, and goes from one processor to another
changed() {
	rm -f "$tmp/begun"
	$limit "$cpprof" run -r cpu --timer="$family" -o "$data" -- \
		taskset -c "$3" $spent "$tmp/begun" "$4" \
		>"$tmp/out" 2>"$tmp/err" </dev/null &
	run=$!
	begun
	online "$1" "$2"
	rm "$tmp/begun"
	wait $run
	is $? 0 "$what, $family: status"
}

processors() {
	mkdir "$tmp/cgroup"
	mount -t cgroup2 cgroup "$tmp/cgroup" &&
		echo +cpuset >"$tmp/cgroup/cgroup.subtree_control" &&
		mkdir "$tmp/cgroup/set" &&
		echo 1 >"$tmp/cgroup/set/cpuset.cpus"
	ok $? "a set of processors"
	echo "echo \$\$ >$tmp/cgroup/set/cgroup.procs"' && exec "$@"' >"$tmp/in_set"
	families="per-cpu per-task"
	grep -qx cpu "$tmp/promised.2" || families=per-task
	is "$(cat /sys/devices/system/cpu/isolated)" 3 "the fourth is isolated"
	for family in $families; do
		what="one allowed processor"
		complete taskset -c 2
		what="an isolated one"
		complete taskset -c 3
		what="a cpuset"
		complete sh "$tmp/in_set"
		online 2 0
		what="one is off line"
		complete env
		what="... and comes"
		changed 2 1 0 2
		like "$(cat "$tmp/err")" "wait4|is in no sample" "$what, $family: run says it"
		like "$("$cpprof" report "$data")" "timers missed|\[unsampled\]" "... report"
		like "$("$cpprof" info "$data")" "processors on line" "... info"
		what="... and goes"
		changed 2 0 2 1
		is "$(grep wait4 "$tmp/err")" "" "$what, $family: all is counted"
		books cpu
		online 2 1
		complete taskset -c 2
	done
	pinned="taskset -c 2"
	attached
	umount "$tmp/cgroup"
}

before=$(dmesg | wc -l)
case ${1:-short} in
short) short ;;
long)
	short
	file_systems
	without_sys
	others
	;;
wide) wide ;;
four) processors ;;
*)
	echo "guest.sh: there is no list '$1'" >&2
	exit 2
	;;
esac
# what a program of ours may have caused
dmesg | tail -n "+$((before + 1))" | grep -E 'BUG: |WARNING: |Oops|general protection' |
	grep -v 'soft lockup' >"$tmp/bad"
is "$(cat "$tmp/bad")" "" "the kernel complains of nothing"
done_testing
