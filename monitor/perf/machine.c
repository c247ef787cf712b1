/* Which processors the machine has, and how many descriptors can be had. */
#include "monitor/perf/events_private.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int perf_list_processors(struct perf_events *events)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	int first, last, c = ',';

	while (f && c == ',' && fscanf(f, "%d", &first) == 1) {
		last = first;
		c = fgetc(f);
		if (c == '-') {
			if (fscanf(f, "%d", &last) != 1)
				break;
			c = fgetc(f);
		}
		for (int cpu = first; cpu <= last; cpu++) {
			int *slot = vec_push(&events->cpus);

			if (!slot)
				break;
			*slot = cpu;
		}
	}
	if (f)
		fclose(f);
	for (int cpu = 0;
		!events->cpus.n && cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		int *slot = vec_push(&events->cpus);

		if (!slot)
			return -1;
		*slot = cpu;
	}
	return events->cpus.n ? 0 : -1;
}

int *perf_events_processors(size_t *n)
{
	struct perf_events list = {0};

	if (perf_list_processors(&list)) {
		vec_free(&list.cpus);
		return NULL;
	}
	*n = list.cpus.n;
	return list.cpus.v;
}

void perf_events_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
		limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}
