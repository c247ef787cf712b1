/* Notes from each system call whether the process may have new code. */
#include "monitor/timer/stop/stale_maps.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "lib/clock.h"
#include "monitor/resource/syscalls.h"
#include "monitor/tasks/proc_maps.h"

void stale_maps_call(
	struct stale_maps *maps, uint64_t nr, const uint64_t args[6])
{
	switch (nr) { /* unmapping makes no code: the next mapping replaces it
		       */
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_pkey_mprotect:
		maps->fresh &= !(args[2] & PROT_EXEC);
		break;
	case SYS_mremap:
	case SYS_shmat:
	case SYS_remap_file_pages:
	case SYSCALL_FOREIGN: /* another ABI has other numbers */
		maps->fresh = false;
	}
}

int stale_maps_read(struct stale_maps *maps, struct task_table *tasks,
	pid_t pid, pid_t tid, uint64_t time)
{
	/* not the time that passes: others may have the processor meanwhile */
	uint64_t from = clock_thread();
	int bad;

	if (maps->fresh || (maps->at && clock_now() - maps->at < maps->pause))
		return 0;
	bad = proc_maps(tasks, pid, tid, time);
	maps->pause = clock_thread() - from;
	maps->at = clock_now();
	maps->fresh = true;
	return bad;
}
