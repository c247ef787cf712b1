/*
 * hand_made.h - stacks made by hand: coroutines, goroutines, what
 * makecontext(3) and start code make.
 */
#ifndef CPPROF_UNWIND_HAND_MADE_H
#define CPPROF_UNWIND_HAND_MADE_H

#include "monitor/unwind/runtime/frame.h"

/* The frame is the outermost one: what was put there as its address. */
enum no_cfi_result hand_made_begins(struct no_cfi_frame *f);

/* What stands where the frame at IP should have its return address. */
struct sentinel {
	uint64_t slot, word, ip;
	bool calls_another; /* a function begins there, behind a direct call of
			       another one than this frame's */
};

/* Whether that word was put there by hand, and the frame is the outermost one.
 */
bool hand_made_ends_at(struct snapshot *snapshot,
	const struct address_space *space, const struct sentinel *sentinel);

#endif
