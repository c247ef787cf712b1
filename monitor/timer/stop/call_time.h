/*
 * call_time.h - how long a system call took, without its two stops.
 *
 * Between the stops the thread waits for the tracer and for a processor: of 600
 * calls of dd that was 64 ms, and 0.16 ms were the calls'.  A thread that had
 * one turn on a processor has not waited in the call: the call took what it has
 * run for, which the kernel tells exactly of a thread that is stopped.  Of one
 * that has waited, or lost its processor, the time between the stops counts,
 * less what calls without a wait spend there outside of their turn.  Where the
 * kernel does not count turns it is all of the time between the stops.
 */
#ifndef CPPROF_STOP_CALL_TIME_H
#define CPPROF_STOP_CALL_TIME_H

#include <stdint.h>
#include <sys/types.h>

struct call_time {      /* of a thread in a call */
	uint64_t since; /* 0: it is not timed */
	uint64_t ran, turns;
};

/* The thread is about to go on from the first stop of a call. */
void call_time_begin(struct call_time *time, pid_t pid, pid_t tid);

/*
 * It has come to the second at NOW: the call's time, ns.  AROUND is the run's
 * mean time outside of a turn, 0 at its start.
 */
uint64_t call_time_end(const struct call_time *time, uint64_t *around,
	pid_t pid, pid_t tid, uint64_t now);

#endif
