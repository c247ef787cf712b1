/* The two kinds of timers that poll threads: with stops, and without. */
#include "monitor/perf/events.h"
#include "monitor/perf/source.h"
#include "monitor/timer/stop/stop_timer.h"
#include "monitor/timer/stop/poller.h"

static bool is_wait(const struct resource_request *request)
{
	return request->resource->counts & (COUNTS_WAITING | COUNTS_IN_LINE);
}

static bool is_time(const struct resource_request *request)
{
	return resource_is_time(request->resource);
}

static const char *warns(const struct resource_request *request)
{
	if (!(request->resource->counts & (COUNTS_CPU | COUNTS_IN_LINE)))
		return NULL;
	return "no clock of the kernel for this user: threads that run are "
	       "stopped for an instant, and a call such as epoll_wait that one "
	       "begins just then may return early (EINTR)";
}

/* Polls often enough for the shortest interval. */
static void add(struct poller *p, struct timer *timer)
{
	uint64_t period = timer->request->interval * 1000;

	p->all[p->n++] = timer;
	if (!p->period || period < p->period)
		p->period = period;
	p->randomize = timer->randomize;
	p->waits |= is_wait(timer->request);
}

static int arm_poller(struct timer *timer, struct err *err)
{
	struct poller *p = timer->impl;

	(void)err;
	add(p, timer);
	p->traces = true;
	p->stops |= warns(timer->request) != NULL;
	p->modes |= resource_is_part(timer->request->resource);
	return 0;
}

static int read_poller(
	const struct timer *timer, struct timer_count *count, struct err *err)
{
	const struct poller *p = timer->impl;

	(void)err;
	count->gticks = p->total[timer->index] / 1000;
	return 0;
}

const struct timer_kind poller_timer = {
	.name = "stop, polled",
	.costs = "none",
	.loses = "threads are stopped at each sample",
	.families = 1u << TIMER_STOP,
	.needs = TIMER_NEEDS_TRACE | TIMER_NEEDS_POLLER,
	.randomizes = true,
	.warns = warns,
	.counts = is_time,
	.can = stop_timer_can,
	.arm = arm_poller,
	.left = poller_left,
	.read = read_poller,
};

/*
 * perf's clock, for the part of `real` that is no wait, and for stacks of
 * threads that were in line for a processor.
 */
static const struct perf_source *clock_source(void)
{
	return resource_find("cpu")->perf;
}

static int can_read(const struct resource_request *request,
	struct timer_machine *machine, struct err *why)
{
	bool user_only;

	if (stop_timer_can(request, machine,
		    why)) /* the rules for /proc are the same */
		return -1;
	return perf_events_probe(
		request->name, clock_source(), &user_only, why);
}

static int arm_read(struct timer *timer, struct err *err)
{
	const struct perf_source *source = clock_source();
	struct perf_sampling sampling = timer_sampling(timer, source->scale);
	struct poller *p = timer->impl;

	add(p, timer);
	if (timer->request->resource->counts == COUNTS_WAITING)
		return 0;
	return perf_events_add(p->events, source, &sampling, err);
}

/* The time in line for a processor is where the thread runs. */
static void add_line(struct due *due)
{
	if (!(due->timer->request->resource->counts & COUNTS_CPU))
		due->hits = due->weight = 0;
	poller_ran(due->timer->impl, due);
}

static int read_read(
	const struct timer *timer, struct timer_count *count, struct err *err)
{
	const struct poller *p = timer->impl;
	uint64_t ns = 0;

	if (timer->request->resource->counts != COUNTS_WAITING &&
		perf_events_read(p->events, timer->index, &ns, &count->lost))
		return err_sys(err, timer->request->name, "read of the event");
	if (!(timer->request->resource->counts & COUNTS_CPU))
		ns = 0; /* of that clock it has the stacks alone */
	count->gticks = (ns + p->total[timer->index]) / 1000;
	return 0;
}

const struct timer_kind read_timer = {
	.name = "kernel, per-task, polled",
	.costs = "none",
	.loses = "short waits and short threads are [unsampled]",
	.families = 1u << TIMER_KERNEL | 1u << TIMER_PERTASK,
	.needs = TIMER_NEEDS_PERF | TIMER_NEEDS_SWITCHES | TIMER_NEEDS_POLLER,
	.counts = is_wait,
	.can = can_read,
	.arm = arm_read,
	.weigh = add_line,
	.left = poller_left,
	.read = read_read,
};
