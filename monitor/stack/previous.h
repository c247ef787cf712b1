/*
 * previous.h - the stack of a thread's last sample, to begin the next one with.
 *
 * A frame's caller follows from its registers (ip, sp, rbp) and from the words
 * that were read to find it: the return address and the saved rbp.  So when
 * the next sample's walk comes to a frame with the same three registers, and
 * these words hold the same values in its copy of the stack, the frame outside
 * of it is the same too, and so on: no rule is looked up, and where this goes
 * on to the outermost frame, the call-tree node is known as well.  (csprof,
 * Froyd et al., ICS 2005, section 3, puts a trampoline into the return address
 * of a frame it has seen; the copy makes that unnecessary.)
 *
 * Of 100 000 frames at 1 kHz a sample takes the monitor a twentieth of the CPU
 * time that it takes without; of ordinary stacks about the same.
 *
 * A frame that was not found by a row is never taken over this way; nor is
 * anything once the address space has changed.
 *
 * A stack can be longer than the copy.  Then the frames of the previous stack
 * stand for the part beyond if
 *   - the copy and that of the last sample are the same, byte by byte, in the
 *     outermost PREVIOUS_OVERLAP bytes that both have, and so is what was read
 *     for the frames from there to the end of the copy, and
 *   - the part beyond, read now from the live process, is still as the previous
 *     stack has it: so it was before and after this sample.
 * Such samples are flagged, as all whose outer frames were read later.
 */
#ifndef CPPROF_STACK_PREVIOUS_H
#define CPPROF_STACK_PREVIOUS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/vec.h"
#include "monitor/stack/snapshot.h"

#define PREVIOUS_OVERLAP 1024

struct module;

enum unwind_step {   /* how a frame's caller was found */
	STEP_OTHER,  /* in a way that is not repeated here */
	STEP_ROW,    /* return address below the caller's sp, rbp at fp_at */
	STEP_SIGNAL, /* registers in the ucontext at sp */
	STEP_END,    /* there is none, by the row */
	STEP_ZERO,   /* there is none: the word at fp_at is 0 */
};

struct unwind_frame {
	struct module *module;
	uint64_t addr;       /* link-time */
	uint64_t ip, sp, fp; /* of the thread in this frame */
	uint64_t fp_at;      /* where the caller's rbp was read; 0: nowhere */
	uint32_t node;       /* of the call tree, 0: not yet */
	uint32_t previous;   /* the same as that frame of the previous stack,
				from 1 */
	uint8_t step;        /* enum unwind_step */
	bool exact;          /* the thread was there; else a return address */
};

struct unwind_frames {
	struct unwind_frame *v;
	size_t n, cap; /* as VEC() has them */
};

struct previous_stack {
	struct unwind_frames frames; /* outermost first; whole */
	uint64_t generation;         /* of the space they were found in */
	bool ordered;                /* by sp: all on one stack */
	uint8_t *copy; /* of the stack, where it nearly filled its room */
	uint64_t base;
	size_t size, room;
};

/* What is left to walk: the state after the last frame that was pushed. */
struct unwind_cursor {
	uint64_t ip, sp, fp;
	bool exact;
};

/* How many frames there are that hold in a space of that generation. */
static inline size_t previous_frames(
	const struct previous_stack *previous, uint64_t generation)
{
	return previous->generation == generation ? previous->frames.n : 0;
}

/*
 * Goes on from C with what the previous stack knows; NEXT is how many of its
 * frames have not been passed (at the beginning of a walk: all of them).
 *
 * True: its frames [0, *NEXT) are the rest of the stack.  False: go on at C,
 * which may have moved outward over frames that were pushed on FOUND; if it now
 * is at a frame of the previous stack, SAME is its number from 1.
 */
bool previous_follow(const struct previous_stack *previous,
	struct snapshot *snapshot, size_t *next, struct unwind_cursor *c,
	struct unwind_frames *found, uint32_t *same);

/*
 * The next sample's previous stack: the KEPT outer frames of this one and then
 * those of FOUND (innermost first), which were unwound from SNAPSHOT in a space
 * of that generation.  Out of memory leaves an empty one.
 */
void previous_set(struct previous_stack *previous, size_t kept,
	const struct unwind_frames *found, const struct snapshot *snapshot,
	uint64_t generation);

void previous_fini(struct previous_stack *previous);

#endif
