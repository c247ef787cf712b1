/*
 * mixed.h - a native stack with the frames of an interpreter in it.
 *
 * Each activation of the interpreter's loop has an anchor, a variable of the
 * native frame that runs it: the frames of that activation are called from
 * there, and call what that native frame called.
 */
#ifndef CPPROF_STACK_MIXED_H
#define CPPROF_STACK_MIXED_H

#include "monitor/interpreter/frames.h"
#include "monitor/stack/unwinder.h"

/*
 * Finds the native frames of the activations of MIXED, which STACK and the
 * frames that it keeps of PREVIOUS have in SNAPSHOT.  False: they do not belong
 * together, or nothing is known.
 */
bool mixed_place(const struct unwind_stack *stack,
	const struct previous_stack *previous, const struct snapshot *snapshot,
	struct interpreted_stack *mixed);

typedef VEC(struct cpd_step) path_steps;

/*
 * Makes STEPS the path of STACK, with what MIXED (NULL: nothing) has in it; of
 * a torn one what is inside of its outermost activation.  The frames of STACK
 * have no nodes then.  False: no memory.
 */
bool mixed_path(const struct unwind_stack *stack,
	const struct previous_stack *previous,
	const struct interpreted_stack *mixed, path_steps *steps);

/* A frame as a step of a path. */
struct cpd_step mixed_step(const struct unwind_frame *frame);

#endif
