#!/bin/sh
# Where a return address should be stands a zero, or an address that no call has
# put there: a stack ends there if it was made by hand so, and not where wrong
# unwind information has led to it.
. "$(dirname "$0")/../../lib/lib.sh"

can_profile || skip_all "no sampling here: $why"

cat >"$tmp/planted.c" <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void liar(void);
void pointer_liar(void);
void on_stack(void *top, void (*f)(void), uintptr_t planted);
extern char dead_end[], behind_last[], start_code[];

/* liar, pointer_liar: their unwind information does not tell of what they push.
   on_stack: calls f from outermost, whose return address is planted.
   dead_end: the middle of code that ends the program.
   behind_last: the start of a function, behind a call of another.
   start_code: the start of a function that is the outermost, as libc's
   __start_context is. */
__asm__(".text\n"
	".type liar, @function\nliar:\n.cfi_startproc\n"
	"push $0\nmov $200000000, %eax\n1: dec %eax\njnz 1b\npop %rax\nret\n"
	".cfi_endproc\n.size liar, .-liar\n"
	".type pointer_liar, @function\npointer_liar:\n.cfi_startproc\n"
	"lea behind_last(%rip), %rax\npush %rax\n"
	"mov $200000000, %eax\n1: dec %eax\njnz 1b\npop %rax\nret\n"
	".cfi_endproc\n.size pointer_liar, .-pointer_liar\n"
	".type on_stack, @function\non_stack:\n.cfi_startproc\n"
	"push %rbx\nmov %rsp, %rbx\nmov %rdi, %rsp\npush %rdx\njmp outermost\n"
	"2: mov %rbx, %rsp\npop %rbx\nret\n"
	".cfi_endproc\n.size on_stack, .-on_stack\n"
	".type outermost, @function\noutermost:\n.cfi_startproc\n"
	"sub $8, %rsp\n.cfi_def_cfa_offset 16\ncall *%rsi\njmp 2b\n"
	".cfi_endproc\n.size outermost, .-outermost\n"
	".type makes_stacks, @function\nmakes_stacks:\n.cfi_startproc\n"
	"jmp *%rax\ndead_end: mov $60, %eax\nsyscall\nhlt\n"
	".cfi_endproc\n.size makes_stacks, .-makes_stacks\n"
	".type ends, @function\nends:\n.cfi_startproc\n"
	"sub $8, %rsp\n.cfi_def_cfa_offset 16\ncall abort\n"
	".cfi_endproc\n.size ends, .-ends\n"
	".type behind_last, @function\nbehind_last:\n.cfi_startproc\n"
	"sub $24, %rsp\n.cfi_def_cfa_offset 32\ncall abort\nhlt\n"
	".cfi_endproc\n.size behind_last, .-behind_last\n"
	"nop\nnop\n"
	".type start_code, @function\nstart_code:\n.cfi_startproc\n"
	".cfi_undefined rip\nmov %rbx, %rsp\ncall abort\nhlt\n"
	".cfi_endproc\n.size start_code, .-start_code\n");

static volatile unsigned long sink;

static void work(void)
{
	for (unsigned long i = 0; i < 150000000; i++)
		sink += i;
}

static void *in_thread(void *f)
{
	((void (*)(void))f)();
	sink++;
	return NULL;
}

/* Of four mappings; what is behind them is absent. */
static char *make_pages(void)
{
	char *pages = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(pages + (3 << 20), 1 << 20, PROT_NONE);
	mprotect(pages + (2 << 20), 1 << 20, PROT_READ);
	mprotect(pages, 1 << 20, PROT_NONE);
	return pages;
}

int main(int argc, char **argv)
{
	char *end = make_pages() + (2 << 20), *mode = argv[argc - 1];
	uintptr_t *inside = (uintptr_t *)(end - 65536);
	pthread_t thread;

	inside[64] = (uintptr_t)__builtin_return_address(0);
	if (strcmp(mode, "liar") == 0)
		liar();
	else if (strcmp(mode, "pointer_liar") == 0)
		pointer_liar();
	else if (strcmp(mode, "thread_liar") == 0) {
		pthread_create(&thread, NULL, in_thread, liar);
		pthread_join(thread, NULL);
	} else if (strcmp(mode, "end") == 0)
		on_stack(end, work, 0);
	else if (strcmp(mode, "data") == 0) /* and a caller's own behind it */
		on_stack(end - 32768, work, 0);
	else if (strcmp(mode, "behind_last") == 0)
		on_stack(end, work, (uintptr_t)behind_last);
	else if (strcmp(mode, "dead_end") == 0)
		on_stack(inside, work, (uintptr_t)dead_end);
	else if (strcmp(mode, "start_code") == 0)
		on_stack(inside, work, (uintptr_t)start_code);
	else
		on_stack(inside, work, 0);
	return 0;
}
END
${CC:-cc} -O2 -w -pthread -o "$tmp/planted" "$tmp/planted.c" ||
	exit 99

# check MODE RE WHAT: four fifths of the samples match
check() {
	timeout 60 "$cpprof" run -q -r cpu:1ms -o "$tmp/data" -- "$tmp/planted" "$1"
	counts=$("$cpprof" export --format=folded "$tmp/data" | awk -v re="$2" '
		/^\[[^t]/ { next } # what no stack is of
		{ all += $NF }
		$0 ~ re { right += $NF }
		END { print right + 0, "of", all + 0; exit all < 20 || right < all * .8 }')
	ok $? "$3: $counts stacks"
}

check liar '^\\[truncated\\];liar ' \
	"a zero away from the end of the stack: truncated"
check thread_liar '^\\[truncated\\];liar ' \
	"a zero near the end of a thread's stack, below its callers: truncated"
check pointer_liar '^\\[truncated\\];' \
	"the address of a function, away from the end: truncated"
check inside '^\\[truncated\\];outermost;work ' \
	"a zero inside of a mapping that has a return address outside: truncated"
check end '^outermost;work ' "a zero at the end of the mapping: whole"
check data '^outermost;work ' \
	"a zero, and no return address from there to the mapping's end: whole"
check behind_last '^outermost;work ' \
	"the address of a function that is not called, at the end: whole"
check dead_end '^outermost;work ' \
	"code behind no call that does not return, anywhere: whole"
check start_code '^start_code;outermost;work ' \
	"the start of code that is an outermost function: whole, with its name"
done_testing
