/* Has the mappings of a traced process read before its sample. */
#include "monitor/timer/stop/traced.h"

int traced_fresh_maps(
	struct traced *traced, struct tracee *tracee, uint64_t time)
{
	struct stale_maps *maps = &tracee->process->maps;

	if (!traced->own_sideband)
		return traced->sync(traced->arg);
	/* nothing tells of calls that map */
	maps->fresh &= traced->syscalls;
	return stale_maps_read(maps, &traced->sampler->tasks,
		tracee->process->pid, tracee->tid, time);
}
