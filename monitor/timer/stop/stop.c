#include "monitor/timer/stop/stop.h"

#include "lib/clock.h"
#include "monitor/collection.h"

/* How long a thread attached to may make system calls unseen, if it wakes. */
#define ENGAGE_NS 10000000

void stop_link(struct stop *stop, const struct stop_links *links)
{
	struct poller *poller = &stop->poller;
	struct tracer *tracer = &stop->tracer;

	poller->sampler = tracer->sampler = links->sampler;
	poller->sync = tracer->sync = links->sync;
	poller->arg = tracer->arg = links->arg;
	poller->events = links->events;
	poller->collection = stop->timers.collection = links->collection;
	poller->off = stop->timers.off = !links->collection->on;
	tracer->timers = &stop->timers;
	tracer->poller = poller;
	tracer->control = links->control;
}

void *stop_impl(struct stop *stop, unsigned needs)
{
	if (needs & TIMER_NEEDS_POLLER)
		return &stop->poller;
	return needs & TIMER_NEEDS_TRACE ? &stop->timers : NULL;
}

void stop_trace(struct stop *stop, unsigned needs, void (*at_exec)(void *arg),
	bool attached)
{
	struct tracer *tracer = &stop->tracer;

	tracer->at_exec = at_exec;
	tracer->leave = !(needs & TIMER_NEEDS_TRACE);
	if (needs & TIMER_NEEDS_TRACE)
		stop->poller.tracer = tracer;
	tracer->own_sideband = !(needs & TIMER_NEEDS_PERF);
	tracer->control->traced = true;
	tracer->begun = stop->attached = attached;
}

int stop_serve(struct stop *stop)
{
	const struct control *control = stop->tracer.control;
	int more = control->traced ? tracer_serve(&stop->tracer) : 0;

	stop->more = more > 0;
	if (stop->attached && stop->timers.syscalls &&
		clock_now() - stop->engaged > ENGAGE_NS) {
		stop->engaged = clock_now();
		tracer_engage(&stop->tracer);
	}
	return more < 0 ? -1 : 0;
}

uint64_t stop_next(const struct stop *stop)
{
	return stop->poller.n ? stop->poller.next : UINT64_MAX;
}

int stop_collect(struct stop *stop, bool on)
{
	stop->timers.off = !on;
	return poller_turn(&stop->poller, on);
}

void stop_fini(struct stop *stop)
{
	tracer_fini(&stop->tracer);
	poller_fini(&stop->poller);
}
