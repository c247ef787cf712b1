/*
 * counting.h - what the counting object, in the target, and the monitor share.
 *
 * The object stands before libc's malloc and the like.  It counts a thread's
 * requests and their bytes down, and calls cpprof_passed() with the thread's
 * state, on which the monitor has a probe, when an interval has passed.  For a
 * monitor that has no probes but stops the thread at its system calls it makes
 * one: read(-1, state, COUNTING_STOP), which does nothing.
 *
 * Fixed sizes only: BPF programs read it.
 */
#ifndef CPPROF_INPROCESS_COUNTING_H
#define CPPROF_INPROCESS_COUNTING_H

#include <linux/types.h>

#include "lib/run/counting_object.h"

/* The function in the object that is probed. */
#define COUNTING_PASSED "cpprof_passed"
#define COUNTING_STOP 0x63707072 /* as a number for the assembler, too */

/*
 * "RUN:BYTES:REQUESTS:SPREAD:STOPS:FOLLOWS:MONITOR:FD:FIRST", in decimal: the
 * number of the run, the intervals (0: not counted), the percent that they vary
 * by, 1 for a monitor that sees system calls, a bit for each enum counting
 * whose sampled requests are followed to the end of their blocks, the monitor's
 * process and its descriptor of the memory for contexts (0: not counted), and 1
 * for the run's first program: its first thread has whole intervals from the
 * beginning.
 */
#define COUNTING_VARIABLE "CPPROF_COUNT"

/* More bytes in one request are no request: they cannot be had. */
#define COUNTING_MOST (1ull << 47)

enum counting { COUNTING_BYTES, COUNTING_REQUESTS, COUNTINGS };

/* A thread's, for cpprof_passed(). */
struct counting_report {
	/* Until the interval has passed, less one; negative: it has. */
	__s64 left[COUNTINGS];
	__u64 frees;               /* blocks, since the last one */
	__u64 consumed[COUNTINGS]; /* since the last one */
	/* How far the next hit is from where what the last one stands for ends;
	   each stands for an interval. */
	__u64 step[COUNTINGS];
	__u32 hits[COUNTINGS]; /* samples that are due */
	__u32 begins;          /* the thread's first report */
	__u32 run;             /* whose settings */
	/* The process's number for the block that the request got, if its end
	   will be reported; 0: it will not. */
	__u32 block;
	/* The report is of the end of that block, and of nothing else. */
	__u32 ended;
};

#define FREES_UNSEEN 65536

/* Of one thread; all zero before its first request. */
struct counting_state {
	struct counting_report report; /* its address is the state's */
	/* What report.left began with: the difference is in no report yet. */
	__s64 from[COUNTINGS];
	/* The blocks that are in no report yet, less FREES_UNSEEN: from 0 on
	   the thread looks whether it is to report them. */
	__s64 freed;
};

/* Of a thread that has reported: its blocks that are in no report yet. */
static inline __u64 counting_freed(const struct counting_state *state)
{
	return (__u64)(state->freed + FREES_UNSEEN);
}

#endif
