#!/bin/sh
# Names and bounds from symbol tables, unwind tables and linkage stubs, held
# against what nm, readelf and objdump say of the same files.
. "$(dirname "$0")/../lib/lib.sh"

dump=$top_builddir/t/lib/symdump
needs nm readelf objdump cc strip
cd "$tmp" || exit 99

# hex N: without leading zeros, as symdump prints
hex() {
	sed 's/^0*\([0-9a-f]\)/\1/'
}

### every sized function of the C library's dynamic symbols

libc=$(ldd "$(command -v sh)" | awk '/libc\.so/ { print $3 }')
[ -n "$libc" ] || libc=/lib/x86_64-linux-gnu/libc.so.6
# address, size and the names for it, versions dropped; sized ones only
readelf -sW --dyn-syms "$libc" | awk '
	$4 ~ /^(FUNC|IFUNC)$/ && $3 != "0" && $7 != "UND" {
		sub(/@.*/, "", $8); print $2, $3, $8 }' | sort -u >want
awk '{ print $1 }' want | sort -u >addrs
"$dump" "$libc" <addrs >got
is "$(awk -F'\t' '$2 == 0' got | wc -l | tr -d ' ')" \
	"$(wc -l <addrs | tr -d ' ')" \
	"every function of the C library got an outermost frame"
# Each linkage name symdump gives must be one that readelf has at that address,
# where only the dynamic symbols are read (debug files can add aliases).
bad=$(awk -F'\t' '
	NR == FNR { split($0, w, " "); a = w[1]; sub(/^0+/, "", a)
		has[a "/" w[3]] = 1; named[a] = 1; next }
	$1 != "note" && $2 == 0 && $5 == 2 && named[$1] &&
		!has[$3 "/" $7] { print $1, $7 }' want got)
is "$bad" "" "names from .dynsym are names that readelf has there"
is "$(awk -F'\t' '$1 != "note" && $2 == 0 && $3 != $1 { print $1, $3 }' got)" \
	"" "a function's own address is its lower bound"

### a program of our own: sizes, gaps, aliases, assembly without sizes

cat >own.c <<'END'
__attribute__((noinline)) int twice(int x) { return 2 * x; }
int _twice(int) __attribute__((alias("twice")));
int __twice(int) __attribute__((alias("twice"), weak));
/* sized 4, but 16 long: the rest belongs to nobody */
__asm__(".globl part\n.type part,@function\npart: .skip 16,0x90\n"
	".size part,4\n"
	/* no size, no unwind entry: reaches to the next symbol */
	".globl bare\nbare: .skip 8,0x90\n"
	".globl next\n.type next,@function\nnext: .skip 8,0x90\n.size next,8\n"
	/* no size, with an unwind entry around */
	".globl framed\nframed: .cfi_startproc\n.skip 8,0x90\n"
	/* a label inside it is no function */
	"inside: .skip 8,0x90\nret\n.cfi_endproc\n"
	/* no symbol at all, but an unwind entry */
	".cfi_startproc\n.skip 24,0x90\nret\n.cfi_endproc\n"
	".globl outer\n.type outer,@function\nouter: .skip 4,0x90\n"
	".globl inner\n.type inner,@function\ninner: .skip 4,0x90\n"
	".size inner,4\n.skip 4,0x90\n.size outer,12\n");
int main(int argc, char **argv) { (void)argv; return twice(argc); }
END
cc -O1 -fcf-protection=none -o own own.c || exit 99
at() { # at SYMBOL OFFSET: an address
	printf '%x\n' $((0x$(nm own | awk -v s="$1" '$3 == s { print $1 }') + $2))
}
named() { # named ADDRESS: what symdump calls it
	echo "$1" | "$dump" own | awk -F'\t' '$1 != "note" && $2 == 0 { print $9 }'
}
is "$(named "$(at twice 0)")" twice "of aliases, the one without underscores"
is "$(named "$(at part 3)")" part "the last byte of a sized symbol"
like "$(named "$(at part 4)")" '^own\+0x' "the byte behind it is not given to it"
is "$(named "$(at bare 7)")" bare "no size and no unwind entry: to the next symbol"
is "$(named "$(at framed 16)")" framed "no size: bounded by the unwind entry"
fde=$(at framed 17)
is "$(named "$(at framed 30)")" "own+0x$fde" "no symbol: named by its unwind entry"
is "$(named "$(at outer 1)") $(named "$(at outer 5)") $(named "$(at outer 9)")" \
	"outer inner outer" "nested symbols: the innermost"

### assembly in a stripped library: the labels between are lost

cat >asm.s <<'END'
	.text
	.globl exported
exported: test %edi, %edi
	jne 1f
	ret
1:	mov %edi, %eax
	ret
	.p2align 4
lost: .skip 64, 0x90
	ret
	.globl second
second:	.skip 8, 0x90
	.globl third
third:	jmp lost
	.skip 64, 0xcc
	.section .note.GNU-stack,"",@progbits
END
cc -shared -nostdlib -o asm.so asm.s && cp asm.so bare.so && strip bare.so ||
	exit 99
labelled() { # labelled FILE SYMBOL OFFSET: what symdump calls it
	printf '%x\n' $((0x$(nm asm.so | awk -v s="$2" '$3 == s { print $1 }') +
		$3)) | "$dump" "$1" | awk -F'\t' '$1 != "note" && $2 == 0 { print $9 }'
}
is "$(labelled asm.so exported 4) $(labelled asm.so lost 60)" "exported lost" \
	"labels name assembly"
is "$(labelled bare.so exported 0) $(labelled bare.so exported 6)" \
	"exported exported" "a stripped library's label names its code"
like "$(labelled bare.so lost 0) $(labelled bare.so lost 60)" \
	'^bare.so\+0x[0-9a-f]* bare.so\+0x[0-9a-f]*$' \
	"not what lies behind the return that ends it"
is "$(labelled bare.so second 7)" second "it goes on to the next label"
like "$(labelled bare.so third 0) $(labelled bare.so third 20)" \
	'^third bare.so\+0x' "a jump that leads elsewhere ends it, too"

### unwind entries: every one of a stripped program's is one function

cat >many.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#define F(n) __attribute__((noinline)) static int f##n(int x) \
	{ printf("%d\n", x + n); return x * n; }
F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9)
int main(int c, char **v) { (void)v; qsort(v, 0, 1, NULL);
	return f1(c) + f2(c) + f3(c) + f4(c) + f5(c) + f6(c) + f7(c) + f8(c)
	+ f9(c); }
END
cc -O1 -o many many.c && cp many bare && strip bare || exit 99
readelf --debug-dump=frames bare |
	sed -n 's/.* FDE .*pc=\([0-9a-f]*\)\.\.\([0-9a-f]*\)$/\1 \2/p' >fdes
# the linker's stubs have names of their own: leave their sections out
objdump -h bare | awk '$2 ~ /^\.plt/ { print $4 }' >plts
grep -vFf plts fdes | sort -u >fdes.code
awk '{ print $1 }' fdes.code | "$dump" bare |
	awk -F'\t' '$1 != "note" { print $3, $4 }' | sort >got
hex <fdes.code | sed 's/ 0*/ /' | sort >want
is "$(cat got)" "$(cat want)" "unwind entries bound the functions of a stripped program"

### stubs

objdump -d -j .plt -j .plt.sec -j .plt.got many |
	sed -n 's/^0*\([0-9a-f]*\) <\([a-zA-Z_][^@]*@plt\)>:/\1 \2/p' | sort >want
awk '{ print $1 }' want | "$dump" bare |
	awk -F'\t' '$1 != "note" { print $1, $9 }' | sort >got
is "$(cat got)" "$(cat want)" "linkage stubs have the names that objdump gives them"
ok "$([ -s want ]; echo $?)" "there are some"

### a whole program's symbols: every one that nm sizes, by its own name

"$dump" own <<END >got
$(nm -S own | awk '$3 ~ /^[tT]$/ { print $1 }')
END
nm -S own | awk 'NF == 4 && $3 ~ /^[tTwW]$/ { print $1, $4 }' |
	hex | grep -v -e ' _*twice$' | sort >want
awk -F'\t' '$1 != "note" && $2 == 0 { print $1, $9 }' got | sort >have
is "$(comm -23 want have)" "" "all sized text symbols are found by name"

### which file lacks symbols

like "$("$dump" bare <fdes.code)" "^note	symbols	bare .*no symbol table.*DEBUGINFOD_URLS.*-dbgsym of the package that dpkg -S '\*/bare' names" \
	"a stripped file is named in a note"
unlike "$("$dump" many <fdes.code)" "^note" "one with symbols is not"
like "$(echo 1000 | "$dump" gone)" \
	"^note	symbols	gone .*could not be opened \(No such file" \
	"a missing file is"
like "$(echo 1000 | "$dump" bare 00112233445566778899aabbccddeeff00112233)" \
	"^note	symbols	bare \(build id 0011.*not the one that ran" \
	"a changed file is"
is "$(echo 1000 | "$dump" gone | awk -F'\t' '$1 != "note" { print $9 }')" \
	"gone+0x1000" "its addresses stand for themselves"
id=$(readelf -n many | sed -n 's/.*Build ID: //p')
if [ -n "$id" ]; then
	is "$(nm many | awk '$3 == "f1" { print $1 }' | "$dump" many "$id" |
		awk -F'\t' '{ print $9 }')" f1 "the recorded build id opens the file"
else
	skip 1 "this linker writes no build id"
fi

### the vdso

if "$dump" '[vdso]' <<END >got && ! grep -q 'could not be' got; then
0
END
	ok 0 "the vdso's image is read from memory"
else
	skip 1 "no vdso here"
fi
done_testing
