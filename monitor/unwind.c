#include "unwind.h"

#include <stdlib.h>

const struct unwinder unwinders[] = {
	{"auto", "rows from call frame information, then libunwind",
		unwind_auto},
	{"libunwind", "libunwind alone, slow, for comparison",
		unwind_libunwind},
	{0},
};

enum step { STEP_ON, STEP_END, STEP_FAILED };

/* Offsets in the ucontext a signal frame's stack pointer points to. */
enum { UCONTEXT_RBP = 120, UCONTEXT_RSP = 160, UCONTEXT_RIP = 168 };

static enum step step_signal(struct snapshot *snapshot, struct unwind_cursor *c,
	struct unwind_stack *stack)
{
	struct unwind_cursor next = {.exact = true};

	if (!snapshot_read(snapshot, c->sp + UCONTEXT_RIP, &next.ip) ||
		!snapshot_read(snapshot, c->sp + UCONTEXT_RSP, &next.sp) ||
		!snapshot_read(snapshot, c->sp + UCONTEXT_RBP, &next.bp)) {
		stack->end = UNWIND_NO_MEMORY;
		return STEP_FAILED;
	}
	*c = next;
	return STEP_ON;
}

/*
 * In an epilogue compilers still name the slot that rbp was popped from: below
 * the stack pointer, where the copy does not reach and rbp is restored.
 */
static bool restore_rbp(struct snapshot *snapshot, uint64_t slot,
	const struct unwind_cursor *c, uint64_t *bp)
{
	return slot < c->sp || snapshot_read(snapshot, slot, bp);
}

/* The caller's registers by ROW. */
static enum step step_row(struct snapshot *snapshot, struct row row,
	struct unwind_cursor *c, struct unwind_stack *stack)
{
	struct unwind_cursor next = {.bp = c->bp};
	uint64_t cfa;
	bool got = true;

	switch ((enum row_kind)row.kind) {
	case ROW_RSP:
		cfa = c->sp + (uint64_t)(int64_t)row.cfa;
		break;
	case ROW_RBP:
		cfa = c->bp + (uint64_t)(int64_t)row.cfa;
		break;
	case ROW_RBP_DEREF:
		got = snapshot_read(
			snapshot, c->bp + (uint64_t)(int64_t)row.cfa, &cfa);
		break;
	case ROW_SIGNAL:
		return step_signal(snapshot, c, stack);
	case ROW_END:
		stack->end = UNWIND_WHOLE;
		return STEP_END;
	default:
		stack->end = UNWIND_NO_RULE;
		return STEP_FAILED;
	}
	if (got && row.rbp == ROW_RBP_AT_RBP)
		got = snapshot_read(snapshot, c->bp, &next.bp);
	else if (got && row.rbp != ROW_RBP_SAME)
		got = restore_rbp(snapshot, cfa + (uint64_t)(int64_t)row.rbp, c,
			&next.bp);
	if (!got || !snapshot_read(snapshot, cfa - 8, &next.ip)) {
		stack->end = UNWIND_NO_MEMORY;
		return STEP_FAILED;
	}
	next.sp = cfa;
	if (cfa <= c->sp) {
		stack->end = UNWIND_NO_PROGRESS;
		return STEP_FAILED;
	}
	*c = next;
	return STEP_ON;
}

/*
 * A call through a bad or empty pointer: nothing is mapped where the thread
 * is, and the return address lies on top of the stack.
 */
static bool leave_nowhere(struct snapshot *snapshot, const struct space *space,
	struct unwind_cursor *c)
{
	struct unwind_cursor next = *c;

	if (!snapshot_read(snapshot, c->sp, &next.ip) ||
		!space_find(space, next.ip - 1))
		return false;
	next.sp += 8;
	next.exact = false;
	*c = next;
	return true;
}

static bool push_frame(struct unwind_stack *stack,
	const struct mapping *mapping, const struct unwind_cursor *c)
{
	struct unwind_frame *frame;

	if (stack->frames.n >= UNWIND_MAX_FRAMES ||
		!(frame = vec_push(&stack->frames))) {
		stack->end = UNWIND_TOO_DEEP;
		return false;
	}
	*frame = (struct unwind_frame){
		mapping->module, c->ip - mapping->bias, c->exact};
	return true;
}

static enum step step(struct snapshot *snapshot, const struct space *space,
	const struct mapping *mapping, struct unwind_cursor *c,
	struct unwind_stack *stack)
{
	struct row row =
		module_row(mapping->module, c->ip - mapping->bias - !c->exact);
	bool found;

	if (row.kind != ROW_COMPLEX && row.kind != ROW_UNKNOWN)
		return step_row(snapshot, row, c, stack);
	stack->end = UNWIND_NO_RULE;
	if (row.kind == ROW_UNKNOWN)
		found = unwind_bare(snapshot, space, c->exact, c);
	else
		found = unwind_libunwind_step(
			snapshot, space, stack->frames.n - 1, c);
	return found ? STEP_ON : STEP_FAILED;
}

void unwind_auto(struct snapshot *snapshot, const struct space *space,
	struct unwind_stack *stack)
{
	struct unwind_cursor c = {snapshot->regs[REG_IP_],
		snapshot->regs[REG_SP_], snapshot->regs[REG_BP_], true};

	stack->frames.n = 0;
	stack->end = UNWIND_NO_STACK;
	if (!snapshot->has_regs)
		return;
	for (;;) {
		const struct mapping *mapping =
			space_find(space, c.ip - !c.exact);

		if (c.ip == 0 && !c.exact) { /* some runtimes end so */
			stack->end = UNWIND_WHOLE;
			return;
		}
		if (!mapping) {
			stack->end = UNWIND_NO_MODULE;
			if (stack->frames.n == 0 &&
				leave_nowhere(snapshot, space, &c))
				continue;
			return;
		}
		if (!push_frame(stack, mapping, &c) ||
			step(snapshot, space, mapping, &c, stack) != STEP_ON)
			return;
	}
}

void unwind_stack_fini(struct unwind_stack *stack)
{
	vec_free(&stack->frames);
}
