/* Joins the frames of an interpreter and the native ones. */
#include "monitor/stack/mixed.h"

#include "monitor/space/module.h"

/*
 * Bytes of the interpreter's loop that an activation begins with: more than it
 * takes until its anchor is filled in (105 to 175 in the builds that were
 * looked at), less than to the first instruction of the program (237 on).
 */
#define LOOP_BEGIN 192

struct cpd_step mixed_step(const struct unwind_frame *frame)
{
	return (struct cpd_step){frame->addr, frame->module->id,
		frame->exact || frame->begins ? CPD_NODE_EXACT : 0, 0};
}

/* How many native frames STACK has; of an incomplete one none are kept. */
static size_t natives(const struct unwind_stack *stack)
{
	return stack->found.n + (stack->end == UNWIND_WHOLE ? stack->kept : 0);
}

/* The native frame number I, from the innermost on. */
static struct unwind_frame *native(const struct unwind_stack *stack,
	const struct previous_stack *previous, size_t i)
{
	return i < stack->found.n
		       ? &stack->found.v[i]
		       : &previous->frames
				  .v[stack->kept - 1 - (i - stack->found.n)];
}

/*
 * Whether the thread stands at the begin of the interpreter's loop, and the
 * first activation of MIXED is what called that: no other one is between them.
 * In each, whose native frame is as large or larger for the arguments of a
 * call, the anchor is at the same distance from that one's end, and has the
 * anchor outside of it.
 */
static bool begins(const struct unwind_stack *stack,
	const struct previous_stack *previous, const struct snapshot *snapshot,
	const struct interpreted_stack *mixed)
{
	const struct activation *a = mixed->activations.v;
	const struct unwind_frame *inner = native(stack, previous, 0);
	const struct unwind_frame *outer = native(stack, previous, a->native);
	const struct python_build *build = inner->module->python;
	uint64_t size = native(stack, previous, 1)->sp - inner->sp;
	uint64_t at = mixed->begins - inner->sp;

	if (!build || !a->native || outer->module != inner->module ||
		inner->addr - build->loop >= LOOP_BEGIN ||
		outer->addr - build->loop >= build->loop_size || at >= size)
		return false;
	for (size_t i = 1; i < a->native; i++) {
		uint64_t from = native(stack, previous, i + 1)->sp - size;
		const void *outside = snapshot_word(
			snapshot, from + at + build->layout.previous_cframe);

		if (from >= native(stack, previous, i)->sp &&
			(!outside ||
				memcmp(outside, &a->anchor, sizeof at) == 0))
			return false;
	}
	return a->anchor ==
	       native(stack, previous, a->native + 1)->sp - size + at;
}

bool mixed_place(const struct unwind_stack *stack,
	const struct previous_stack *previous, const struct snapshot *snapshot,
	struct interpreted_stack *mixed)
{
	size_t n = natives(stack), k = 0;
	struct activation *a = mixed->activations.v;

	for (size_t i = 0; i + 1 < n; i++) {
		uint64_t from = native(stack, previous, i)->sp;
		uint64_t to = native(stack, previous, i + 1)->sp;

		for (; k < mixed->activations.n && a[k].anchor >= from &&
			a[k].anchor < to;
			k++)
			a[k].native = i;
	}
	for (size_t i = k; i < mixed->activations.n; i++)
		if (a[i].n && stack->end == UNWIND_WHOLE)
			return false;
	mixed->activations.n = k;
	return k &&
	       (!mixed->begins || begins(stack, previous, snapshot, mixed));
}

/* Adds the steps of an activation's frames, outermost first. */
static bool add_activation(path_steps *steps,
	const struct interpreted_stack *mixed, const struct activation *a)
{
	for (size_t i = a->n; i-- > 0;) {
		const struct interpreted_frame *f =
			&mixed->frames.v[a->first + i];

		if (!vec_add(steps, (struct cpd_step){f->addr, f->module,
					    CPD_NODE_EXACT, 0}))
			return false;
	}
	return true;
}

bool mixed_path(const struct unwind_stack *stack,
	const struct previous_stack *previous,
	const struct interpreted_stack *mixed, path_steps *steps)
{
	size_t n = natives(stack);
	size_t k = mixed ? mixed->activations.n : 0;
	const struct activation *a = mixed ? mixed->activations.v : NULL;

	steps->n = 0;
	if (k && mixed->torn)
		n = a[k - 1].native + 1;
	for (size_t i = n; i-- > 0;) {
		struct unwind_frame *f = native(stack, previous, i);

		f->node = 0;
		if (!vec_add(steps, mixed_step(f)))
			return false;
		for (; k && a[k - 1].native == i; k--)
			if (!add_activation(steps, mixed, &a[k - 1]))
				return false;
	}
	return true;
}
