/*
 * stop.h - all that timers need which stop threads or look at them.
 *
 * The rest of the monitor links it to the run, has the tracer attach to who
 * runs already, and calls it in its loop.
 */
#ifndef CPPROF_STOP_H
#define CPPROF_STOP_H

#include "monitor/timer/stop/poller.h"
#include "monitor/timer/stop/stop_timer.h"
#include "monitor/timer/stop/tracer.h"

struct stop_links { /* to the run */
	struct sampler *sampler;
	struct perf_events *events;
	const struct collection *collection;
	struct control *control;
	/* Has the stream of records catch up with now; -1: failed. */
	int (*sync)(void *arg);
	void *arg;
};

struct stop { /* one in a run */
	struct stop_timers timers;
	struct tracer tracer;
	struct poller poller;
	bool attached;    /* threads ran before they were traced */
	bool more;        /* the tracer has more to do */
	uint64_t engaged; /* when it last looked for who is not */
};

void stop_link(struct stop *stop, const struct stop_links *links);

/* The impl of a timer whose kind has these NEEDS; NULL: none of here. */
void *stop_impl(struct stop *stop, unsigned needs);

/*
 * The target will be traced, for the NEEDS of all timers and to its exec where
 * AT_EXEC is not NULL.  ATTACHED: it runs already.
 */
void stop_trace(struct stop *stop, unsigned needs, void (*at_exec)(void *arg),
	bool attached);

/* Handles what stopped threads have to say; -1: failed. */
int stop_serve(struct stop *stop);

/* When a look at the threads is due; UINT64_MAX: none is. */
uint64_t stop_next(const struct stop *stop);

/* Counts, or does not; -1: no memory. */
int stop_collect(struct stop *stop, bool on);

void stop_fini(struct stop *stop);

#endif
