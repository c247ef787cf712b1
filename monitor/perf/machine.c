/* How many descriptors can be had; one of an event. */
#include "monitor/perf/events_private.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group,
		PERF_FLAG_FD_CLOEXEC);
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
