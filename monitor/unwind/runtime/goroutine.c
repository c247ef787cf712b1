/* Goes on where a goroutine left off for another stack. */
#include "monitor/unwind/runtime/goroutine.h"

#include "monitor/unwind/code/code.h"

#define GOROUTINE_READ(arg, to, n, addr)                                       \
	!((struct snapshot *)(arg))->peek((struct snapshot *)(arg), addr, to, n)
#include "monitor/stack/left_goroutine.h"

/* By what the sample has of the goroutine, or a thread that stands still. */
static bool find_left(struct snapshot *snapshot, struct unwind_cursor *next)
{
	struct left_goroutine left = {
		.sp = snapshot->left_sp, .ip = snapshot->left_ip};
	uint64_t block;

	if (!left.sp &&
		(snapshot->running || !snapshot->peek ||
			!thread_block_of_tracee(snapshot->pid, &block) ||
			!goroutine_left(snapshot, block,
				snapshot->regs[REG_SP_], &left)))
		return false;
	next->sp = left.sp;
	next->ip = left.ip;
	return left.sp;
}

/* By the frame that the frame pointer points to. */
static bool find_frame(struct snapshot *snapshot, struct unwind_cursor *next)
{
	uint64_t cfa = next->fp + FRAME_CFA;

	next->sp = cfa;
	return snapshot_read(snapshot, cfa + RETURN_FROM_CFA, &next->ip) &&
	       snapshot_read(snapshot, cfa - FRAME_CFA, &next->fp);
}

bool goroutine_step(struct snapshot *snapshot,
	const struct address_space *space, int32_t from,
	struct unwind_cursor *c)
{
	struct unwind_cursor next = {.fp = c->fp};
	const struct mapping *m;
	struct unwind_row row;

	if (from == ROW_FROM_FRAME ? !find_frame(snapshot, &next)
				   : !find_left(snapshot, &next))
		return false;
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
