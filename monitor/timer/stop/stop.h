/*
 * stop.h - the part of a run that traces threads or polls them.
 *
 * The timers that count in stopped threads, or read the threads from time to
 * time, share it: it has what their arm() finds in timer->impl.  A run whose
 * timers need neither has one that does nothing.  All calls must come from one
 * thread, except stop_new(), stop_impl() and stop_free().  When that thread
 * ends, so does the tracing, and the kernel lets all threads go on.
 *
 * In this order: new; each timer's arm(); trace; tracer_seize() or
 * tracer_attach()...; start; serve, poller_poll(), collect; free.
 */
#ifndef CPPROF_STOP_STOP
#define CPPROF_STOP_STOP

#include "monitor/timer/stop/poller.h"
#include "monitor/timer/stop/stop_timer.h"
#include "monitor/timer/stop/tracer.h"

struct stop {
	struct traced traced;
	struct stop_timers timers;
	struct tracer tracer;
	struct poller poller;
	bool attached;    /* threads ran before they were traced */
	bool started;     /* by stop_start() */
	bool more;        /* the tracer has more to do */
	uint64_t engaged; /* when threads were last stopped to see their calls
			   */
};

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

/* The polled timers begin to count at TIME. */
int stop_start(struct stop *stop, uint64_t time);

/* Handles the stops that have come. */
int stop_serve(struct stop *stop);

/*
 * Whether the kernel has refused to trace on; then WHY is set.  Threads may be
 * stopped, and nothing but the end of this thread lets them go on.
 */
bool stop_is_refused(const struct stop *stop, struct err *why);

/* When the next poll is due; UINT64_MAX: none is. */
uint64_t stop_next(const struct stop *stop);

/* Counts, or does not. */
int stop_collect(struct stop *stop, bool on);

#endif
