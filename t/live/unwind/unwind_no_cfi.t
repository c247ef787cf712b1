#!/bin/sh
# Programs compiled without unwind information, linked statically: functions
# that never return, called through pointers, jumps by tables, handlers.  The
# symbols, which the unwinder does not read, tell whether the stacks are right.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "no sampling here: $why"

cat >"$tmp/applets.c" <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned long sink;

NOINLINE static void spin(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i ^ sink;
}

/* Its cases are reached by a table alone, and each is long enough to be met. */
NOINLINE static unsigned long step(unsigned kind, unsigned n)
{
	unsigned long x = n;

	switch (kind) {
	case 0: while (n--) x = x * 31 + sink; break;
	case 1: while (n--) x = x * 37 ^ sink; break;
	case 2: spin(n); x -= sink; break;
	case 3: while (n--) x = x * 41 - sink; break;
	case 4: spin(n); x += sink; break;
	case 5: while (n--) x = (x << 3) + sink; break;
	case 6: while (n--) x = (x >> 1) + sink; break;
	case 7: spin(n / 2); x ^= sink; break;
	default: exit(3);
	}
	return x;
}

NOINLINE static int compare(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	spin(20);
	return x < y ? -1 : x > y;
}

NOINLINE static void on_signal(int number)
{
	(void)number;
	spin(200000);
}

/* None of these ever returns. */
static _Noreturn void steps(int rounds)
{
	unsigned long x = 0;

	for (int i = 0; i < 100 * rounds; i++)
		x += step(i & 7, 30000);
	sink += x;
	exit(0);
}

static _Noreturn void sorts(int rounds)
{
	static unsigned v[20000];

	for (int k = 0; k < rounds; k++) {
		for (unsigned i = 0; i < 20000; i++)
			v[i] = i * 7919u % 20011u;
		qsort(v, 20000, sizeof *v, compare);
	}
	exit(0);
}

static _Noreturn void signals(int rounds)
{
	char text[5000];

	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 40 * rounds; i++) {
		memset(text, i, sizeof text);
		raise(SIGUSR1);
		sink += (unsigned char)text[i];
	}
	exit(0);
}

typedef void (*applet)(int);
static const struct { const char *name; applet run; } applets[] = {
	{"steps", steps}, {"sorts", sorts}, {"signals", signals}};

NOINLINE static void find_and_run(const char *name, int rounds)
{
	for (int i = 0; i < 3; i++)
		if (strcmp(applets[i].name, name) == 0) {
			applets[i].run(rounds);
			exit(2);
		}
}

int main(int argc, char **argv)
{
	find_and_run(argc > 1 ? argv[1] : "", 10);
	puts("none");
	exit(1);
}
END

# check KIND APPLET FUNCTION: every stack with FUNCTION has just the functions
# from main to APPLET in it, and all are whole but a few at the start, where the
# kernel's copy ends in a page that was never touched.
check() {
	"$cpprof" run -q -r cpu:500us -o "$tmp/data" -- "$tmp/$1" "$2" >/dev/null
	"$cpprof" export --format=folded "$tmp/data" >"$tmp/folded"
	counts=$(awk -v ours=";main;find_and_run;$2;" -v leaf="$3" '
		{ n = $NF; all += n; $NF = ""; sub(/ $/, ""); $0 = $0 ";" }
		/^\[truncated/ { cut += n }
		index($0, ";" leaf ";") {
			leaves += n
			if (!index($0, ours)) wrong += n
		}
		END { print all + 0, leaves + 0, wrong + 0, cut + 0 }' \
		"$tmp/folded")
	set -- "$1" "$2" "$3" $counts
	[ "$4" -gt 30 ] && [ "$5" -gt 10 ] && [ "$6" -eq 0 ] &&
		[ "$7" -le $((1 + $4 / 100)) ]
	status=$?
	ok $status "$1 $2: of $5 samples with $3 $6 are wrong, of $4 $7 cut"
	[ $status -eq 0 ] || sed 's/^/# /' "$tmp/folded"
}

for kind in "musl -O2 -static" "musl-shared -O2" "Os -Os -static -no-pie -fno-pie" "O2 -O2 -static -no-pie -fno-pie" \
	"pie -Os -static-pie -fPIE" "dynamic -O2 -pie -fPIE"; do
	name=${kind%% *}
	compiler=${CC:-cc}
	case $name in musl*) compiler=musl-gcc ;; esac
	# shellcheck disable=SC2086
	if $compiler ${kind#* } -w -fno-asynchronous-unwind-tables \
		-fno-unwind-tables -fno-exceptions -fomit-frame-pointer \
		-o "$tmp/$name" "$tmp/applets.c" >"$tmp/log" 2>&1 &&
		[ "$("$tmp/$name" none)" = none ]; then
		check "$name" steps step
		check "$name" sorts compare
		check "$name" signals spin
	else
		skip 3 "cannot build $name"
	fi
done
# Generated code in which no call stands before the return addresses: as an
# interpreter makes it, each method enters the next by a jump, having pushed
# where it is to go on, and leaves by a jump that nothing in it tells the target
# of.  The last one keeps the frame pointer (spin), leaves its caller's there
# (bare), or uses it for something else (compiled, as HotSpot does it).  The
# method "seven" takes its stack pointer from its frame, as in HotSpot, is called
# by a compiled method, "eight", and enters one.  The compiled method "nine"
# calls "ten" through an adapter, which makes room for the arguments where the
# return address was: while it runs two registers tell of the call, and then the
# frame of "ten" does.
cat >"$tmp/methods.S" <<'END'
	.section .rodata
	.globl code, code_end, one, two, three, four, five, seven, eight
	.globl nine, adapter, ten, spin, bare, compiled, done

	.macro method name next
\name:	push %rbp
	mov %rsp, %rbp
	lea 16(%rbp), %rax
	push %rax
	.rept 6
	push $0
	.endr
	lea back_\name(%rip), %rax
	push %rax
	xor %eax, %eax
	jmp \next
	.skip 8, 0x90
back_\name:
	nop
	jmp *%r11
	.skip 8, 0x90
	.endm

code:	push %rbp
	mov %rsp, %rbp
	lea done(%rip), %r11
	lea leaves(%rip), %r10
	lea ten(%rip), %r8
	lea behind(%rip), %rax
	push %rax
	xor %eax, %eax
	jmp *%rsi
	.skip 8, 0x90
behind:	pop %rbp
	ret
	.skip 8, 0x90
	method one two
	method two three
	method three spin
	method four bare
	method five compiled
	.macro interpreted name next
\name:	push %rbp
	mov %rsp, %rbp
	lea 16(%rbp), %rax
	push %rax
	.rept 7
	push $0
	.endr
	mov %rsp, -16(%rbp)
	lea back_one(%rip), %rax
	push %rax
	push %rax
	lea back_\name(%rip), %rax
	push %rax
	xor %eax, %eax
	jmp \next
	.skip 8, 0x90
back_\name:
	mov -16(%rbp), %rsp
	movq $0, -16(%rbp)
	jmp *%r11
	.skip 8, 0x90
	.endm
	interpreted seven compiled
eight:	mov %eax, -0x14000(%rsp)
	push %rbp
	sub $32, %rsp
	mov $7, %ebp
	call seven
	add $32, %rsp
	pop %rbp
	ret
	.skip 8, 0x90
nine:	mov %eax, -0x14000(%rsp)
	push %rbp
	sub $32, %rsp
	mov %r13, 8(%rsp)
	mov $7, %ebp
	call adapter
	mov 8(%rsp), %r13
	add $32, %rsp
	pop %rbp
	ret
	.skip 8, 0x90
adapter:
	pop %rax
	mov %rsp, %r13
	sub $32, %rsp
	mov %rax, (%rsp)
	movq $5, 24(%rsp)
	push $0
	mov %rdi, %rcx
1:	dec %rcx
	jnz 1b
	add $8, %rsp
	jmp *%r8
	.skip 8, 0x90
ten:	push %rbp
	mov %rsp, %rbp
	push %r13
	.rept 5
	push $0
	.endr
	lea -8(%r13), %rax
	push %rax
	mov %rsp, -16(%rbp)
	lea back_ten(%rip), %rax
	push %rax
	xor %eax, %eax
	xor %r13d, %r13d
	jmp spin
	.skip 8, 0x90
back_ten:
	mov -16(%rbp), %rsp
	movq $0, -16(%rbp)
	mov -8(%rbp), %rsp
	mov 8(%rbp), %rax
	mov (%rbp), %rbp
	jmp *%rax
	.skip 8, 0x90
	/* keeps the frame pointer */
spin:	push %rbp
	mov %rsp, %rbp
	push $0
	mov %rdi, %rcx
1:	dec %rcx
	jnz 1b
	jmp *%r11
	.skip 8, 0x90
	/* leaves its caller's there */
bare:	push %rbx
	mov %rdi, %rcx
1:	dec %rcx
	jnz 1b
	pop %rbx
	ret
	.skip 8, 0x90
	/* uses it, and nothing tells how it returns but that it began so */
compiled:
	mov %eax, -0x14000(%rsp)
	push %rbp
	sub $32, %rsp
	mov %rdi, %rcx
	mov $7, %ebp
1:	dec %rcx
	jnz 1b
	jmp *%r10
	.skip 8, 0x90
done:	leave
	ret
leaves:	add $32, %rsp
	pop %rbp
	ret
code_end:
END
cat >"$tmp/generated.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char code[], code_end[], one[], two[], three[], spin[], bare[],
	compiled[], four[], five[], seven[], eight[], nine[],
	adapter[], ten[], done[];

static char *place;

static void name(FILE *map, const char *from, const char *to, const char *what)
{
	fprintf(map, "%lx %lx %s\n", (long)(place + (from - code)),
		(long)(to - from), what);
}

int main(int argc, char **argv)
{
	const char *first = !strcmp(argv[1], "bare")	   ? four
			    : !strcmp(argv[1], "compiled") ? five
			    : !strcmp(argv[1], "seven")	   ? eight
			    : !strcmp(argv[1], "ten")	   ? nine
			    : !strcmp(argv[1], "adapter")  ? nine
							   : one;
	char file[64];
	FILE *map;

	place = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(place, code, code_end - code);
	snprintf(file, sizeof file, "/tmp/perf-%d.map", (int)getpid());
	map = fopen(file, "w");
	name(map, code, one, "stub");
	name(map, one, two, "one");
	name(map, two, three, "two");
	name(map, three, four, "three");
	name(map, four, five, "four");
	name(map, five, seven, "five");
	name(map, seven, eight, "seven");
	name(map, eight, nine, "eight");
	name(map, nine, adapter, "nine");
	name(map, adapter, ten, "adapter");
	name(map, ten, spin, "ten");
	name(map, spin, bare, "spin");
	name(map, bare, compiled, "bare");
	name(map, compiled, done, "compiled");
	name(map, done, code_end, "done");
	fclose(map);
	for (int i = 0; i < 300; i++)
		((void (*)(long, void *))place)(1000000,
			place + (first - code));
	puts(file);
	/* the code is read until the process ends */
	usleep(300000);
	return 0;
}
END
if ${CC:-cc} -O2 -o "$tmp/generated" "$tmp/generated.c" "$tmp/methods.S" \
	>"$tmp/log" 2>&1; then
	for leaf in spin bare compiled seven adapter ten; do
		"$cpprof" run -q -r cpu:1ms -o "$tmp/data" -- \
			"$tmp/generated" $leaf >"$tmp/map"
		"$cpprof" export --format=folded "$tmp/data" >"$tmp/folded"
		rm -f "$(cat "$tmp/map")"
		path='main;stub;one;two;three;spin'
		[ $leaf = bare ] && path='main;stub;four;bare'
		[ $leaf = compiled ] && path='main;stub;five;compiled'
		[ $leaf = seven ] && path='main;stub;eight;seven;compiled' \
			leaf=compiled
		[ $leaf = adapter ] && path='main;stub;nine;adapter'
		[ $leaf = ten ] && path='main;stub;nine;ten;spin' leaf=spin
		# at the edge of a method another stands for an instruction
		counts=$(awk -v path=";$path " -v leaf=";$leaf " '
			index($0, leaf) {
				all += $NF
				if (/^\[truncated\]/) cut += $NF
				else if (!index($0, path)) wrong += $NF
			}
			END { print all + 0, cut + 0, wrong + 0 }' \
			"$tmp/folded")
		# shellcheck disable=SC2086
		set -- $counts
		[ "$1" -gt 30 ] && [ "$2" -eq 0 ] && [ "$3" -eq 0 ]
		status=$?
		ok $status "of $1 samples in generated ${path#*stub;} $2 are cut, $3 wrong"
		[ $status -eq 0 ] || sed 's/^/# /' "$tmp/folded"
	done
else
	skip 6 "no assembler"
fi
done_testing
