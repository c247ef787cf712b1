#!/bin/bash
# boot.sh [-c CPUS] [-m MB] [-a PARAMETERS] FOLDER SECONDS COMMAND...: runs COMMAND
# under the kernel that get.sh put into FOLDER, with PARAMETERS, in qemu without
# KVM, for at most so many SECONDS.
#
# The guest's root is this machine's, of which it can write nothing: what it writes
# goes to a layer in its memory.  /tmp/guest, where COMMAND starts, /dev/shm and
# /run are memory, too.  The kernel's modules are in /lib/modules of the guest.
#
# Standard output is COMMAND's, as it comes; the status is COMMAND's, 124 if the
# guest did not come to its end (the kernel's last words are on standard error),
# and 77 if nothing can be booted here: then standard output says why.
set -eu

cannot() {
	echo "$*"
	exit 77
}

cpus=2 memory=3072 parameters=
while getopts c:m:a: option; do
	case $option in
	c) cpus=$OPTARG ;;
	m) memory=$OPTARG ;;
	a) parameters=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 3 ] || \
	cannot "usage: boot.sh [-c CPUS] [-m MB] [-a PARAMETERS] FOLDER SECONDS COMMAND..."
kernel=$(cd "$1" && pwd) limit=$2
shift 2
PATH=$PATH:/usr/sbin:/sbin
for tool in qemu-system-x86_64 busybox cpio modprobe; do
	command -v $tool >/dev/null || cannot "no $tool here"
done
! ldd "$(command -v busybox)" >/dev/null 2>&1 || cannot "busybox is not static"
free=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024))
[ "$free" -gt $((memory + 512)) ] ||
	cannot "the guest takes $memory MB of memory, free are $free MB"

work=$(mktemp -d "${TMPDIR:-/tmp}/cpprof-boot.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# unpacked MODULE-FILE: into the first file system, in the order of insmod
unpacked() {
	local name=${1##*/}
	name=${name%.[xg]z}
	name=${name%.zst}
	[ ! -e "$work/first/modules/$name" ] || return 0
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -qdc "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac >"$work/first/modules/$name"
	echo "$name" >>"$work/first/modules/order"
}

version=$(ls "$kernel/lib/modules")
mkdir -p "$work"/first/{bin,proc,sys,dev,root,modules,below,above}
: >"$work/first/modules/order"
cp "$(command -v busybox)" "$work/first/bin/busybox"
for module in virtio_pci 9pnet_virtio 9p overlay; do
	modprobe -d "$kernel" -S "$version" --show-depends "$module" 2>/dev/null |
		sed -n 's/^insmod \([^ ]*\).*/\1/p' >"$work/needed" || :
	while read -r file; do
		unpacked "$file"
	done <"$work/needed"
done

# The words of COMMAND, for a shell
printf '%q ' "$@" >"$work/first/command"
cat >"$work/first/init" <<END
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
while read -r module; do insmod /modules/\$module; done </modules/order
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose root /below
mount -t tmpfs -o size=75% above /above
mkdir /above/upper /above/work
mount -t overlay -o lowerdir=/below,upperdir=/above/upper,workdir=/above/work root /root
cd /root
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tracefs tracefs sys/kernel/tracing
mount -t bpf bpf sys/fs/bpf
mount -t devtmpfs dev dev
mkdir -p dev/pts dev/shm lib/modules/$version
mount -t devpts devpts dev/pts
for folder in dev/shm run; do mount -t tmpfs tmpfs \$folder; done
mkdir -m 1777 tmp/guest
mount -t tmpfs -o mode=1777 tmpfs tmp/guest
mount --bind .$kernel/lib/modules/$version lib/modules/$version
ifconfig lo up
stty -F /dev/ttyS1 -opost
{
	chroot . /bin/sh -c "cd /tmp/guest && \$(cat /command)"
	echo "guest: status \$?"
} </dev/null >/dev/ttyS1 2>&1
poweroff -f
END
chmod +x "$work/first/init"
(cd "$work/first" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initrd"

# One thread for all processors: in threads of their own some run the breakpoint
# that the kernel had while it changed its code, after it is gone ("Oops: int3",
# often in Linux 7.2).
# The first serial line is the console, the second what the guest says.
timeout --foreground --kill-after=5 "$limit" qemu-system-x86_64 -M q35 -cpu max \
	-accel tcg,thread=single -smp "$cpus" -m "$memory" \
	-display none -monitor none -no-reboot \
	-serial "file:$work/console" -serial stdio \
	-kernel "$kernel/vmlinuz" -initrd "$work/initrd" \
	-append "console=ttyS0 quiet panic=-1 oops=panic mitigations=off \
$parameters" \
	-virtfs local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap \
	</dev/null 2>"$work/qemu" |
	sed -u -e "/^guest: status /{s///;w $work/status" -e 'd;}'
status=$(cat "$work/status")
[ -n "$status" ] || {
	echo "boot: the guest did not come to its end in $limit s;" \
		"qemu and its console said:" >&2
	cat "$work/qemu" "$work/console" | tail -n 40 >&2
	status=124
}
exit "$status"
