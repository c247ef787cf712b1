/*
 * call_time.h - how long a system call took, without its two stops.
 *
 * Between the stops the thread waits for the tracer and for a processor, and
 * runs through the kernel's code of the stops: of 600 calls of dd that was
 * 64 ms, and 0.16 ms were the calls'.  A thread that had one turn on a
 * processor has not waited in the call: the call took what it has run for
 * (which the kernel tells exactly of a thread that is stopped), less what the
 * cheapest of the run's first calls of some kinds has, which every program
 * begins with.  Of one that has waited, or lost its processor, the time between
 * the stops counts, less what calls without a wait spend there outside of their
 * turn.
 *
 * Where the kernel does not count turns it is all of the time between the
 * stops.
 */
#ifndef CPPROF_STOP_CALL_TIME_H
#define CPPROF_STOP_CALL_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct call_time { /* of a thread in a call */
	uint64_t nr, since, ran, turns;
	bool told; /* by the kernel: the latter two */
};

struct call_costs {      /* of a run; zeros at its start */
	unsigned calls;  /* cheap ones that were measured */
	uint64_t least;  /* that the thread has run for in one of them, ns */
	uint64_t around; /* mean time outside of its turn, ns */
};

/* Whether to measure call NR, though nobody asks for its time. */
bool call_costs_want(const struct call_costs *costs, uint64_t nr);

/* The thread is about to go on from the first stop of call NR. */
void call_time_begin(struct call_time *time, uint64_t nr, pid_t pid, pid_t tid);

/* It has come to the second at NOW: the call's time, ns. */
uint64_t call_time_end(const struct call_time *time, struct call_costs *costs,
	pid_t pid, pid_t tid, uint64_t now);

#endif
