#!/bin/sh
# A zero where a return address should be: on the last page of a stack's mapping
# it ends the stack, elsewhere the unwind information was wrong.
. "${top_srcdir:?}/t/lib/lib.sh"

can_profile || skip_all "no sampling here: $why"

cat >"$tmp/zero.c" <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void liar(void);
void on_stack(void *top, void (*f)(void));

/* liar: its unwind information does not tell of what it pushes.
   on_stack: calls f from outermost, whose return address is a zero. */
__asm__(".text\n"
	".type liar, @function\nliar:\n.cfi_startproc\n"
	"push $0\nmov $200000000, %eax\n1: dec %eax\njnz 1b\npop %rax\nret\n"
	".cfi_endproc\n.size liar, .-liar\n"
	".type on_stack, @function\non_stack:\n.cfi_startproc\n"
	"push %rbx\nmov %rsp, %rbx\nmov %rdi, %rsp\npush $0\njmp outermost\n"
	"2: mov %rbx, %rsp\npop %rbx\nret\n"
	".cfi_endproc\n.size on_stack, .-on_stack\n"
	".type outermost, @function\noutermost:\n.cfi_startproc\n"
	"sub $8, %rsp\n.cfi_def_cfa_offset 16\ncall *%rsi\njmp 2b\n"
	".cfi_endproc\n.size outermost, .-outermost\n");

static volatile unsigned long sink;

static void work(void)
{
	for (unsigned long i = 0; i < 150000000; i++)
		sink += i;
}

int main(int argc, char **argv)
{
	char *stack = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (strcmp(argv[argc - 1], "liar") == 0) {
		liar();
		return 0;
	}
	mprotect(stack, 4096, PROT_NONE);
	mprotect(stack + (1 << 20) - 4096, 4096, PROT_NONE);
	on_stack(stack + (1 << 20) - 4096, work);
	return 0;
}
END
${CC:-cc} -O2 -w -o "$tmp/zero" "$tmp/zero.c" || skip_all "no compiler"

# check HOW RE: four fifths of the samples match; $counts are all and these
check() {
	timeout 60 "$cpprof" run -q -r cpu:1ms -o "$tmp/data" -- "$tmp/zero" "$1"
	counts=$("$cpprof" export --format=folded "$tmp/data" | awk -v re="$2" '
		/^\[[^t]/ { next } # what no stack is of
		{ all += $NF }
		$0 ~ re { right += $NF }
		END { print right + 0, "of", all + 0; exit all < 20 || right < all * .8 }')
}

check liar '^\\[truncated\\];liar '
ok $? "away from the end: $counts stacks are truncated"
check stack '^outermost;work '
ok $? "at the end of the mapping: $counts stacks are whole"
done_testing
