/*
 * unwind.h - from a snapshot to a call stack.
 *
 * An unwinder (monitor/stack/unwinder.h) is one row of a table; all take the
 * same snapshot and give the same kind of stack.  A failed unwind is data: an
 * incomplete stack.
 *
 * A frame is looked up at its address if the thread was exactly there (the
 * innermost frame, and one that a signal interrupted), else at its return
 * address less 1, since a call can be the last instruction of a function.
 */
#ifndef CPPROF_UNWIND_H
#define CPPROF_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/vec.h"
#include "monitor/space/address_space.h"
#include "monitor/space/module.h"
#include "monitor/stack/unwinder.h"
#include "monitor/unwind/runtime/frame.h"

extern const struct unwinder unwinders[]; /* ends with name NULL */

const struct unwinder *unwinder_named(const char *name); /* or NULL */

/* The unwinders of the table. */
void unwind_auto(struct snapshot *, const struct address_space *,
	const struct previous_stack *, struct unwind_stack *);
void unwind_fast(struct snapshot *, const struct address_space *,
	const struct previous_stack *, struct unwind_stack *);
void unwind_fp(struct snapshot *, const struct address_space *,
	const struct previous_stack *, struct unwind_stack *);
void unwind_libunwind(struct snapshot *, const struct address_space *,
	const struct previous_stack *, struct unwind_stack *);
void unwind_check(struct snapshot *, const struct address_space *,
	const struct previous_stack *, struct unwind_stack *);

/*
 * Walks SNAPSHOT by libunwind up to and including frame number INDEX (the
 * frames before it are taken as known), then gives the registers of its caller.
 * False when libunwind cannot do it either.
 */
bool unwind_libunwind_step(struct snapshot *snapshot,
	const struct address_space *space, size_t index,
	struct unwind_cursor *caller);

/*
 * The caller of a frame in code of MAPPING without unwind information
 * (generated code, assembly).  (no_cfi.c)
 */
enum no_cfi_result unwind_no_cfi(struct snapshot *snapshot,
	const struct address_space *space, const struct mapping *mapping,
	struct unwind_cursor *c);

#define UNWIND_EXAMPLES 32

/* The result of the unwinder "check". */
struct unwind_check {
	uint64_t samples, frames; /* compared */
	uint64_t differ;  /* samples where libunwind has another frame */
	uint64_t shorter; /* ends [truncated] where libunwind continues */
	uint64_t longer;  /* continues where libunwind gives up */
	size_t nexamples;
	struct unwind_example { /* the first of each kind */
		struct unwind_frame from, ours, theirs; /* module NULL: none */
		uint64_t count;
	} examples[UNWIND_EXAMPLES];
};

/* An example in words: "libc.so.6+0x1234: ..."; for notes. */
void unwind_check_describe(
	const struct unwind_example *example, char *text, size_t size);

#endif
