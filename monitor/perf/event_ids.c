/* Perf events by the ids that their samples carry. */
#include "monitor/perf/events_private.h"

#include <stdlib.h>
#include <string.h>

#include "lib/lower_bound.h"

static int by_id(const void *a, const void *b)
{
	const struct perf_fd *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

int perf_index_ids(struct perf_events *events)
{
	struct perf_fd *all = malloc(events->fds.n * sizeof *all);

	if (!all)
		return -1;
	memcpy(all, events->fds.v, events->fds.n * sizeof *all);
	qsort(all, events->fds.n, sizeof *all, by_id);
	free(events->by_id);
	events->by_id = all;
	events->indexed = events->fds.n;
	return 0;
}

const struct perf_fd *perf_events_find(
	const struct perf_events *events, uint64_t id)
{
	size_t at = LOWER_BOUND(events->indexed, i, events->by_id[i].id < id);

	return at < events->indexed && events->by_id[at].id == id
		       ? &events->by_id[at]
		       : NULL;
}

uint64_t perf_events_type(const struct perf_events *events, uint64_t id)
{
	const struct perf_fd *found = perf_events_find(events, id);

	return found ? found->sample_type : 0;
}
