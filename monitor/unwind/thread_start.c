/*
 * The outermost frame of a thread.  glibc's clone and clone3 have unwind
 * information but for the instructions from the system call to the branch to
 * the new thread's own code (6 % of the samples of a program with many short
 * threads were there); musl's clone has none at all.
 */
#include "monitor/unwind/unwind.h"

#include <string.h>

/* What stands before the thread's address. */
struct beginning {
	uint8_t n, bytes[8];
	uint8_t last;  /* how far behind the bytes it may be */
	bool called;   /* it has called its function; else: it is new */
	bool given_sp; /* new, and rsi is the stack it was given */
};

static const struct beginning beginnings[] = {
	/* mov $56, %eax; syscall: then test %rax, %rax; jl; je */
	{7, {0xb8, 0x38, 0, 0, 0, 0x0f, 0x05}, 5, .given_sp = true},
	/* mov $435, %eax; syscall: then the same */
	{7, {0xb8, 0xb3, 1, 0, 0, 0x0f, 0x05}, 5, .called = false},
	/* mov %rcx, (%rsi); syscall: then test %eax, %eax; jne; xor; pop;
	   call */
	{5, {0x48, 0x89, 0x0e, 0x0f, 0x05}, 7, .given_sp = true},
	/* xor %ebp, %ebp; pop %rdi; call *%r9 */
	{6, {0x31, 0xed, 0x5f, 0x41, 0xff, 0xd1}, 0, .called = true},
};

static bool stands_before(
	const struct mapping *m, uint64_t ip, const struct beginning *b)
{
	uint8_t code[sizeof b->bytes];

	for (uint64_t behind = 0; behind <= b->last; behind++)
		if (elf_image_read(m->module->image,
			    ip - behind - b->n - m->bias, code, b->n) &&
			!memcmp(code, b->bytes, b->n))
			return true;
	return false;
}

bool unwind_thread_begins(const struct snapshot *snapshot,
	const struct mapping *mapping, const struct unwind_cursor *c)
{
	const uint64_t *regs = snapshot->regs;
	/* the kernel gives the new thread a zero, the old one another number */
	bool is_new = c->exact && c->sp == regs[REG_SP_] && !regs[REG_AX_];

	if (!mapping->module->image)
		return false;
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
		const struct beginning *b = &beginnings[i];

		if (b->called ? c->exact : !is_new)
			continue;
		/* musl's has taken its argument off it when it calls */
		if (b->given_sp && c->sp - regs[REG_SI_] > sizeof *regs)
			continue;
		if (stands_before(mapping, c->ip, b))
			return true;
	}
	return false;
}
