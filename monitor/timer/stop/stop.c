/* Holds tracer, poller and their timers together for the run. */
#include "monitor/timer/stop/stop.h"

#include <stdlib.h>

#include "lib/clock.h"
#include "monitor/base/collection.h"

/* How long a thread that was attached to may run before its calls are seen. */
#define ENGAGE_NS 10000000

/*
 * So long the monitor looks for the stop of a thread that it has interrupted,
 * before it sleeps: a virtual processor wakes up in 50 us, and the thread would
 * stand for these.
 */
#define AWAIT_NS 50000

struct stop *stop_new(const struct stop_links *links)
{
	struct stop *stop = calloc(1, sizeof *stop);

	if (!stop)
		return NULL;
	stop->traced.sampler = stop->poller.sampler = links->sampler;
	stop->traced.sync = stop->poller.sync = links->sync;
	stop->traced.arg = stop->poller.arg = stop->tracer.arg = links->arg;
	stop->poller.events = links->events;
	stop->poller.collection = stop->timers.collection = links->collection;
	stop->poller.off = stop->timers.off = !links->collection->on;
	stop->timers.traced = stop->tracer.traced = &stop->traced;
	stop->tracer.timers = &stop->timers;
	stop->tracer.poller = &stop->poller;
	stop->tracer.control = links->control;
	return stop;
}

void stop_free(struct stop *stop)
{
	if (!stop)
		return;
	exceptions_end(&stop->timers.exceptions);
	tracees_fini(&stop->traced.tracees);
	tracee_stack_fini(&stop->traced.stack);
	tracee_stack_fini(&stop->poller.stack);
	free(stop);
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
	if (stop->poller.traces)
		stop->poller.traced = &stop->traced;
	stop->traced.own_sideband = !(needs & TIMER_NEEDS_PERF);
	tracer->control->traced = true;
	tracer->begun = stop->attached = attached;
}

int stop_start(struct stop *stop, uint64_t time)
{
	stop->started = true;
	return poller_start(&stop->poller, time);
}

int stop_serve(struct stop *stop)
{
	const struct control *control = stop->tracer.control;
	int more = control->traced ? tracer_serve(&stop->tracer) : 0;

	stop->more = more > 0;
	if (stop->started &&
		((stop->attached && stop->traced.syscalls) ||
			stop->timers.exceptions.wanted) &&
		clock_now() - stop->engaged > ENGAGE_NS) {
		stop->engaged = clock_now();
		tracer_engage(&stop->tracer);
	}
	return more < 0 ? -1 : 0;
}

bool stop_is_refused(const struct stop *stop, struct err *why)
{
	if (!stop->tracer.control->traced || !stop->tracer.refused.reason[0])
		return false;
	*why = stop->tracer.refused;
	return true;
}

uint64_t stop_next(const struct stop *stop)
{
	const struct poller *p = &stop->poller;

	if (clock_now() - p->interrupted < AWAIT_NS)
		return 0;
	return p->n ? p->next : UINT64_MAX;
}

int stop_collect(struct stop *stop, bool on)
{
	stop->timers.off = !on;
	/* its exceptions are unmasked when a thread has stopped again */
	for (size_t i = 0; stop->timers.exceptions.wanted &&
			   i < stop->traced.tracees.threads.n;
		i++) {
		struct tracee *o = stop->traced.tracees.threads.v[i].thing;

		o->engaged = false;
	}
	return poller_collect(&stop->poller, on);
}
