/*
 * previous.h - the stack of a thread's last sample, to begin the next one with.
 *
 * A frame's caller follows from its registers (ip, sp, rbp) and from the words
 * that were read to find it: the return address and the saved rbp.  So when
 * the next sample's walk comes to a frame with the same three registers, and
 * these words hold the same values in its copy of the stack, the frame outside
 * of it is the same too, and so on: no rule is looked up, and where this goes
 * on to the outermost frame, the call-tree node is known as well.  (csprof,
 * Froyd et al., ICS 2005, section 3, marks the frames it has seen by a
 * trampoline in the return address; the copy makes that unnecessary.)
 *
 * A frame that was not found by a row is never taken over this way; nor is
 * anything once the address space has changed.
 *
 * A stack can be longer than the copy.  Then the frames of the trail stand for
 * the part beyond if
 *   - the copy and that of the last sample are the same, byte by byte, in the
 *     outermost TRAIL_OVERLAP bytes that both have, and so is what was read
 *     for the frames from there to the end of the copy, and
 *   - the part beyond, read now from the live process, is still as the trail
 *     has it: so it was before and after this sample.
 * Such samples are flagged, as all whose outer frames were read later.
 */
#ifndef CPPROF_STACK_PREVIOUS_H
#define CPPROF_STACK_PREVIOUS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/vec.h"
#include "monitor/stack/snapshot.h"

#define TRAIL_OVERLAP 1024

struct module;

enum unwind_step {   /* how a frame's caller was found */
	STEP_OTHER,  /* in a way that is not repeated here */
	STEP_ROW,    /* return address below the caller's sp, rbp at bp_slot */
	STEP_SIGNAL, /* registers in the ucontext at sp */
	STEP_END,    /* there is none, by the row */
	STEP_ZERO,   /* there is none: the word at bp_slot is 0 */
};

struct unwind_frame {
	struct module *module;
	uint64_t addr;       /* link-time */
	uint64_t ip, sp, bp; /* of the thread in this frame */
	uint64_t bp_slot;    /* where the caller's rbp was read; 0: nowhere */
	uint32_t node;       /* of the call tree, for the sampler; 0: not yet */
	uint32_t previous;   /* the same as that frame of the trail, from 1 */
	uint8_t step;        /* enum unwind_step */
	bool exact;          /* the thread was there; else a return address */
};

struct unwind_frames {
	struct unwind_frame *v;
	size_t n, cap; /* as VEC() has them */
};

struct unwind_previous {
	struct unwind_frames frames; /* outermost first; whole */
	uint64_t generation;         /* of the space they were found in */
	bool ordered;                /* by sp: all on one stack */
	uint8_t *copy; /* of the stack, where it nearly filled its room */
	uint64_t base;
	size_t size, room;
};

/* What is left to walk: the state after the last frame that was pushed. */
struct unwind_cursor {
	uint64_t ip, sp, bp;
	bool exact;
};

/*
 * Goes on from C with what the trail knows; NEXT is how many of its frames
 * have not been passed (at the beginning of a walk: all of them).
 *
 * True: the frames [0, *NEXT) of the trail are the rest of the stack.  False:
 * go on at C, which may have moved outward over frames that were pushed on
 * FOUND; if it now is at a frame of the trail, SAME is its number from 1.
 */
bool previous_follow(const struct unwind_previous *previous,
	struct snapshot *snapshot, size_t *next, struct unwind_cursor *c,
	struct unwind_frames *found, uint32_t *same);

/*
 * Makes the trail the stack of KEPT frames of its own and then those of FOUND
 * (innermost first), which was unwound from SNAPSHOT.  Out of memory leaves an
 * empty trail.
 */
void previous_set(struct unwind_previous *previous, size_t kept,
	const struct unwind_frames *found, const struct snapshot *snapshot);

void previous_fini(struct unwind_previous *previous);

#endif
