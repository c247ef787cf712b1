#!/bin/bash
# try.sh KERNEL [LIST...]: boots a kernel (5.10, 6.1, 6.12 or newest) in an emulator
# for each LIST of guest.sh: short (the default), long, wide, four; prints TAP.  Where
# CPPROF_KERNELS names a folder, the kernels stay there for the next time.
#
# The build under test is the one in top_builddir, or where the sources are.
# What cannot be had here, a network for instance, is a skip with its reason.
set -u
here=$(cd "$(dirname "$0")" && pwd)
export top_srcdir=${top_srcdir:-${here%/t/kernels}}
export top_builddir=${top_builddir:-$top_srcdir}
kernel=${1:?KERNEL: 5.10, 6.1, 6.12 or newest}
shift
[ $# -gt 0 ] || set -- short
case " $* " in
*" long "*)
	[ -x "$top_builddir/t/lib/refuse" ] || {
		echo "try.sh: long runs tests: make test-programs" >&2
		exit 1
	}
	;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/cpprof-try.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

skipped() {
	echo "1..0 # SKIP $kernel: $(tail -n 1)"
	exit 0
}

folder=${CPPROF_KERNELS:-$work}/$kernel
"$here/get.sh" "$folder" "$kernel" >"$work/said"
case $? in
0) ;;
77) skipped <"$work/said" ;;
*) exit 1 ;;
esac
echo "# $kernel is $(ls "$folder/lib/modules")"

# How long a list may take: ten times what it does on a quiet machine
status=0 n=0
for list; do
	cpus=2 seconds=1200 append=
	case $list in
	long) seconds=5400 ;;
	wide) cpus=32 ;;
	four) cpus=4 append=isolcpus=3 ;;
	esac
	"$here/boot.sh" -c $cpus -a "$append" "$folder" $seconds \
		env LC_ALL=C HOME=/root \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		TMPDIR=/tmp/guest top_srcdir="$top_srcdir" \
		top_builddir="$top_builddir" sh "$here/guest.sh" "$list" >"$work/tap"
	rc=$?
	[ $rc -ne 77 ] || skipped <"$work/tap"
	# one plan for all lists
	n=$((n + $(grep -c '^\(not \)\?ok ' "$work/tap")))
	grep -v '^1\.\.' "$work/tap" | sed 's/^\(\(not \)\?ok\) [0-9]*/\1/'
	[ $rc -le 1 ] || {
		n=$((n + 1)) status=1
		echo "not ok - $list: the guest ended with status $rc"
	}
	[ $rc -eq 0 ] || status=1
done
echo "1..$n"
exit $status
