/* Notes from each system call whether the process may have new code. */
#include "monitor/timer/stop/stale_maps.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "lib/clock.h"
#include "monitor/resource/syscalls.h"
#include "monitor/tasks/proc_maps.h"

enum change { CHANGE_NONE, CHANGE_BY_PROT, CHANGE_ANY };

/* Unmapping makes no code; the next mapping replaces what was there. */
static enum change change_of(uint64_t nr)
{
	static const struct {
		const char *name;
		uint8_t change;
	} calls[] = {
		{"mmap", CHANGE_BY_PROT},
		{"mprotect", CHANGE_BY_PROT},
		{"pkey_mprotect", CHANGE_BY_PROT},
		{"mremap", CHANGE_ANY},
		{"shmat", CHANGE_ANY},
		{"remap_file_pages", CHANGE_ANY},
	};
	static uint8_t by_number[SYSCALLS_MAX];
	static bool made;

	for (size_t i = 0; !made && i < sizeof calls / sizeof *calls; i++)
		syscall_mark(by_number, calls[i].name, calls[i].change);
	made = true;
	/* another ABI has other numbers */
	return nr < SYSCALLS_MAX ? (enum change)by_number[nr] : CHANGE_ANY;
}

void stale_maps_call(
	struct stale_maps *maps, uint64_t nr, const uint64_t args[6])
{
	enum change change = change_of(nr);

	if (change == CHANGE_ANY ||
		(change == CHANGE_BY_PROT && args[2] & PROT_EXEC))
		maps->fresh = false;
}

/* Not the time that passes: others may have the processor meanwhile. */
static uint64_t cpu_time(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int stale_maps_read(struct stale_maps *maps, struct task_table *tasks,
	pid_t pid, pid_t tid, uint64_t time)
{
	uint64_t from = cpu_time();
	int bad;

	if (maps->fresh || (maps->at && clock_now() - maps->at < maps->pause))
		return 0;
	bad = proc_maps(tasks, pid, tid, time);
	maps->pause = cpu_time() - from;
	maps->at = clock_now();
	maps->fresh = true;
	return bad;
}
