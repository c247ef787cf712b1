/* Which BPF programs count a resource. */
#include <linux/perf_event.h>

#include "monitor/timer/percpu/percpu.h"

#define PROBED (COUNTS_CALLS | COUNTS_REQUESTS)

bool percpu_probes(const struct resource_request *request)
{
	return request->resource->counts & PROBED;
}

bool percpu_counts(const struct resource_request *request)
{
	const struct resource *r = request->resource;

	/* else a processor's event for each thread's */
	return r->counts ? !(r->counts & PROBED)
			 : r->perf && r->perf->type == PERF_TYPE_SOFTWARE;
}
