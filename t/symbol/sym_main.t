#!/bin/sh
# main and _start are found in stripped programs: against the symbols they had
# before, and in the distribution's programs against a disassembly of the start
# code.
. "$(dirname "$0")/../lib/lib.sh"

dump=$top_builddir/t/lib/symdump
needs nm readelf objdump cc strip
cd "$tmp" || exit 99

main_of() { # main_of FILE ADDRESS: name, start and flag of what is there
	echo "$2" | "$dump" "$1" |
		awk -F'\t' '$1 != "note" && $2 == 0 { print $9, $3, $6 }'
}

# address FILE SYMBOL
address() {
	nm "$1" | awk -v s="$2" '$3 == s { print $1; exit }' |
		sed 's/^0*\([0-9a-f]\)/\1/'
}

cat >prog.c <<'END'
#include <stdio.h>
int main(int argc, char **argv) { return printf("%s\n", argv[argc - 1]) < 0; }
END

# try COMPILER FLAGS...
try() {
	what="$*"
	if ! "$@" -O1 -o prog prog.c 2>log || ! ./prog ok >log 2>&1; then
		skip 3 "cannot build with: $what"
		return
	fi
	cp prog bare
	strip -s bare
	main=$(address prog main)
	start=$(address prog _start)
	is "$(main_of bare "$main")" "main $main 1" "main: $what, stripped"
	is "$(main_of prog "$main")" "main $main 1" "main: $what"
	is "$(main_of bare "$start")" "_start $start 0" "_start: $what, stripped"
}

try cc
try cc -no-pie
try cc -static
try cc -static-pie
try cc -pie -fPIE -Wl,--no-relax
try cc -Wl,-z,pack-relative-relocs
try clang
try musl-gcc
try musl-gcc -static

# a library's function of that name is not the program's main
cat >lib.c <<'END'
int main(void); int main(void) { return 1; }
END
if cc -shared -fPIC -o lib.so lib.c; then
	main=$(address lib.so main)
	is "$(main_of lib.so "$main")" "main $main 0" "a library's main is no program's"
else
	skip 1 "cannot build a library"
fi

for name in python3 sqlite3 git xz perl node gcc bash busybox cc1plus; do
	file=$(command -v $name)
	case $name in
	python3) [ -x /usr/bin/python3 ] && file=/usr/bin/python3 ;;
	cc1plus) file=$(g++ -print-prog-name=cc1plus 2>log) ;;
	esac
	if [ -z "$file" ] || ! readelf -h "$file" >log 2>&1; then
		skip 1 "no program $name here"
		continue
	fi
	entry=$(readelf -h "$file" | awk '/Entry point/ { print $4 }')
	main=$(objdump -d --start-address="$entry" \
		--stop-address=$((entry + 64)) "$file" |
		sed -n -e 's/.*mov  *\$0x\([0-9a-f]*\),%rdi.*/\1/p' \
			-e 's/.*lea .*,%rdi *# *\([0-9a-f]*\).*/\1/p' | head -n 1)
	if [ -z "$main" ]; then
		skip 1 "start code of $name is of another kind"
		continue
	fi
	# Without a symbol or an unwind entry nothing says where main ends.
	if ! readelf --debug-dump=frames "$file" 2>log |
		grep -q "FDE.*pc=0*$main\.\."; then
		skip 1 "main of $name has no unwind entry"
		continue
	fi
	is "$(main_of "$file" "$main")" "main $main 1" "main of $name"
done
done_testing
