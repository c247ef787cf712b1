/*
 * unwinder.h - the interface of an unwinder.
 *
 * The unwinders are in monitor/unwind/.
 */
#ifndef CPPROF_STACK_UNWINDER_H
#define CPPROF_STACK_UNWINDER_H

#include "monitor/stack/previous.h"
#include "monitor/stack/snapshot.h"

struct address_space;
struct unwind_check;

enum unwind_end { /* why the stack ends where it does */
	UNWIND_WHOLE,
	UNWIND_NO_STACK,    /* no user mode */
	UNWIND_NO_MODULE,   /* an address in no mapping */
	UNWIND_NO_RULE,     /* no unwind information, and nothing else led on */
	UNWIND_NO_MEMORY,   /* the copy of the stack was too short */
	UNWIND_NO_PROGRESS, /* the stack pointer did not move outward */
	UNWIND_TOO_DEEP,
};

/*
 * A stack: the FOUND frames, innermost first, and outside of them the first
 * KEPT frames of the thread's previous stack.
 */
struct unwind_stack {
	unwind_frames found;
	size_t kept;
	enum unwind_end end;
	struct unwind_check
		*check; /* the unwinder "check" compares here; else NULL */
};

void unwind_stack_fini(struct unwind_stack *stack);

/* A new frame of FOUND; NULL, and the stack's end, when there are too many. */
struct unwind_frame *unwind_push(struct unwind_stack *stack);

struct unwinder {
	const char *name;
	const char *help;
	/* Fills STACK (its old frames are dropped).  PREVIOUS is the thread's,
	   or an empty one. */
	void (*unwind)(struct snapshot *snapshot,
		const struct address_space *space,
		const struct previous_stack *previous,
		struct unwind_stack *stack);
};

#endif
