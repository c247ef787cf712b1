/* Goes on where a goroutine left off for another stack. */
#include "monitor/unwind/runtime/goroutine.h"

#include "monitor/unwind/code/code.h"

#define GOROUTINE_READ(arg, to, n, addr)                                       \
	!((struct snapshot *)(arg))->peek((struct snapshot *)(arg), addr, to, n)
#include "monitor/stack/left_goroutine.h"

/* Finds where it left off, unless the sample has it. */
static bool find_left(struct snapshot *snapshot)
{
	struct left_goroutine left;
	uint64_t block;

	if (snapshot->left_sp)
		return true;
	if (snapshot->running || !snapshot->peek ||
		!thread_block_of_tracee(snapshot->pid, &block) ||
		!goroutine_left(
			snapshot, block, snapshot->regs[REG_SP_], &left))
		return false;
	snapshot->left_sp = left.sp;
	snapshot->left_ip = left.ip;
	return left.sp;
}

bool goroutine_step(struct snapshot *snapshot,
	const struct address_space *space, struct unwind_cursor *c)
{
	struct unwind_cursor next = {.fp = c->fp};
	const struct mapping *m;
	struct unwind_row row;

	if (!find_left(snapshot))
		return false;
	next.ip = snapshot->left_ip;
	next.sp = snapshot->left_sp;
	m = address_space_find(space, next.ip);
	if (!m)
		return false;
	/* mostly an address that stands for the call of the function at C */
	if (unwind_stands_for_call(m->module, next.ip - m->bias)) {
		row = unwind_exact_row(m->module, next.ip - m->bias);
		next.sp += (uint64_t)(int64_t)row.cfa;
		if (row.kind != ROW_SP ||
			!snapshot_read(
				snapshot, next.sp + RETURN_FROM_CFA, &next.ip))
			return false;
	}
	*c = next;
	return true;
}
