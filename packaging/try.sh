#!/bin/bash
# try.sh [SUITE...]: makes the source distribution, builds Debian's package of it in
# a fresh Debian of each SUITE (bookworm and trixie), twice and without network, and
# installs it in another one, where packaging/trial.sh uses it as a stranger would.
#
# Needs root and what .ci/in-debian needs.  Prints a line for each step; ends with 0
# if all did what they should, 77 if no Debian could be had.
set -u
cd "$(dirname "$0")/.." || exit 1
exec </dev/null
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
work=$(mktemp -d "${TMPDIR:-/tmp}/cpprof-package.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
bad=0

# step NAME COMMAND...: its output is shown if it fails
step() {
	local name=$1 start=$SECONDS
	shift
	if "$@" >"$work/log" 2>&1; then
		echo "ok $name ($((SECONDS - start)) s)"
	else
		tail -n 60 "$work/log"
		echo "not ok $name"
		bad=1
		return 1
	fi
}

distribution() {
	git clone -q . "$work/source" && cd "$work/source" && ./bootstrap &&
		./configure -q && make dist
}

# package SUITE: what runs in the Debian that builds.  The same bytes come out in
# another folder.
package() {
	cat <<'END'
set -eu
cd /build
apt-get install -y --no-install-recommends dpkg-dev fakeroot lintian util-linux
for folder in first /build/second/of/two; do
	mkdir -p $folder && cd $folder
	cp /build/cpprof-*.tar.xz . && tar xf cpprof-*.tar.xz
	cd cpprof-*/ && cp -r packaging/debian . && apt-get build-dep -y ./
	version=$(dpkg-parsechangelog -S Version) name=$(basename "$PWD")
	[ "$name" = "cpprof-${version%-*}" ]
	mv ../"$name.tar.xz" "../cpprof_${version%-*}.orig.tar.xz"
	unshare --net dpkg-buildpackage -us -uc
	cd /build
done
for package in first/*.deb; do
	cmp "$package" "second/of/two/${package##*/}"
done
lintian --allow-root --fail-on error,warning first/*.changes
mkdir /packages && cp first/cpprof_*.deb /packages/
END
}

# use: what runs in the Debian that installs
use() {
	cat <<'END'
set -eu
apt-get install -y --no-install-recommends man-db bash-completion zsh fish \
	gcc libc6-dev util-linux
list() { find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp \
	-o -path /root -o -path /packages -o -path /usr/src -o -path /var/cache \
	-o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/log \) -prune \
	-o -print | sort; }
apt-get install -y --no-install-recommends /packages/cpprof_*.deb
dpkg --purge cpprof && list >/tmp/before
dpkg -i /packages/cpprof_*.deb
sh /packages/trial.sh
setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp sh /packages/trial.sh
dpkg --purge cpprof && list >/tmp/after
diff /tmp/before /tmp/after
END
}

step "the source distribution" distribution || exit
cp "$work"/source/cpprof-*.tar.xz "$work/"
for suite in ${*:-bookworm trixie}; do
	for use in build clean; do
		why=$(timeout 900 .ci/in-debian "$suite" "$work/$suite-$use" \
			apt-get update 2>&1) || {
			echo "no Debian $suite here: ${why##*$'\n'}"
			exit 77
		}
	done
	mkdir -p "$work/$suite-build/build"
	cp "$work"/cpprof-*.tar.xz "$work/$suite-build/build/"
	step "$suite: built twice, the same bytes, nothing for lintian to say" \
		.ci/in-debian "$suite" "$work/$suite-build" bash -c "$(package)" ||
		continue
	cp -r "$work/$suite-build/packages" packaging/trial.sh "$work/$suite-clean/"
	mv "$work/$suite-clean/trial.sh" "$work/$suite-clean/packages/"
	step "$suite: installed, used as root and as an ordinary user, removed" \
		.ci/in-debian "$suite" "$work/$suite-clean" bash -c "$(use)"
	rm -rf "$work/$suite-build" "$work/$suite-clean"
done
exit $bad
