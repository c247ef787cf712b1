/* The walk from frame to frame: by rows, by other means where there is none. */
#include "monitor/unwind/unwind.h"

#include <stdlib.h>

#include "lib/arch/arch.h"
#include "monitor/unwind/callee.h"
#include "monitor/unwind/code/code.h"
#include "monitor/unwind/code/return_address.h"
#include "monitor/unwind/lost_fp.h"
#include "monitor/unwind/runtime/goroutine.h"
#include "monitor/unwind/runtime/hand_made.h"
#include "monitor/unwind/runtime/start.h"

#define UNVERIFIED_FRAMES 256
#define FARTHEST_FP (64u << 10) /* bytes of the stack that are searched */
#define LAST_FRAMES 4 /* of a walk that failed: one may be the outermost */

enum walk_result { WALK_ON, WALK_END, WALK_FAILED };

/* One walk, from the registers of a snapshot outward. */
struct unwind_walk {
	struct snapshot *snapshot;
	const struct address_space *space;
	struct unwind_stack *stack;
	struct unwind_cursor c;
	const struct mapping *mapping;  /* of the last frame */
	const struct unwind_row *fixed; /* for all frames; NULL: their own */
	bool libunwind;                 /* may be used */
	bool outside;                   /* the walk has left the copy */
	bool tried;    /* with a frame pointer that may be wrong */
	bool doubtful; /* ... and a call that was of another function */
};

static enum walk_result failed(struct unwind_walk *w, enum unwind_end end)
{
	w->stack->end = end;
	return WALK_FAILED;
}

static enum walk_result step_signal(
	struct unwind_walk *w, struct unwind_frame *frame)
{
	struct unwind_cursor next = {.exact = true};
	uint64_t uc = w->c.sp;

	if (!snapshot_read(w->snapshot, uc + UCONTEXT_IP, &next.ip) ||
		!snapshot_read(w->snapshot, uc + UCONTEXT_SP, &next.sp) ||
		!snapshot_read(w->snapshot, uc + UCONTEXT_FP, &next.fp))
		return failed(w, UNWIND_NO_MEMORY);
	frame->step = STEP_SIGNAL;
	frame->exact = true; /* no call stands before it */
	w->c = next;
	return WALK_ON;
}

/* The caller's fp by ROW; *SLOT: the address it was read from. */
static bool find_fp(struct unwind_walk *w, struct unwind_row row, uint64_t cfa,
	uint64_t *fp, uint64_t *slot)
{
	*slot = 0;
	*fp = w->c.fp;
	if (row.fp == ROW_FP_SAME)
		return true;
	*slot = row.fp == ROW_FP_AT_FP ? w->c.fp
				       : cfa + (uint64_t)(int64_t)row.fp;
	/* In an epilogue compilers still name the place that fp was popped
	   from: it is below the stack pointer, where the copy does not reach,
	   and fp is restored. */
	if (row.fp != ROW_FP_AT_FP && *slot < w->c.sp) {
		*slot = 0;
		return true;
	}
	return snapshot_read(w->snapshot, *slot, fp);
}

/*
 * The return address IP of the frame at the cursor lies outside of the copy and
 * was read from a thread that ran on since.  The frame may have returned, and
 * another call may have left its own address there, above memory of the old
 * frames that nothing has changed yet.  It is accepted if it is behind a call
 * of exactly this function.
 */
static bool crosses(const struct unwind_walk *w, uint64_t ip)
{
	uint64_t start = callee_start(w->space, &w->c);

	return start && callee_of(w->space, ip) == start;
}

static bool calls_another(const struct unwind_walk *w, uint64_t ip)
{
	return callee_is_another(w->snapshot, w->space, &w->c, ip);
}

/* Reads the return address in SLOT. */
static bool read_return(struct unwind_walk *w, uint64_t slot, uint64_t *ip)
{
	if (!snapshot_read(w->snapshot, slot, ip))
		return false;
	if (!w->snapshot->unverified &&
		(!w->snapshot->running || snapshot_has(w->snapshot, slot)))
		return true;
	if (*ip == 0)
		return true;
	if (w->snapshot->unverified || w->outside)
		return !calls_another(w, *ip);
	w->outside = true;
	return crosses(w, *ip);
}

/*
 * Reads the frame at the cursor by ROW; false: it cannot.  Where the frame is
 * larger than the copy, of which no word tells of its caller, the words of the
 * outer ones are read unverified: a main() or thread with a large array has no
 * whole stack without.
 */
static bool read_frame(struct unwind_walk *w, struct unwind_row row,
	uint64_t cfa, struct unwind_cursor *next, uint64_t *fp_at)
{
	bool leaves = w->snapshot->running && !w->outside &&
		      !snapshot_has(w->snapshot, cfa + RETURN_FROM_CFA);

	if (leaves && frame_exceeds_copy(w->snapshot, w->c.sp))
		w->snapshot->unverified = w->stack->found.n;
	if (find_fp(w, row, cfa, &next->fp, fp_at) &&
		read_return(w, cfa + RETURN_FROM_CFA, &next->ip))
		return true;
	if (!leaves || w->snapshot->unverified ||
		!snapshot_has(w->snapshot, w->c.sp))
		return false;
	w->snapshot->unverified = w->stack->found.n;
	return find_fp(w, row, cfa, &next->fp, fp_at) &&
	       read_return(w, cfa + RETURN_FROM_CFA, &next->ip);
}

static enum walk_result step_row(struct unwind_walk *w, struct unwind_row row,
	struct unwind_frame *frame)
{
	struct unwind_cursor next = {.exact = false};
	uint64_t cfa;

	frame->step = STEP_ROW;
	switch ((enum row_kind)row.kind) {
	case ROW_SP:
		cfa = w->c.sp + (uint64_t)(int64_t)row.cfa;
		break;
	case ROW_FP:
		cfa = w->c.fp + (uint64_t)(int64_t)row.cfa;
		break;
	case ROW_FP_DEREF:
		frame->step = STEP_OTHER;
		if (!snapshot_read(w->snapshot,
			    w->c.fp + (uint64_t)(int64_t)row.cfa, &cfa))
			return failed(w, UNWIND_NO_MEMORY);
		break;
	case ROW_SIGNAL:
		return step_signal(w, frame);
	case ROW_END:
		if (row.cfa &&
			goroutine_step(w->snapshot, w->space, row.cfa, &w->c)) {
			frame->step = STEP_OTHER;
			return WALK_ON;
		}
		frame->step = STEP_END;
		w->stack->end = UNWIND_WHOLE;
		return WALK_END;
	default:
		return failed(w, UNWIND_NO_RULE);
	}
	/* where the program is being replaced its stack is gone already */
	if (!read_frame(w, row, cfa, &next, &frame->fp_at))
		return failed(w, w->snapshot->size || !w->c.exact
					 ? UNWIND_NO_MEMORY
					 : UNWIND_NO_STACK);
	if (w->tried && next.ip) {
		if (return_to(w->snapshot, w->space, next.ip, w->c.ip, NULL) ==
			TRUST_NONE)
			return failed(w, UNWIND_NO_RULE);
		w->doubtful |= calls_another(w, next.ip);
	}
	/* a function that has popped its return address may be the first */
	if (w->c.exact ? cfa < w->c.sp : cfa <= w->c.sp)
		return failed(w, UNWIND_NO_PROGRESS);
	next.sp = cfa;
	w->c = next;
	return next.ip ? WALK_ON : failed(w, UNWIND_NO_RULE);
}

/*
 * A call through a bad or empty pointer: nothing is mapped where the thread
 * is, and the return address lies on top of the stack.
 */
static bool leave_unmapped(struct unwind_walk *w)
{
	struct unwind_cursor next = w->c;

	if (w->stack->found.n ||
		!snapshot_read(w->snapshot, w->c.sp, &next.ip) ||
		!address_space_find(w->space, next.ip - 1))
		return false;
	next.sp += WORD_BYTES;
	next.exact = false;
	w->c = next;
	return true;
}

/* The caller of a frame without a row. */
static enum walk_result step_without_row(
	struct unwind_walk *w, enum row_kind kind, struct unwind_frame *frame)
{
	enum no_cfi_result found = NO_CFI_NONE;

	if (kind == ROW_UNKNOWN)
		found = unwind_no_cfi(w->snapshot, w->space, w->mapping, &w->c);
	else if (w->libunwind && unwind_libunwind_step(w->snapshot, w->space,
					 w->stack->found.n - 1, &w->c))
		found = w->c.ip ? NO_CFI_CALLER : NO_CFI_END;
	if (found == NO_CFI_CALLER)
		return WALK_ON;
	if (found == NO_CFI_NONE || kind != ROW_UNKNOWN)
		return failed(w, UNWIND_NO_RULE);
	frame->begins = w->c.exact;
	w->stack->end = UNWIND_WHOLE;
	return WALK_END;
}

static struct unwind_row row_at(const struct unwind_walk *w, uint64_t at)
{
	const struct mapping *m = w->mapping;

	return w->c.exact ? unwind_exact_row(m->module, at - m->bias)
			  : unwind_row(m->module, at - m->bias);
}

/* Whether ROW, of the frame at the cursor, counts from what is unknown. */
static bool lacks_fp(const struct unwind_walk *w, struct unwind_row row)
{
	return w->snapshot->no_fp && !w->c.fp && !w->tried &&
	       (row.kind == ROW_FP || row.kind == ROW_FP_DEREF);
}

static enum walk_result step(struct unwind_walk *w, uint32_t same);

static bool has_frame(
	const struct unwind_stack *stack, const struct unwind_cursor *c)
{
	for (size_t i = 1; i < stack->found.n; i++)
		if (stack->found.v[i].sp == c->sp &&
			stack->found.v[i].ip == c->ip)
			return true;
	return false;
}

/*
 * Walks from the cursor, with FP for its frame pointer, to STACK: whether it is
 * whole, ends below END and does not go on as OTHER does.
 */
static bool leads_out(struct unwind_walk *w, uint64_t fp, uint64_t end,
	const struct unwind_stack *other, struct unwind_stack *stack)
{
	struct unwind_walk tried = {.snapshot = w->snapshot,
		.space = w->space,
		.stack = stack,
		.c = w->c,
		.tried = true};

	tried.c.fp = fp;
	stack->found.n = 0;
	stack->end = UNWIND_NO_MEMORY;
	while (tried.c.sp < end && step(&tried, 0) == WALK_ON)
		if (stack->found.n == 1 && has_frame(other, &tried.c))
			return false;
	w->doubtful = tried.doubtful;
	return stack->end == UNWIND_WHOLE && stack->found.n > 1;
}

/*
 * Whether the frame at the cursor may be elsewhere in STACK: then what looks
 * like it can be left of an earlier call, and the function that STACK has in
 * its place may have returned.  One call by a pointer is that of main() or of
 * the thread's function, which was called once.
 */
static bool may_be_elsewhere(
	const struct unwind_walk *w, const struct unwind_stack *stack)
{
	unsigned by_pointer = 0;

	for (size_t i = 2; i + 1 < stack->found.n; i++) {
		uint64_t ip = stack->found.v[i].ip;

		if (!calls_another(w, ip) &&
			(callee_of(w->space, ip) || by_pointer++))
			return true;
	}
	return false;
}

/*
 * The frame pointer at the cursor, where neither the thread's registers nor the
 * instructions tell it (an array of variable length); 0: unknown.  It is the
 * first that makes the stack whole, by calls of its functions, if no other
 * makes another stack whole: what is left of calls that have returned can be
 * whole, too.  Nearer ones behind a call of another function are passed over,
 * but where a pointer has led to this one: the other may have jumped here.
 */
static uint64_t search_fp(struct unwind_walk *w)
{
	const uint64_t end = w->c.sp + FARTHEST_FP;
	struct unwind_stack stack = {0}, other = {0};
	uint64_t found = 0, word;
	bool passed = false;

	for (uint64_t at = w->c.sp;
		at < end && snapshot_read(w->snapshot, at, &word);
		at += WORD_BYTES) {
		if (!leads_out(w, at, end, &stack, found ? &other : &stack))
			continue;
		if (!found && w->doubtful &&
			calls_another(w, stack.found.v[1].ip)) {
			passed = true;
		} else if (found || w->doubtful ||
			   may_be_elsewhere(w, &stack) ||
			   (passed &&
				   !callee_of(w->space, stack.found.v[1].ip))) {
			found = 0;
			break;
		} else {
			found = at;
		}
	}
	unwind_stack_fini(&stack);
	unwind_stack_fini(&other);
	return found;
}

/*
 * Pushes the frame at the cursor, number SAME of the previous stack, and moves
 * to its caller.
 */
static enum walk_result step(struct unwind_walk *w, uint32_t same)
{
	uint64_t at = w->c.ip - !w->c.exact;
	struct unwind_frame *frame;
	enum walk_result result;
	struct unwind_row row;

	if (!w->mapping || at < w->mapping->start || at >= w->mapping->end)
		w->mapping = address_space_find(w->space, at);
	if (!w->mapping)
		return leave_unmapped(w) ? WALK_ON
					 : failed(w, UNWIND_NO_MODULE);
	frame = unwind_push(w->stack);
	if (!frame)
		return WALK_FAILED;
	*frame = (struct unwind_frame){
		.module = w->mapping->module,
		.addr = w->c.ip - w->mapping->bias,
		.ip = w->c.ip,
		.sp = w->c.sp,
		.fp = w->c.fp,
		.previous = same,
		.exact = w->c.exact,
	};
	row = w->fixed ? *w->fixed : row_at(w, at);
	if (lacks_fp(w, row))
		row = lost_fp_row(
			w->snapshot, w->space, w->mapping, &w->c, row);
	if ((w->fixed && !w->c.fp) || /* the start code sets it to 0 */
		(row.kind == ROW_UNKNOWN &&
			start_of_thread(w->snapshot, w->mapping, &w->c)))
		row = (struct unwind_row){.kind = ROW_END};
	if (row.kind == ROW_COMPLEX || row.kind == ROW_UNKNOWN)
		return step_without_row(w, (enum row_kind)row.kind, frame);
	if (!lacks_fp(w, row))
		return step_row(w, row, frame);
	w->c.fp = search_fp(w);
	result = step_row(w, row, frame);
	frame->step = STEP_OTHER;
	return result;
}

/* Whether IP, in SLOT, is no return address of the frame at the cursor. */
static bool is_sentinel(struct unwind_walk *w, uint64_t slot, uint64_t ip)
{
	struct sentinel sentinel = {.slot = slot,
		.word = ip,
		.ip = w->c.ip,
		.calls_another = unwind_begins_function(w->space, ip) &&
				 calls_another(w, ip)};

	return hand_made_ends_at(w->snapshot, w->space, &sentinel);
}

/*
 * The walk has failed: one of the last frames may be the outermost, and what
 * led on from it no return address.
 */
static void end_at_sentinel(struct unwind_walk *w)
{
	unwind_frames *found = &w->stack->found;
	const struct unwind_cursor last = w->c;
	size_t i = found->n > LAST_FRAMES ? found->n - LAST_FRAMES : 1;

	for (; i <= found->n; i++) {
		struct unwind_frame *f = &found->v[i - 1];
		uint64_t sp = i < found->n ? f[1].sp : last.sp;
		uint64_t ip = i < found->n ? f[1].ip : last.ip, word;

		if (f->step != STEP_ROW || sp == f->sp ||
			!snapshot_read(
				w->snapshot, sp + RETURN_FROM_CFA, &word) ||
			word != ip)
			continue;
		w->c = (struct unwind_cursor){f->ip, f->sp, f->fp, f->exact};
		w->mapping = address_space_find(w->space, f->ip - !f->exact);
		if (!is_sentinel(w, sp + RETURN_FROM_CFA, ip))
			continue;
		found->n = i;
		f->step = STEP_SENTINEL;
		f->fp_at = sp + RETURN_FROM_CFA;
		f->sentinel = ip;
		w->stack->end = UNWIND_WHOLE;
		return;
	}
}

/* The walk has failed: goes on from the first frame, as if there were none. */
static void start_again(struct unwind_walk *w, struct unwind_cursor from)
{
	w->stack->found.n = 0;
	w->snapshot->unverified = 0;
	w->outside = false;
	w->c = from;
}

/*
 * Code by hand may have routines of its own in one function, whose unwind
 * information knows nothing of their calls (LuaJIT's interpreter: 30 % of the
 * samples where a program computes remainders).  The cursor leaves such a
 * routine if the word at the stack pointer is behind a direct call into the
 * middle of the same function.
 */
static bool leave_routine(struct unwind_walk *w, struct unwind_frame first)
{
	uint64_t ip, start = callee_start(w->space, &w->c), to;

	if (!start || !snapshot_read(w->snapshot, first.sp, &ip))
		return false;
	to = callee_of(w->space, ip);
	if (to <= start || to > first.ip)
		return false;
	start_again(w, (struct unwind_cursor){
			       ip, first.sp + WORD_BYTES, first.fp, false});
	first.step = STEP_OTHER;
	w->stack->found.v[w->stack->found.n++] = first;
	return true;
}

/*
 * Where a probe replaced a function's first instruction, a push, the kernel
 * pushes the word before it moves the instruction pointer.
 */
static bool leave_push(struct unwind_walk *w, const struct unwind_frame *first)
{
	uint64_t pushed, ip, at = first->sp + WORD_BYTES;

	if (callee_start(w->space, &w->c) != first->ip ||
		!snapshot_read(w->snapshot, first->sp, &pushed) ||
		!snapshot_read(w->snapshot, at, &ip) ||
		return_to(w->snapshot, w->space, pushed, first->ip, NULL) ||
		!return_to(w->snapshot, w->space, ip, first->ip, NULL))
		return false;
	start_again(w, (struct unwind_cursor){first->ip, at, first->fp, true});
	return true;
}

/* The walk has failed: the thread may be where no row is true. */
static bool other_start(struct unwind_walk *w)
{
	struct unwind_frame *first = w->stack->found.v;

	if (!w->stack->found.n || !first->exact || w->fixed)
		return false;
	w->c = (struct unwind_cursor){first->ip, first->sp, first->fp, true};
	w->mapping = address_space_find(w->space, first->ip);
	return leave_routine(w, *first) || leave_push(w, first);
}

/* Keeps the frames of the previous stack up to its end. */
static void keep_frames(struct unwind_stack *stack, size_t kept)
{
	unwind_frames *found = &stack->found;

	stack->end = UNWIND_WHOLE;
	while (found->n && found->v[found->n - 1].previous == kept + 1) {
		found->n--;
		kept++;
	}
	stack->kept = kept;
}

/* From the cursor outward; what follows as before is of the previous stack. */
static void follow(struct unwind_walk *w, const struct previous_stack *previous)
{
	size_t next = previous_frames(previous, w->space->generation);
	uint32_t same;

	do {
		same = 0;
		if (w->snapshot->unverified &&
			w->stack->found.n - w->snapshot->unverified >
				UNVERIFIED_FRAMES) {
			w->stack->end = UNWIND_NO_MEMORY;
			return;
		}
		if (next && !w->snapshot->unverified &&
			previous_follow(previous, w->snapshot, &next, &w->c,
				&w->stack->found, &same)) {
			keep_frames(w->stack, next);
			return;
		}
	} while (step(w, same) == WALK_ON);
	if (w->stack->end != UNWIND_WHOLE)
		end_at_sentinel(w);
	if (w->stack->end == UNWIND_WHOLE)
		keep_frames(w->stack, 0);
}

static void walk(struct unwind_walk *w, const struct previous_stack *previous)
{
	w->stack->found.n = w->stack->kept = 0;
	w->stack->end = UNWIND_NO_STACK;
	if (!w->snapshot->has_regs)
		return;
	w->c = (struct unwind_cursor){w->snapshot->regs[REG_IP_],
		w->snapshot->regs[REG_SP_], w->snapshot->regs[REG_FP_], true};
	follow(w, previous);
	if (w->stack->end != UNWIND_WHOLE && other_start(w))
		follow(w, previous);
}

void unwind_auto(struct snapshot *snapshot, const struct address_space *space,
	const struct previous_stack *previous, struct unwind_stack *stack)
{
	struct unwind_walk w = {.snapshot = snapshot,
		.space = space,
		.stack = stack,
		.libunwind = true};

	walk(&w, previous);
}

void unwind_fast(struct snapshot *snapshot, const struct address_space *space,
	const struct previous_stack *previous, struct unwind_stack *stack)
{
	struct unwind_walk w = {
		.snapshot = snapshot, .space = space, .stack = stack};

	walk(&w, previous);
}

void unwind_fp(struct snapshot *snapshot, const struct address_space *space,
	const struct previous_stack *previous, struct unwind_stack *stack)
{
	static const struct unwind_row row = {
		.kind = ROW_FP, .cfa = FRAME_CFA, .fp = -FRAME_CFA};
	struct unwind_walk w = {.snapshot = snapshot,
		.space = space,
		.stack = stack,
		.fixed = &row};

	walk(&w, previous);
}
