/*
 * thread_times.h - what /proc says of the time that a thread has used.
 *
 * Nothing is kept here.  A thread can end at any moment: then there is no
 * answer.
 */
#ifndef CPPROF_STOP_THREAD_TIMES_H
#define CPPROF_STOP_THREAD_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_times { /* of a thread, ns; exact when it is off its processor */
	uint64_t cpu; /* it has run for */
	uint64_t queue;  /* it could have run, but others did; 0: unknown, */
	uint64_t pushed; /* of that, after another thread took its processor;
			    as far as /proc tells, all */
	uint64_t turns;  /* on a processor; 0: unknown */
};

struct thread_modes { /* the kernel's estimate, ns, in steps of 10 ms */
	uint64_t user, system;
};

/* False: it has ended, and TIMES (or MODES) is unchanged. */
bool thread_times_read(pid_t pid, pid_t tid, struct thread_times *times);
bool thread_modes_read(pid_t pid, pid_t tid, struct thread_modes *modes);

#endif
