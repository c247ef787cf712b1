/* Reads the mappings of a traced process that a call may have changed. */
#include "monitor/timer/stop/traced.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "lib/clock.h"
#include "monitor/resource/syscalls.h"
#include "monitor/tasks/proc_maps.h"

#define PAUSES_FROM 2000000 /* ns that a reading takes */

void traced_call(struct tracee *tracee)
{
	struct traced_maps *maps = &tracee->process->maps;

	switch (tracee->nr) { /* unmapping makes no code: the next mapping
				 replaces it */
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		maps->fresh &= !(tracee->args[2] & PROT_EXEC);
		break;
	case SYS_mremap:
	case SYS_shmat:
	case SYS_remap_file_pages:
	case SYSCALL_FOREIGN: /* another ABI has other numbers */
		maps->fresh = false;
	}
}

int traced_fresh_maps(
	struct traced *traced, struct tracee *tracee, uint64_t time)
{
	struct traced_maps *maps = &tracee->process->maps;
	/* not the time that passes: others may have the processor meanwhile */
	uint64_t from = clock_thread();
	int bad;

	if (!traced->own_sideband)
		return traced->sync(traced->arg);
	/* nothing tells of calls that map */
	maps->fresh &= traced->syscalls;
	if (maps->fresh || (maps->at && clock_now() - maps->at < maps->pause))
		return 0;
	bad = proc_maps(&traced->sampler->tasks, tracee->process->pid,
		tracee->tid, time);
	maps->pause = clock_thread() - from;
	if (traced->syscalls && maps->pause < PAUSES_FROM)
		maps->pause = 0; /* only calls that map make it read again */
	maps->at = clock_now();
	maps->fresh = true;
	return bad;
}
