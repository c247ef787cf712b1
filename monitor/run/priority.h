/*
 * priority.h - a high but limited priority for the monitor's thread.
 *
 * A flood of samples needs little time of a processor, but needs it soon: with
 * 48 threads at one sample per fault 10 to 18 % were lost at an ordinary
 * priority and none to 3 % at a real-time one, with the monitor on a processor
 * for 3 to 8 % of the time.  So the thread that reads the rings asks for the
 * lowest real-time priority, within two limits:
 *
 * - priority_rest() sleeps when the thread has recently had more than half of a
 * processor;
 * - the kernel drops the priority of a thread that does not sleep at all
 * (RLIMIT_RTTIME and its SIGXCPU), so that a defect cannot take a processor
 * from the machine; priority_rest() asks for it again.
 *
 * The priority is the thread's, not the process's.  The target may ask for its
 * parent's scheduling class, nice value or affinity, and finds what it would
 * find without cpprof.  (A nice value of -20 did as well, but
 * getpriority(PRIO_PGRP) reports the one of every thread.)
 *
 * The thread itself makes all calls.  Where a real-time priority is not allowed
 * they change nothing.
 */
#ifndef CPPROF_RUN_PRIORITY
#define CPPROF_RUN_PRIORITY

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

struct priority {
	bool raised;
	struct rlimit limit; /* as it was */
	struct sigaction action;
	uint64_t from,
		used;   /* the window: when it began, CPU time until then */
	uint64_t ended; /* when the kernel dropped it */
};

/* All signals but SIGXCPU may be blocked; other threads block that one. */
void priority_raise(struct priority *priority);

/* To be called at least each 10 ms while there is work: may sleep. */
void priority_rest(struct priority *priority);

/* Restores everything. */
void priority_drop(struct priority *priority);

#endif
