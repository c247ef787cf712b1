#!/bin/sh
# On file systems where the device of a mapping is not the one of stat(), as in
# every container: a program's own file is known by what is mapped, under all
# timers, with and without a build id.
. "$(dirname "$0")/../../lib/lib.sh"

[ "$(id -u)" -eq 0 ] || skip_all "only root mounts file systems"
unshare -m true 2>/dev/null || skip_all "no mount namespace of one's own"
can_profile || skip_all "no sampling here: $why"
user="setpriv --reuid=65534 --regid=65534 --clear-groups"
# in a container: what is left of root's capabilities, its own numbers of processes
caps=-all
for cap in chown dac_override fowner fsetid kill setgid setuid setpcap \
	net_bind_service net_raw sys_chroot mknod audit_write setfcap; do
	caps=$caps,+$cap
done
contained="unshare -pf --mount-proc setpriv --bounding-set=$caps --inh-caps=$caps"
refuse=$top_builddir/t/lib/refuse
# PROCMAP_QUERY, which tells build ids from Linux 6.11 on
query='ioctl@3228067345'

mkdir "$tmp/fs" "$tmp/progs" "$tmp/out" "$tmp/up"
chmod 777 "$tmp/out"
cp "$samples/queens" "$tmp/progs"
cat >"$tmp/bare.c" <<'E2'
static volatile unsigned long sink;
__attribute__((noinline)) void work_inner(void)
{
	for (unsigned long n = 0; n < 1000000ul; n++)
		sink += n;
	sink++;
}
__attribute__((noinline)) void work_outer(void)
{
	for (unsigned n = 0; n < 300; n++)
		work_inner();
	sink++;
}
int main(void)
{
	work_outer();
	return 0;
}
E2
cc -O1 -Wl,--build-id=none -o "$tmp/progs/bare" "$tmp/bare.c" 2>/dev/null ||
	rm -f "$tmp/progs/bare"

# on_overlay COMMAND...: the whole root is one; on_btrfs: $progs is there
on_overlay() {
	unshare -m sh -c '
		mount -t tmpfs none "$0/up" && mkdir "$0/up/u" "$0/up/w" &&
		mount -t overlay -o "lowerdir=/,upperdir=$0/up/u,workdir=$0/up/w" \
			none "$0/fs" || exit 77
		for d in /proc /dev /sys "$0/out"; do
			mount --rbind "$d" "$0/fs$d" || exit 77
		done
		cd "$0/fs$0/out" && exec chroot "$0/fs" "$@"' "$tmp" "$@"
}
on_btrfs() {
	unshare -m sh -c 'mount -o loop "$0/image" "$0/fs" && shift || exit 77
		exec "$@"' "$tmp" btrfs "$@"
}

# whole FILE: the share of stacks that are whole, per mille
whole() {
	"$cpprof" info "$1" | awk '$1 == "stacks:" {
		print int($2 * 1000 / ($2 + $4 + !($2 + $4))); exit }'
}

# profiled WHERE WHAT PREFIX...: both programs there
profiled() {
	where=$1 what="$1, $2"
	shift 2
	for prog in queens bare; do
		[ -x "$tmp/progs/$prog" ] || {
			skip 2 "no cc, or it makes no program without build id"
			continue
		}
		data=$tmp/out/data
		rm -f "$data"
		"on_$where" "$@" "$cpprof" run -q -r cpu:1ms -o "$data" -- \
			"$progs/$prog" >/dev/null 2>"$tmp/err"
		if [ $? -eq 125 ]; then
			skip 2 "$what: $(head -n 1 "$tmp/err")"
			continue
		fi
		[ "$(whole "$data")" -ge 980 ]
		ok $? "$what, $prog: $(whole "$data") of 1000 stacks are whole"
		like "$("$cpprof" export --format=folded "$data")" \
			';main;.*(eval|work_outer;work_inner)' "... with names"
		[ $prog = bare ] && continue
		is "$("$cpprof" info "$data" | grep -c "/queens $build_id")" 1 \
			"... and the build id is told"
	done
}
build_id=$(readelf -n "$tmp/progs/queens" | sed -n 's/.*Build ID: *//p')

# all WHERE
all() {
	profiled "$1" "root"
	profiled "$1" "an ordinary user" $user
	profiled "$1" "root of a container" $contained \
		"$refuse" EPERM perf_event_open,bpf
	profiled "$1" "a user whose programs cannot be read, or have ended" \
		$user "$refuse" EPERM process_vm_readv
	profiled "$1" "stop timers of a user" \
		$user "$refuse" EPERM perf_event_open,bpf
	profiled "$1" "the same where the kernel tells no build id" \
		$user "$refuse" EPERM "perf_event_open,bpf,$query"
}

if on_overlay true 2>"$tmp/err"; then
	progs=$tmp/progs
	all overlay
	data=$tmp/out/calls
	if [ -x "$progs/bare" ] &&
		on_overlay "$cpprof" run -q -r calls=work_inner -o "$data" -- \
			"$progs/bare" 2>/dev/null; then
		is "$(of calls=work_inner total)" 300 "overlay: calls are counted"
	else
		skip 1 "no calls of functions here"
	fi
else
	skip 1 "no overlayfs: $(head -n 1 "$tmp/err")"
fi

if truncate -s 128M "$tmp/image" &&
	mkfs.btrfs -q --rootdir "$tmp/progs" "$tmp/image" >"$tmp/err" 2>&1 &&
	on_btrfs true 2>"$tmp/err"; then
	progs=$tmp/fs
	all btrfs
else
	skip 1 "no btrfs: $(head -n 1 "$tmp/err")"
fi
done_testing
