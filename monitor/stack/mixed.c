/* Joins the frames of an interpreter and the native ones. */
#include "monitor/stack/mixed.h"

#include "monitor/space/module.h"

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

bool mixed_place(const struct unwind_stack *stack,
	const struct previous_stack *previous, struct interpreted_stack *mixed)
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
	return k;
}

/* Adds the steps of an activation's frames, outermost first. */
static bool add_activation(struct path_steps *steps,
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
	const struct interpreted_stack *mixed, struct path_steps *steps)
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
