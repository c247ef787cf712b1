/* Has a stack unwound, and makes it a node of the call tree. */
#include "monitor/stack/thread_stack.h"

#include <stdlib.h>

#include "monitor/space/address_space.h"
#include "monitor/space/module.h"

#define FRAMES_MAX (4u << 20) /* of a stack */

/*
 * A stack beyond its copy shortens this many rounds, so that the next one is
 * read from the live process soon.  One that is not whole for all that halves
 * their number, down to the least; after that only one in so many shortens any.
 * A compiler had 300 such stacks in 80 000, whose rounds of 0.25 ms took 5 % of
 * the monitor's time.
 */
#define SHORT_ROUNDS 100
#define SHORT_ROUNDS_LEAST 6
#define FAILURES_A_TRY 16

#define STACK_NS 250000 /* before stacks change */
#define CODE_NS 5000000 /* before generated code does */

struct unwind_frame *unwind_push(struct unwind_stack *stack)
{
	unwind_frames *frames = &stack->found;

	if (frames->n >= FRAMES_MAX ||
		(frames->n == frames->cap &&
			!vec_reserve(frames, frames->n + 64))) {
		stack->end = UNWIND_TOO_DEEP;
		return NULL;
	}
	return &frames->v[frames->n++];
}

void unwind_stack_fini(struct unwind_stack *stack)
{
	vec_free(&stack->found);
	free(stack->check);
	stack->check = NULL;
}

void stack_taker_fini(struct stack_taker *taker)
{
	unwind_stack_fini(&taker->stack);
	vec_free(&taker->steps);
	live_fini(&taker->live);
}

uint64_t stack_taker_round(struct stack_taker *taker, uint64_t most)
{
	bool code = taker->short_for_code && taker->short_for_code--;

	if (taker->short_for_stack && taker->short_for_stack--)
		return STACK_NS;
	return code && most > CODE_NS ? CODE_NS : most;
}

/* A stack beyond its copy is WHOLE, or not. */
static void shorten(struct stack_taker *taker, bool whole)
{
	unsigned failed = taker->failed, rounds = 0;

	if (whole)
		failed = 0;
	if (failed < 8 && SHORT_ROUNDS >> failed >= SHORT_ROUNDS_LEAST)
		rounds = SHORT_ROUNDS >> failed;
	else if (failed % FAILURES_A_TRY == 0)
		rounds = SHORT_ROUNDS_LEAST;
	if (taker->short_for_stack < rounds)
		taker->short_for_stack = rounds;
	taker->failed = whole ? 0 : failed + 1;
}

/* The node of the frames that were found, below NODE; 0: as stack_take(). */
static uint32_t node_below(struct stack_taker *taker, uint32_t node)
{
	unwind_frames *found = &taker->stack.found;
	struct cpd_step *steps;

	if (!vec_reserve(&taker->steps, found->n))
		return 0;
	steps = taker->steps.v;
	for (size_t i = found->n; i-- > 0;)
		*steps++ = mixed_step(&found->v[i]);
	node = cpd_node_path(taker->writer, node, taker->steps.v, found->n);
	for (size_t i = 0; i < found->n; i++)
		found->v[i].node = (--steps)->node;
	return node;
}

/*
 * The node of the stack that was just unwound; 0: as stack_take().  During an
 * exec the registers are those of the former program, whose stack is gone.
 */
static uint32_t node_of(struct stack_taker *taker, struct thread_stack *thread,
	struct snapshot *snapshot, const struct address_space *space,
	struct taken_stack *taken)
{
	const struct unwind_stack *stack = &taker->stack;
	bool empty = stack->found.n == 0 && !stack->kept;
	struct interpreted_stack *interpreted = snapshot->interpreted;
	uint32_t node = 0;
	bool mixed;

	taken->truncated = taken->interpreted = false;
	if (stack->end == UNWIND_NO_STACK ||
		(empty && (!space->maps.n || !snapshot->size)))
		return cpd_node(taker->writer, 0, 0, CPD_NO_STACK, 0);
	taken->interpreted =
		interpreted &&
		mixed_place(stack, &thread->previous, snapshot, interpreted);
	taken->truncated = stack->end != UNWIND_WHOLE || empty ||
			   (taken->interpreted && interpreted->torn);
	if (stack->kept)
		node = thread->previous.frames.v[stack->kept - 1].node;
	/* a mixed one before left no nodes */
	mixed = taken->interpreted || (stack->kept && !node);
	if (taken->truncated) {
		node = cpd_node(taker->writer, 0, 0, CPD_TRUNCATED, 0);
		if (!node)
			return 0;
	} else if (mixed) {
		node = 0;
	}
	if (mixed)
		return mixed_path(stack, &thread->previous,
			       taken->interpreted ? interpreted : NULL,
			       &taker->steps)
			       ? cpd_node_path(taker->writer, node,
					 taker->steps.v, taker->steps.n)
			       : 0;
	return node_below(taker, node);
}

/*
 * Whether the frames outside of the one before FRAMES are the code that starts
 * a thread or main(): in one module, which is not its own, up to the outermost.
 * That code calls it once.
 */
static bool starts_thread(const struct unwind_frame *frames, size_t n)
{
	const struct module *module = frames[0].module;

	for (size_t i = 0; i < n; i++)
		if (frames[i].module != module && frames[i].step != STEP_END)
			return false;
	return module != frames[-1].module;
}

/* Drops the frames that may not be those of the sample. */
static void drop_unverified(
	struct snapshot *snapshot, struct unwind_stack *stack)
{
	size_t n = stack->found.n - snapshot->unverified;

	if (!snapshot->unverified ||
		(stack->end == UNWIND_WHOLE && n &&
			starts_thread(
				stack->found.v + snapshot->unverified, n)))
		return;
	if (stack->end == UNWIND_WHOLE)
		stack->end = UNWIND_NO_MEMORY;
	stack->found.n = snapshot->unverified;
	snapshot->read_later = false;
}

/* The stack pointer of the outermost frame; 0: it is not known. */
static uint64_t outermost(
	const struct unwind_stack *stack, const struct previous_stack *previous)
{
	if (stack->end != UNWIND_WHOLE)
		return 0;
	if (stack->kept)
		return previous->frames.v[0].sp;
	return stack->found.n ? stack->found.v[stack->found.n - 1].sp : 0;
}

int stack_take(struct stack_taker *taker, struct thread_stack *thread,
	struct snapshot *snapshot, const struct address_space *space,
	struct taken_stack *taken)
{
	struct unwind_stack *stack = &taker->stack;

	if (!snapshot->read_memory) /* the kernel took it some time ago */
		live_attach(&taker->live, snapshot);
	snapshot->unverified = 0;
	taker->unwinder->unwind(snapshot, space, &thread->previous, stack);
	drop_unverified(snapshot, stack);
	taken->node = node_of(taker, thread, snapshot, space, taken);
	taken->read_later = snapshot->read_later;
	taken->call = snapshot->call;
	taken->address = snapshot->address;
	taken->inner = snapshot->has_regs ? snapshot->regs[REG_SP_] : 0;
	taken->outer = outermost(stack, &thread->previous);
	if (!taken->node)
		return -1;
	if (stack->end == UNWIND_WHOLE)
		previous_set(&thread->previous, stack->kept, &stack->found,
			snapshot, space->generation);
	if (snapshot->size < snapshot->room && snapshot->size &&
		(stack->end != UNWIND_WHOLE || snapshot->read_later))
		live_fill_hole(&taker->live, snapshot);
	if (taker->live.asked)
		shorten(taker, stack->end == UNWIND_WHOLE);
	if (stack->found.n && stack->found.v[0].module->kind == CPD_MODULE_ANON)
		taker->short_for_code = SHORT_ROUNDS;
	return 0;
}
