/*
 * The outermost frame of a thread.  glibc's clone and clone3 have unwind
 * information except for the instructions from the system call to the branch to
 * the new thread's own code (6 % of the samples of a program with many short
 * threads were there); musl's clone has none at all.
 */
#include "monitor/unwind/unwind.h"

#include <string.h>

static bool stands_before(
	const struct mapping *m, uint64_t ip, const struct thread_start *b)
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
	bool is_new =
		c->exact && c->sp == regs[REG_SP_] && registers_are_new(regs);

	if (!mapping->module->image)
		return false;
	for (size_t i = 0; i < nthread_starts; i++) {
		const struct thread_start *b = &thread_starts[i];

		if (b->called ? c->exact : !is_new)
			continue;
		/* musl pops its argument before the call */
		if (b->given_sp &&
			c->sp - registers_given_sp(regs) > sizeof *regs)
			continue;
		if (stands_before(mapping, c->ip, b))
			return true;
	}
	return false;
}
