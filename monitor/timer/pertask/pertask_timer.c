/* Kernel timers on the target's threads: inherited perf events that sample. */
#include "monitor/timer/pertask/pertask.h"

#include <linux/perf_event.h>

#include "monitor/perf/events.h"
#include "monitor/perf/source.h"
#include "monitor/resource/tracepoint.h"

static bool counts(const struct resource_request *request)
{
	/* a counter of switches does not know their reasons */
	return resource_perf(request) &&
	       (!(request->resource->counts & COUNTS_SWITCHES) ||
		       request->switches ==
			       (SWITCH_VOLUNTARY | SWITCH_INVOLUNTARY));
}

/* A timer for kernel mode sees nothing where that is hidden. */
static int hidden(const struct resource_request *request, struct err *why)
{
	return err_say(why, request->name, NULL,
		"kernel mode is hidden from this user",
		"run 'sysctl kernel.perf_event_paranoid=1' as root, or cpprof "
		"as root%s",
		resource_perf(request)->mode == PERF_MODE_SYSTEM
			? "; 'cpu' works without, and has kernel mode as "
			  "[kernel]"
			: "");
}

static int can(const struct resource_request *request,
	struct timer_machine *machine, struct err *why)
{
	const struct perf_source *source = resource_perf(request);
	bool user_only;

	(void)machine;
	if (source->type == PERF_TYPE_TRACEPOINT &&
		tracepoint_can(request->name, why))
		return -1;
	if (perf_events_probe(request->name, source, &user_only, why))
		return -1;
	if (user_only && (source->kernel || source->mode == PERF_MODE_SYSTEM))
		return hidden(request, why);
	return 0;
}

static int arm(struct timer *timer, struct err *err)
{
	const struct perf_source *source = resource_perf(timer->request);
	struct perf_sampling sampling = timer_sampling(timer, source->scale);
	struct perf_source also = *source;

	if (perf_events_add(timer->impl, source, &sampling, err))
		return -1;
	if (!source->also)
		return 0;
	also.config = source->also;
	return perf_events_add(timer->impl, &also, &sampling, err);
}

static int read_count(
	const struct timer *timer, struct timer_count *count, struct err *err)
{
	uint64_t events;

	if (perf_events_read(timer->impl, timer->index, &events, &count->lost))
		return err_sys(err, timer->request->name, "read of the event");
	count->gticks = events / resource_perf(timer->request)->scale;
	return 0;
}

/* perf_events_close() closes the events, when the rings have been drained. */
const struct timer_kind pertask_timer = {
	.name = "kernel, per-task",
	.costs = "none",
	.loses = "threads that live less than an interval are [unsampled]",
	.families = 1u << TIMER_KERNEL | 1u << TIMER_PERTASK,
	.needs = TIMER_NEEDS_PERF,
	.shares_clock = true,
	.counts = counts,
	.can = can,
	.arm = arm,
	.read = read_count,
};
