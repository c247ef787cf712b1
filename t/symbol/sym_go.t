#!/bin/sh
# Names and lines of stripped Go programs from .gopclntab, against the symbols
# they had before (nm) and Go's own addr2line.
. "$(dirname "$0")/../lib/lib.sh"

dump=$top_builddir/t/lib/symdump
needs nm as ld cc
cd "$tmp" || exit 99

### tables of all versions, made by hand: two functions of two files, behind
### others' code; from 1.26 on the runtime's module knows where they begin

# table VERSION: an assembler file
table() {
	cat <<-'END'
	.text
	.globl _start
	_start: .skip 16,0x90
	one: .skip 16,0x90
	two: .skip 32,0x90
	end:
	.section .gosymtab,"a"
	.section .gopclntab,"a"
	base:
	END
	case $1 in
	2) echo '.long 0xfffffffb; .byte 0,0,1,8; .quad 2
		table: .quad one, rec1-base, two, rec2-base, end
		.long files-base'
		entry=.quad ;;
	16) echo '.long 0xfffffffa; .byte 0,0,1,8; .quad 2, 2
		.quad names-base, units-base, files-base, pcs-base, table-base
		table: .quad one, rec1-table, two, rec2-table, end'
		entry=.quad ;;
	26*) echo '.long 0xfffffff1; .byte 0,0,1,8; .quad 2, 2, 0
		.quad names-base, units-base, files-base, pcs-base, table-base
		table: .long 0, rec1-table, two-one, rec2-table, end-one'
		entry=.long ;;
	*) echo "$([ "$1" = 18 ] && echo .long 0xfffffff0 || echo .long 0xfffffff1)"
		echo '.byte 0,0,1,8; .quad 2, 2, _start
		.quad names-base, units-base, files-base, pcs-base, table-base
		table: .long one-_start, rec1-table, two-_start, rec2-table
		.long end-_start'
		entry=.long ;;
	esac
	names=names pcs=pcs
	[ "$1" = 2 ] && names=base pcs=base
	for f in one two; do
		at=$f
		[ $entry = .long ] && at=$f-_start
		case $1 in 26*) at=$f-one ;; esac
		echo ".balign 4
		rec$([ $f = one ] && echo 1 || echo 2): $entry $at
		.long n_$f-$names, 0, 0, 0, file_$f-$pcs, line_$f-$pcs, 0, 0, 0"
	done
	# pc-value: steps of the value (2n, or -2n-1), of the pc; 0 ends
	echo 'names: n_one: .asciz "main.main"; n_two: .asciz "main.two"
	pcs: .byte 0
	line_one: .byte 22, 4, 6, 12, 0   /* line 10 for 4 bytes, 13 for 12 */
	line_two: .byte 202, 1, 8, 3, 24, 0 /* 100 for 8, 98 for 24 */'
	if [ "$1" = 2 ]; then # files count from 1
		echo 'file_one: .byte 4, 16, 0
		file_two: .byte 6, 32, 0
		.balign 4
		files: .long 3, name_a-base, name_b-base
		name_a: .asciz "/src/a.go"; name_b: .asciz "/src/b.go"'
	else
		echo 'file_one: .byte 2, 16, 0
		file_two: .byte 4, 32, 0
		.balign 4
		units: .long name_a-files, name_b-files
		files: name_a: .asciz "/src/a.go"; name_b: .asciz "/src/b.go"'
	fi
	case $1 in
	26) echo '.section .go.module,"aw"' ;;
	26*) echo ".data; .balign 8; .quad base, 1, 2" ;; # the first is no module
	*) return ;;
	esac
	echo '.quad base; .skip 152; .quad one, end, one, end'
}
for version in 2 16 18 20 26 26-elsewhere; do
	table $version >table.s
	if ! as -o table.o table.s 2>log || ! ld -o made table.o 2>log; then
		sed 's/^/# /' log
		ok 1 "a table of Go 1.$version is made"
		continue
	fi
	start=$((0x$(nm made | awk '$3 == "one" { print $1 }')))
	strip made
	for at in 0 3 4 15 16 23 24 47 48; do
		printf '%x\n' $((start + at))
	done >addrs
	"$dump" made <addrs | awk -F'\t' '$1 != "note" { print $6, $8, $9 }' >got
	is "$(cat got)" "1 /src/a.go:10 main.main
1 /src/a.go:10 main.main
1 /src/a.go:13 main.main
1 /src/a.go:13 main.main
0 /src/b.go:100 main.two
0 /src/b.go:100 main.two
0 /src/b.go:98 main.two
0 /src/b.go:98 main.two
0 :0 $("$dump" made <addrs | awk -F'\t' '$1 != "note" { n = $9 } END { print n }')" \
		"Go 1.$version: names, lines and main"
done

### a real program

go_file() { # FLAGS: ./full, and ./bare without symbols
	rm -f full bare
	go build "$@" -o full . >log 2>&1 &&
		go build "$@" -ldflags='-s -w' -o bare . >log 2>&1
}
mkdir prog
cat >prog/go.mod <<'END'
module prog
END
cat >prog/main.go <<'END'
package main

import (
	"fmt"
	"sort"
	"strings"
)

type shape interface{ area() float64 }
type square struct{ side float64 }

func (s *square) area() float64 { return s.side * s.side }

//go:noinline
func work(n int) (s int) {
	for i := 0; i < n; i++ {
		s = s*31 + i%7
	}
	return
}

func main() {
	t := 0
	for i := 0; i < 150; i++ {
		t += work(1000000)
	}
	f := func(i int) bool { return i > t }
	var s shape = &square{3}
	fmt.Println(t, sort.Search(100, f), strings.Repeat("x", 3), s.area())
}
END
GOPATH=$tmp/gopath GOCACHE=$tmp/gocache GOFLAGS=-mod=mod
export GOPATH GOCACHE GOFLAGS
if ! command -v go >which || ! (cd prog && go_file); then
	skip 11 "no Go compiler"
	done_testing
fi
cd prog || exit 99

for flags in "" -buildmode=pie; do
	# shellcheck disable=SC2086
	if [ -n "$flags" ] && ! go_file $flags; then
		skip 3 "cannot build with $flags"
		continue
	fi
	# The table's names lack the calling convention and lengths of arrays; those
	# of the symbols have a point for each of Go's own.
	nm full | awk '$2 ~ /^[tT]$/ { print $1, $3 }' |
		sed 's/^0*//; s/\.abi0$//; s/ type\.\.\(.*\)\[[0-9]*\]/ type..\1[...]/' |
		grep -v -e ' runtime\.e*text$' -e ' go\.buildid$' |
		sort -u >want
	awk '{ print $1 }' want | "$dump" bare | awk -F'\t' '
		$1 != "note" && $2 == 0 { gsub(/·/, "."); print $3, $7, $1 == $3 }' >got
	awk '{ print $1, $2 }' got | sort -u >have
	# Where symbols share an address the table has one of their names.
	missing=$(awk 'NR == FNR { have[$1] = $2; next }
		{ all[$1] = all[$1] " " $2 " " }
		END { for (a in all) if (!index(all[a], " " have[a] " "))
			print a, all[a], "not", have[a] }' have want)
	is "$missing" "" "every function of a stripped Go program by name $flags"
	ok "$([ "$(wc -l <want)" -gt 1000 ]; echo $?)" "there are many"
	nm full | awk '/\.abi0$/ { print $1 }' >assembled
	for file in full bare; do
		"$dump" $file <assembled | awk -F'\t' '$1 != "note" { print $3, $9 }' >of.$file
	done
	[ -s of.full ] && cmp -s of.full of.bare
	ok $? "assembler's functions have the same names with symbols $flags"
done

go_file
nm full | awk '$3 ~ /^(main|strings|sort|runtime\.[gm])/ && $2 ~ /[tT]/ {
	print "0x" $1 }' | while read -r a; do
	printf '%x\n%x\n%x\n' $((a)) $((a + 7)) $((a + 19))
done | sort -u >addrs
go tool addr2line full <addrs | paste - - | awk '{ print $2 }' >want
"$dump" bare <addrs | awk -F'\t' '$1 != "note" { print $8 }' >got
sed 's/:-1$/:/; s/:0$/:/; s/?//g' want >want.lines
sed 's/:0$/:/' got >got.lines
is "$(paste addrs want.lines got.lines | awk '$2 != $3' | head)" "" \
	"lines are those of Go's addr2line"
at=$(grep -n '^func work' main.go | cut -d: -f1)
is "$(for f in full bare; do
	nm full | awk '$3 == "main.work" { print $1 }' | "$dump" $f |
		awk -F'\t' '$1 != "note" { sub(/.*\//, "", $10); print $10 }'
done)" "main.go:$at
main.go:$at" "a function begins where its code does, by DWARF and by the table"
if can_profile; then
	"$cpprof" run -q -o data ./bare >out
	out=$("$cpprof" report --format=paper --down=main.main data)
	like "$out" '^(0\.[89][0-9]*|1\.00000) \(main\.main main\.work\)' \
		"a stripped Go program's profile has its names"
else
	skip 1 "no profiles here: $why"
fi
# Calls are counted where a symbol is: without one there is no such run to propose.
if "$cpprof" run -q -r blocked:1ms -o data ./bare >out 2>&1 &&
	"$cpprof" run -q -r blocked:1ms -o data.full ./full >out 2>&1; then
	like "$(COLUMNS=200 "$cpprof" report data.full)" \
		"these are the waits of Go's threads; 'cpprof run -r calls=runtime.gopark -- PROG' counts" \
		"whose waits they are, and the run that shows the others"
	like "$(COLUMNS=200 "$cpprof" report data)" "these are the waits of Go's threads$" \
		"a stripped program has no such run"
else
	skip 2 "no waits here: $(head -n 1 out)"
fi
done_testing
