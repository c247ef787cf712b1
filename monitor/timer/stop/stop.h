/*
 * stop.h - the part of a run that traces threads or polls them.
 *
 * The timers that count in stopped threads, or read the threads from time to
 * time, share it: struct stop is what their arm() finds in timer->impl.  A run
 * whose timers need neither has one that does nothing.  All calls must come
 * from one thread, except stop_new(), stop_impl() and stop_free().  When that
 * thread ends, so does the tracing, and the kernel lets all threads go on.
 *
 * In this order: new; each timer's arm(); trace; seize or attach...; start;
 * serve, poll, collect; free.
 */
#ifndef CPPROF_STOP_STOP
#define CPPROF_STOP_STOP

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

struct collection;
struct control;
struct perf_events;
struct sampler;
struct stop;
struct thread;
struct timer;

struct stop_links { /* to the run; all outlive it */
	struct sampler *sampler;
	struct perf_events *events;
	const struct collection *collection;
	struct control *control;
	/* Has the stream of records catch up with now; -1: failed. */
	int (*sync)(void *arg);
	void *arg;
};

/* NULL: no memory. */
struct stop *stop_new(const struct stop_links *links);
void stop_free(struct stop *stop);

/* The impl of a timer whose kind has these NEEDS; NULL: none of here. */
void *stop_impl(struct stop *stop, unsigned needs);

/*
 * The target will be traced, for the NEEDS of all timers and to its exec where
 * AT_EXEC is not NULL.  ATTACHED: it runs already.
 */
void stop_trace(struct stop *stop, unsigned needs, void (*at_exec)(void *arg),
	bool attached);

/* Begins to trace the child that will become the target. */
int stop_seize(struct stop *stop, pid_t pid, struct err *err);

/*
 * Begins to trace a thread that runs already.  1: it was traced already and its
 * stops tell of it, or it is gone.  -1 with errno.
 */
int stop_attach(struct stop *stop, pid_t pid, pid_t tid);

/* It is not the target's after all: it goes on as if it had not been traced. */
void stop_leave(struct stop *stop, pid_t tid);

/* Whether the thread is traced. */
bool stop_traces(const struct stop *stop, pid_t tid);

/* Whether the target has become the program to profile. */
bool stop_has_begun(const struct stop *stop);

/* The polled timers begin to count at TIME.  -1: no memory. */
int stop_start(struct stop *stop, uint64_t time);

/* Handles the stops that have come; -1: a writer error, or no memory. */
int stop_serve(struct stop *stop);

/*
 * Whether the kernel has refused to trace on; then WHY is set.  Threads may be
 * stopped, and nothing but the end of this thread lets them go on.
 */
bool stop_is_refused(const struct stop *stop, struct err *why);

/* Whether timers count by tracing, not only up to the target's exec. */
bool stop_counts_traced(const struct stop *stop);

/* How often threads were stopped at system calls. */
uint64_t stop_call_stops(const struct stop *stop);

/* Threads that are no longer traced, as others of the target trace them. */
unsigned stop_given_up(const struct stop *stop);

/* Whether the last stop_serve() left some. */
bool stop_has_more(const struct stop *stop);

/*
 * Polls all threads if that is due, or if it is the LAST time.  -1: a writer
 * error, or no memory.
 */
int stop_poll(struct stop *stop, bool last);

/* When the next poll is due; UINT64_MAX: none is. */
uint64_t stop_next(const struct stop *stop);

/* Counts, or does not; -1: no memory. */
int stop_collect(struct stop *stop, bool on);

/* Counts no more: every thread goes on as if it were not traced. */
void stop_ignore(struct stop *stop);

/* The thread has ended: polled timers count what it consumed to its end. */
void stop_ended(struct stop *stop, struct thread *thread, uint64_t time);

/* The CPU time, ns, that polled threads had before counting began. */
uint64_t stop_before(const struct stop *stop);

#endif
