/* Which BPF programs count a resource. */
#include <linux/perf_event.h>

#include "monitor/timer/percpu/percpu.h"

#define PROBED (COUNTS_CALLS | COUNTS_HEAP | COUNTS_ARCS)

bool percpu_probes(const struct resource_request *request)
{
	return request->resource->counts & PROBED;
}

/* What each program counts, as far as that is refused with it. */
static const unsigned programs[TIMER_PROGRAMS] = {
	COUNTS_IN_LINE | COUNTS_WAITING, /* time off the processor */
	COUNTS_CPU, COUNTS_SYSCALLS, COUNTS_READS | COUNTS_WRITES,
	COUNTS_IOTIME, COUNTS_SWITCHES, COUNTS_SIGNALS,
	COUNTS_CALLS | COUNTS_ARCS, COUNTS_HEAP, COUNTS_MAPPED, COUNTS_RECORDS,
	0,           /* perf events */
	COUNTS_TIME, /* `real`: the first two */
};

size_t percpu_programs(const struct resource *r)
{
	size_t i = 0;

	if (r->counts == COUNTS_TIME)
		return TIMER_PROGRAMS - 1;
	while (programs[i] && !(programs[i] & r->counts))
		i++;
	return i;
}

bool percpu_counts(const struct resource_request *request)
{
	const struct resource *r = request->resource;

	/* else a processor's event for each thread's */
	return r->counts
		       ? programs[percpu_programs(r)] && !percpu_probes(request)
		       : r->perf && r->perf->type == PERF_TYPE_SOFTWARE;
}
