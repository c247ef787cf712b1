/*
 * Walks the same snapshot with our unwinder and with libunwind: counts the
 * frames where they differ, and describes the first few.
 */
#include "lib/text.h"
#include "monitor/unwind/unwind.h"

#include <stdio.h>
#include <stdlib.h>

/* Frame number I (innermost 0) of a stack. */
static const struct unwind_frame *frame_of(const struct unwind_stack *stack,
	const struct previous_stack *previous, size_t i)
{
	if (i < stack->found.n)
		return &stack->found.v[i];
	i -= stack->found.n;
	return i < stack->kept ? &previous->frames.v[stack->kept - 1 - i]
			       : NULL;
}

static bool same_frame(
	const struct unwind_frame *a, const struct unwind_frame *b)
{
	if (!a || !b)
		return a == b;
	return a->module == b->module && a->addr == b->addr;
}

static struct unwind_frame or_none(const struct unwind_frame *frame)
{
	return frame ? *frame : (struct unwind_frame){0};
}

static void remember(struct unwind_check *check,
	const struct unwind_frame *from, const struct unwind_frame *ours,
	const struct unwind_frame *theirs)
{
	struct unwind_example new = {
		or_none(from), or_none(ours), or_none(theirs), 1};
	struct unwind_example *e = check->examples;

	for (size_t i = 0; i < check->nexamples; i++, e++)
		if (same_frame(&e->from, &new.from) &&
			!e->ours.module == !new.ours.module &&
			!e->theirs.module == !new.theirs.module) {
			e->count++;
			return;
		}
	if (check->nexamples < UNWIND_EXAMPLES)
		check->examples[check->nexamples++] = new;
}

static void compare(struct unwind_check *check, const struct unwind_stack *ours,
	const struct previous_stack *previous,
	const struct unwind_stack *theirs)
{
	static const struct previous_stack none;
	const struct unwind_frame *a, *b, *last = NULL;
	size_t i = 0;

	check->samples++;
	for (;; i++) {
		a = frame_of(ours, previous, i);
		b = frame_of(theirs, &none, i);
		if (!a || !b || !same_frame(a, b))
			break;
		last = b; /* its registers are libunwind's */
		check->frames++;
	}
	if (!a && !b)
		return;
	if (!a && ours->end != UNWIND_WHOLE)
		check->shorter++;
	else if (!b && theirs->end != UNWIND_WHOLE)
		check->longer++;
	else
		check->differ++;
	remember(check, last, a, b);
}

void unwind_check(struct snapshot *snapshot, const struct address_space *space,
	const struct previous_stack *previous, struct unwind_stack *stack)
{
	struct unwind_stack theirs = {0};
	struct snapshot again;

	if (!stack->check)
		stack->check = calloc(1, sizeof *stack->check);
	unwind_auto(snapshot, space, previous, stack);
	if (!stack->check || stack->end == UNWIND_NO_STACK)
		return;
	again = *snapshot;
	again.last = 0;
	again.read_memory = NULL; /* the process may have run on since */
	unwind_libunwind(&again, space, previous, &theirs);
	compare(stack->check, stack, previous, &theirs);
	unwind_stack_fini(&theirs);
}

static void write_frame(const struct unwind_frame *f, char *text, size_t size)
{
	if (!f->module)
		snprintf(text, size, "nothing");
	else
		snprintf(text, size, "%s+0x%jx", text_base_name(f->module->key),
			(uintmax_t)f->addr);
}

void unwind_check_describe(
	const struct unwind_example *e, char *text, size_t size)
{
	char from[128], ours[128], theirs[128];

	write_frame(&e->from, from, sizeof from);
	write_frame(&e->ours, ours, sizeof ours);
	write_frame(&e->theirs, theirs, sizeof theirs);
	snprintf(text, size, "above %s: %s, by libunwind %s (%ju times)", from,
		ours, theirs, (uintmax_t)e->count);
}
