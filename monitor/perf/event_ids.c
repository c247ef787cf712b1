/* Perf events by the ids that their samples carry. */
#include "monitor/perf/events_private.h"

#include "lib/lower_bound.h"

/* The kernel counts ids up: they are in the order in which events are opened.
 */
const struct perf_fd *perf_events_find(
	const struct perf_events *events, uint64_t id)
{
	size_t at = LOWER_BOUND(events->fds.n, i, events->fds.v[i].id < id);

	return at < events->fds.n && events->fds.v[at].id == id
		       ? &events->fds.v[at]
		       : NULL;
}

uint64_t perf_events_type(const struct perf_events *events, uint64_t id)
{
	const struct perf_fd *found = perf_events_find(events, id);

	return found ? found->sample_type : 0;
}
