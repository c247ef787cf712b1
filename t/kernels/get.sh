#!/bin/bash
# get.sh FOLDER KERNEL: unpacks a kernel of Debian into FOLDER and installs nothing.
# KERNEL is 5.10, 6.1, 6.12: what linux-image-amd64 of Debian 11, 12, 13 depends on
# today; or newest: that of sid or of the backports to 13, which are ahead at times.
# The packages come from the mirror that this machine's apt uses, and are verified by
# the keys of debian-archive-keyring.
#
# Of FOLDER the others use vmlinuz, and lib/modules, which belongs to it alone.
# A FOLDER that has its kernel already is left as it is.
# 77: it cannot be had here; the last line on standard output says why.
set -eu

cannot() {
	echo "$*"
	exit 77
}

[ $# -eq 2 ] || cannot "usage: get.sh FOLDER 5.10|6.1|6.12|newest"
case $2 in
5.10) suite=bullseye ;;
6.1) suite=bookworm ;;
6.12) suite=trixie ;;
newest) suite="sid trixie-backports" ;;
*) cannot "no kernel '$2': there are 5.10, 6.1, 6.12 and newest" ;;
esac
out=$1
[ ! -e "$out/vmlinuz" ] || exit 0
for tool in apt-get dpkg-deb depmod; do
	PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null ||
		cannot "no $tool here"
done
PATH=$PATH:/usr/sbin:/sbin
[ "$(dpkg --print-architecture)" = amd64 ] || cannot "not an amd64 machine"

mirror=$("${0%/*}/mirror.sh") || cannot "$mirror"
work=$(mktemp -d "${TMPDIR:-/tmp}/cpprof-kernel.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/tree"
: >"$work/status"
for name in $suite; do
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
		"$mirror $name main"
done >"$work/list"
# as sid: the higher number wins
printf 'Package: *\nPin: release a=*-backports\nPin-Priority: 500\n' >"$work/preferences"
# as if no package were installed, so that apt-cache knows only the suite's
options=(-qq -o Dir::Etc::SourceList="$work/list" -o Dir::Etc::SourceParts=-
	-o Dir::State::Lists="$work/lists" -o Dir::State::Status="$work/status"
	-o Dir::Etc::Preferences="$work/preferences"
	-o Dir::Cache="$work" -o APT::Sandbox::User= -o Acquire::Retries=2)
apt-get "${options[@]}" update >"$work/log" 2>&1 && ! grep -q '^[EW]:' "$work/log" ||
	cannot "$suite cannot be had: $(grep '^[EW]:' "$work/log" | head -n 1)"

# parts PACKAGE: it and those of its kind that it depends on.  Since 7.1 the
# image is two packages, linux-binary-N and linux-modules-N.
parts() {
	local next
	echo "$1"
	for next in $(apt-cache "${options[@]}" depends "$1" |
		sed -n 's/^  Depends: \(linux-\(image\|binary\|modules\)-[0-9].*\)/\1/p')
	do
		parts "$next"
	done
}
packages=$(parts linux-image-amd64 | sed 1d | sort -u)
[ -n "$packages" ] || cannot "$suite's linux-image-amd64 names no kernel"
(cd "$work/archives" && apt-get "${options[@]}" download $packages) \
	>"$work/log" 2>&1 || cannot "$suite: $(grep '^E:' "$work/log" | head -n 1)"
for package in "$work"/archives/*.deb; do
	dpkg-deb -x "$package" "$work/tree"
done

# newer packages have all of it below usr/
modules=$(ls -d "$work"/tree/{,usr/}lib/modules/*/kernel 2>/dev/null | head -n 1)
vmlinuz=$(ls "$work"/tree/boot/vmlinuz-* "${modules%/kernel}/vmlinuz" \
	2>/dev/null | head -n 1)
[ -n "$modules" ] && [ -n "$vmlinuz" ] ||
	cannot "$(echo $packages): no kernel with modules in it"
mkdir -p "$out/lib/modules"
mv "${modules%/kernel}" "$out/lib/modules/"
case $vmlinuz in
*/modules/*) vmlinuz=$(echo "$out"/lib/modules/*/vmlinuz) ;;
esac
depmod -b "$out" "$(ls "$out/lib/modules")" 2>"$work/log"
cp "$vmlinuz" "$out/vmlinuz"
