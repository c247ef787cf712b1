/*
 * Functions that do not return, in a file without unwind information for them,
 * and the code that starts programs and threads.
 */
#include "monitor/unwind/runtime/start.h"

#include <string.h>

#include "monitor/arch/arch.h"

/* Whether ADDR is in the code that a program starts with, which calls once. */
static bool is_start_code(const struct address_space *space, uint64_t addr)
{
	const struct mapping *m = address_space_find(space, addr);
	const struct elf_image *image = m ? m->module->image : NULL;

	return image && image->entry &&
	       addr - m->bias - image->entry < START_CODE;
}

/*
 * The uses of functions tell which one the frame is of.  The return address of
 * a candidate has to be behind a direct call of exactly that start, or, if its
 * address is taken, behind a call through a pointer; no two of the latter may
 * differ.  The start code may also lead there by jumps (musl's libc.so).
 */
enum no_cfi_result start_by_uses(struct no_cfi_frame *f)
{
	const struct mapping *mapping = f->mapping;
	struct unwind_code *code = unwind_code(mapping->module);
	struct unwind_cursor next, best = {0};
	const struct start_row *rows;
	bool found = false;
	uint64_t target;
	size_t n;

	if (code && !code->starts_tried) {
		code->starts_tried = true;
		code->starts = function_starts_open(mapping->module->image);
	}
	if (!code || !code->starts)
		return NO_CFI_NONE;
	n = function_starts_rows(code->starts, f->c->ip - mapping->bias, &rows);
	for (size_t i = 0; i < n; i++) {
		uint64_t start = rows[i].start + mapping->bias;

		if (frame_try(f, rows[i].row, &next) == TRUST_NONE ||
			return_to(f->snapshot, f->space, next.ip, start,
				&target) == TRUST_NONE)
			continue;
		if (target == start || is_start_code(f->space, next.ip))
			return frame_go(f, &next);
		if (target || !(rows[i].how & START_TAKEN))
			continue;
		if (found && (next.sp != best.sp || next.fp != best.fp))
			return NO_CFI_NONE;
		found = true;
		best = next;
	}
	return found ? frame_go(f, &best) : NO_CFI_NONE;
}

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

/*
 * glibc's clone and clone3 have unwind information except for the instructions
 * from the system call to the branch to the new thread's own code (6 % of the
 * samples of a program with many short threads were there); musl's clone has
 * none at all.
 */
bool start_of_thread(const struct snapshot *snapshot,
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
