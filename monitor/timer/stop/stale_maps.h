/*
 * stale_maps.h - whether a traced process may have new executable mappings.
 *
 * System calls tell that it may hold other code than before; the mappings are
 * read when a sample needs them, for at most half of the time: before Linux
 * 6.11 each reading takes 15 ms of a process with 30 000 mappings.
 */
#ifndef CPPROF_STOP_STALE_MAPS_H
#define CPPROF_STOP_STALE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/tasks/task_table.h"

/* Zeros where the process is new here, or runs another program. */
struct stale_maps {
	bool fresh;     /* read, and no call could have changed them since */
	uint64_t at;    /* when they were last read, */
	uint64_t pause; /* and not again for that long, ns */
};

/* A system call has returned. */
void stale_maps_call(
	struct stale_maps *maps, uint64_t nr, const uint64_t args[6]);

/*
 * Adds new mappings of process PID to TASKS.  TID is one of its threads.
 */
int stale_maps_read(struct stale_maps *maps, struct task_table *tasks,
	pid_t pid, pid_t tid, uint64_t time);

#endif
