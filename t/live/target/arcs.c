/*
 * arcs - functions that begin in every way, called so many times that it tells.
 *
 *     arcs            "CALLER CALLEE N" for each pair
 *     arcs N          calls one function N times, and another 10 times
 */
#include <stdio.h>
#include <stdlib.h>

#define FUNCTION(name, code)                                                   \
	void name(long);                                                       \
	__asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name            \
		",@function\n" #name ":\n" code "\n.size " #name ",.-" #name   \
		"\n");

int ready; /* for comes_back */

/* What their probes may be at, and may not. */
FUNCTION(push_first, "push %rbx\n pop %rbx\n ret")
FUNCTION(push_later, "mov %rdi,%rax\n push %rbx\n pop %rbx\n ret")
FUNCTION(none_at_all, "mov %rdi,%rax\n ret")
FUNCTION(branch_later, "endbr64\n test %rdi,%rdi\n je 1f\n 1: ret")
FUNCTION(call_later, "sub $24,%rsp\n call push_first\n add $24,%rsp\n ret")
/* jumps to what is before the branch: by the function itself, */
FUNCTION(loops, "mov $5,%eax\n 1: dec %eax\n jne 1b\n ret")
/* by a part of it elsewhere, */
FUNCTION(part, "dec %eax\n js 1f\n jmp parted_loop\n .skip 200,0x90\n 1: ret")
FUNCTION(parted, "mov $5,%eax\n parted_loop: test %eax,%eax\n jmp part")
/* by a register */
FUNCTION(by_register, "mov $5,%eax\n 1: dec %eax\n js 2f\n lea 1b(%rip),%rdx\n"
		      "jmp *%rdx\n 2: ret")
/* as Go's functions begin when the stack has to grow */
FUNCTION(comes_back,
	"cmpl $0,ready(%rip)\n je 1f\n push %rbx\n pop %rbx\n ret\n"
	"1: movl $1,ready(%rip)\n jmp comes_back")
/* goes on in another one, where there is no call */
FUNCTION(outer, "mov %rdi,%rax")
FUNCTION(inner, "test %rax,%rax\n je 1f\n 1: ret")
FUNCTION(ends_in_jump, "mov %rdi,%rax\n jmp push_first")
FUNCTION(locked, "lock incl -8(%rsp)\n ret")

#define CALL(name, n)                                                          \
	for (long i = 0, times = (n); i < times; i++) {                        \
		ready = 0;                                                     \
		name(i);                                                       \
	}                                                                      \
	if (tell)                                                              \
		printf("%s %s %d\n", __func__, #name, (n));

static int tell = 1;

static __attribute__((noinline)) void one(void)
{
	CALL(push_first, 11)
	CALL(push_later, 12)
	CALL(none_at_all, 13)
	CALL(branch_later, 14)
	CALL(call_later, 15)
	CALL(loops, 16)
	CALL(parted, 17)
	CALL(by_register, 18)
	CALL(comes_back, 19)
	CALL(inner, 20)
	CALL(locked, 21)
	CALL(outer, 22)
}

static __attribute__((noinline)) void two(void)
{
	CALL(push_later, 33)
	CALL(ends_in_jump, 34)
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		tell = 0;
		CALL(push_first, atoi(argv[1]))
		CALL(push_later, 10)
		return 0;
	}
	one();
	two();
	/* what no C code tells of: jumps to a beginning count as calls */
	puts("main one 1\nmain two 1\ncall_later push_first 15");
	puts("two push_first 34\none inner 22\none part 102");
	return 0;
}
