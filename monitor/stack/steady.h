/*
 * steady.h - outer frames that were read from the running thread, and whether
 * they are those of the sample.
 *
 * Where a frame is larger than the copy, nothing in the copy tells who called
 * it: of a function with a buffer of 100 KB, called by two others in turns, a
 * third of the samples were the wrong caller's when the stack was read 0.3 ms
 * later.  Such outer frames are accepted if nearly all reads find them.  A read
 * may also find another call that the caller has made since.
 *
 * A sample is wrong if the thread had other outer frames for a moment and no
 * longer at the read.  If they are found in more than 2 % of the reads, no
 * sample is accepted.
 */
#ifndef CPPROF_STACK_STEADY_H
#define CPPROF_STACK_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#define STEADY_LEAST 32
#define STEADY_MOST 1024  /* reads that are remembered */
#define STEADY_OTHERS 50  /* one in so many may find others */
#define STEADY_GAP 100000 /* ns; reads that are closer count as one */
#define STEADY_FRAMES 16  /* that a thread's table has room for */

/* What one frame's outer frames were. */
struct steady_frame {
	uint64_t frame;        /* which frame */
	uint64_t outer;        /* what its outer frames were */
	uint64_t time;         /* ns, of the last read that counts */
	uint32_t seen, others; /* reads */
	uint64_t new;          /* what the last ones found instead */
	uint32_t run;          /* so many in a row */
};

/* Zeros at the beginning. */
struct steady {
	struct steady_frame frames[STEADY_FRAMES];
};

/*
 * A read at TIME, ns, found that the frame called FRAME has the outer frames
 * called OUTER.  Whether they are accepted.
 */
bool steady_is(
	struct steady *steady, uint64_t frame, uint64_t outer, uint64_t time);

#endif
