/*
 * previous.h - the stack of a thread's last sample: the next one may begin with
 * it.
 *
 * A frame's caller follows from its registers (ip, sp, fp) and from the words
 * that were read to find it: the return address and the saved frame pointer.
 * When the walk of the next sample comes to a frame with the same three
 * registers, and these words are the same in its copy of the stack, then the
 * frame outside of it is the same too, and so on.  No row is looked up, and if
 * this goes on to the outermost frame, the call-tree node is known as well.
 * (csprof, Froyd et al., ICS 2005, section 3, replaces the return address of a
 * frame it has seen; the copy makes that unnecessary.)  With stacks of 100 000
 * frames at 1 kHz the monitor takes a twentieth of the CPU time that it takes
 * without; with ordinary stacks about the same.
 *
 * A frame that was found by other means than a row is never taken over, nor is
 * any once the address space has changed.
 *
 * A stack can be longer than the copy.  Then the frames of the previous stack
 * stand for the part beyond if
 *
 * - the end of the copy is not all of one large frame,
 * - this copy and that of the last sample agree, byte by byte, in the outermost
 * PREVIOUS_OVERLAP bytes that both have, and so does what was read for the
 * frames from there to the end of the copy, and
 * - the part beyond, read now from the live process, is still as the previous
 * stack has it: so it was before and after this sample.
 *
 * Such samples are flagged, as are all whose outer frames were read later.
 */
#ifndef CPPROF_STACK_PREVIOUS_H
#define CPPROF_STACK_PREVIOUS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/vec.h"
#include "monitor/stack/snapshot.h"

#define PREVIOUS_OVERLAP 1024

struct module;

enum unwind_step {  /* how a frame's caller was found */
	STEP_OTHER, /* by means that are not repeated here */
	STEP_ROW, /* return address below the caller's sp, saved fp at fp_at */
	STEP_SIGNAL,   /* registers in the ucontext at sp */
	STEP_END,      /* outermost, by the row */
	STEP_SENTINEL, /* outermost: the word at fp_at is `sentinel`, which no
			 call has put there */
};

struct unwind_frame {
	struct module *module;
	uint64_t addr;       /* link-time */
	uint64_t ip, sp, fp; /* of the thread in this frame */
	uint64_t fp_at;      /* the address of the caller's saved fp; 0: none */
	uint64_t sentinel;
	uint32_t node;     /* of the call tree, 0: not yet */
	uint32_t previous; /* the number of the same frame in the previous
			      stack, from 1 */
	uint8_t step;      /* enum unwind_step */
	bool exact;  /* the thread was there; else it is a return address */
	bool begins; /* no call stands before that: its function begins there */
};

typedef VEC(struct unwind_frame) unwind_frames;

struct previous_stack {
	unwind_frames frames; /* outermost first; whole */
	uint64_t generation;  /* of the address space they were found in */
	bool ordered;         /* by sp: all on one stack */
	uint8_t *copy;        /* of the stack, if it nearly filled its room */
	uint64_t base;
	size_t size, room;
};

/* The state after the last frame that was pushed: where the walk continues. */
struct unwind_cursor {
	uint64_t ip, sp, fp;
	bool exact;
};

/* How many frames are valid in an address space of that generation. */
static inline size_t previous_frames(
	const struct previous_stack *previous, uint64_t generation)
{
	return previous->generation == generation ? previous->frames.n : 0;
}

/*
 * Continues from C with the frames of the previous stack; NEXT is how many of
 * them have not been passed (at the beginning of a walk: all). True: its frames
 * [0, *NEXT) are the rest of the stack.  False: continue at C, which may have
 * moved outward over frames that were pushed on FOUND; if it is now at a frame
 * of the previous stack, SAME is its number from 1.
 */
bool previous_follow(const struct previous_stack *previous,
	struct snapshot *snapshot, size_t *next, struct unwind_cursor *c,
	unwind_frames *found, uint32_t *same);

/*
 * Makes the next sample's previous stack: the KEPT outer frames of this one and
 * then those of FOUND (innermost first), which were unwound from SNAPSHOT in an
 * address space of that generation.  Without memory it is empty.
 */
void previous_set(struct previous_stack *previous, size_t kept,
	const unwind_frames *found, const struct snapshot *snapshot,
	uint64_t generation);

void previous_fini(struct previous_stack *previous);

#endif
