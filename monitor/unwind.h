/*
 * unwind.h - from a snapshot to a call stack.
 *
 * An unwinder is one row of a table; all take the same snapshot and give the
 * same kind of stack.  A failed unwind is data: a stack that is not whole.
 *
 * Frames are looked up at their address where the thread was just there (the
 * innermost frame, and one that a signal interrupted), at their return address
 * less 1 otherwise, since a call can be the last instruction of a function.
 */
#ifndef CPPROF_UNWIND_H
#define CPPROF_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/vec.h"
#include "snapshot.h"
#include "space.h"

#define UNWIND_MAX_FRAMES (4u << 20)

struct unwind_frame {
	struct module *module;
	uint64_t addr; /* link-time */
	bool exact;    /* the thread was there; else a return address */
};

enum unwind_end { /* why the stack ends where it does */
	UNWIND_WHOLE,
	UNWIND_NO_STACK,    /* no user mode to look at */
	UNWIND_NO_MODULE,   /* an address in no mapping */
	UNWIND_NO_RULE,     /* no unwind information, and nothing else held */
	UNWIND_NO_MEMORY,   /* the copy of the stack was too short */
	UNWIND_NO_PROGRESS, /* the stack pointer did not move outward */
	UNWIND_TOO_DEEP,
};

struct unwind_stack {
	VEC(struct unwind_frame) frames; /* innermost first */
	enum unwind_end end;
};

/* What is left to walk: the state after the last frame that was pushed. */
struct unwind_cursor {
	uint64_t ip, sp, bp;
	bool exact;
};

struct unwinder {
	const char *name;
	const char *help;
	/* Fills STACK (its old frames are dropped). */
	void (*unwind)(struct snapshot *snapshot, const struct space *space,
		struct unwind_stack *stack);
};

extern const struct unwinder unwinders[]; /* ends with name NULL */

/* The rows above, for the one that combines them and for tests. */
void unwind_auto(
	struct snapshot *, const struct space *, struct unwind_stack *);
void unwind_libunwind(
	struct snapshot *, const struct space *, struct unwind_stack *);

/*
 * One libunwind walk of SNAPSHOT up to and including frame number INDEX (the
 * frames before it are taken as known), then the registers of its caller.
 * False when libunwind cannot do it either.
 */
bool unwind_libunwind_step(struct snapshot *snapshot, const struct space *space,
	size_t index, struct unwind_cursor *caller);

/*
 * The caller of a frame in code without unwind information (generated code,
 * assembly): the return address on top of the stack, if nothing was pushed
 * yet, or above the saved rbp; each is believed only if a call instruction
 * stands before it in mapped code.  False: neither is.
 */
bool unwind_bare(struct snapshot *snapshot, const struct space *space,
	bool innermost, struct unwind_cursor *c);

/* Frees what libunwind needed. */
void unwind_libunwind_fini(void);

void unwind_stack_fini(struct unwind_stack *stack);

#endif
