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

/*
 * Whether the thread, which has stopped at TIME and was found to be able to run
 * after POLLED, when it had these times, did not run then.  In line since about
 * POLLED is one whose processor the monitor took to poll.
 */
bool thread_was_in_line(pid_t pid, pid_t tid, const struct thread_times *times,
	uint64_t polled, uint64_t time);

/*
 * Whether it has left its processor to wait since this was last asked, when it
 * had done so SLEEPS times; since then it has stopped STOPS times, which are no
 * waits.
 */
bool thread_has_slept(pid_t pid, pid_t tid, uint64_t *sleeps, uint64_t *stops);

/*
 * How long a system call took, without its two stops.
 *
 * Between the stops the thread waits for the tracer and for a processor: of 600
 * calls of dd that was 64 ms, and 0.16 ms were the calls'.  A thread that had
 * one turn on a processor has not waited in the call: the call took what it has
 * run for, which the kernel tells exactly of a thread that is stopped.  Of one
 * that has waited, or lost its processor, the time between the stops counts,
 * less what calls without a wait spend there outside of their turn.  Where the
 * kernel does not count turns it is all of the time between the stops.
 */
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
