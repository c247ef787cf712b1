/* Which BPF programs count a resource. */
#include "monitor/timer/percpu/percpu.h"

static const unsigned programs[PERCPU_PROGRAMS] = {
	COUNTS_IN_LINE, /* `real`: a clock, and the waits of the next */
	COUNTS_WAITING, COUNTS_CPU, COUNTS_SYSCALLS,
	COUNTS_READS | COUNTS_WRITES, COUNTS_IOTIME, COUNTS_SWITCHES,
	COUNTS_SIGNALS, COUNTS_CALLS, COUNTS_REQUESTS, 0, /* perf events */
};

size_t percpu_programs(const struct resource *r)
{
	size_t i = 0;

	while (programs[i] && !(programs[i] & r->counts))
		i++;
	return i;
}
