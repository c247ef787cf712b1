#!/bin/sh
# mirror.sh: prints the address of the mirror of Debian that this machine's apt uses.
# 77: it uses none; standard output says so.
command -v apt-get >/dev/null || {
	echo "no apt-get here"
	exit 77
}
# apt knows of whom a mirror is once it has its lists.
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' \
	'Created-By: Packages' 2>/dev/null | sed -n 's/^Debian Debian //p' | head -n 1)
[ -n "$mirror" ] || {
	echo "apt has no lists of Debian: as root run apt-get update"
	exit 77
}
echo "$mirror"
