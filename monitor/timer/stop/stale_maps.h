/*
 * stale_maps.h - where a traced process may have new executable mappings.
 *
 * System calls tell which addresses may hold other code than before; only the
 * mappings there are read, when a sample needs them (ioctl PROCMAP_QUERY, from
 * Linux 6.11).  Without it all of /proc/PID/maps is read, for at most half of
 * the time: with 30 000 mappings each reading takes 15 ms.
 */
#ifndef CPPROF_STOP_STALE_MAPS_H
#define CPPROF_STOP_STALE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/tasks/task_table.h"

#define STALE_RANGES 8

struct stale_range {
	uint64_t start, end;
	uint64_t from; /* it is code only if this address was; 0: unknown */
};

struct stale_maps {
	bool all;     /* anything may be new */
	bool implied; /* readable mappings are executable (personality) */
	unsigned n;
	struct stale_range ranges[STALE_RANGES];
	uint64_t at;    /* when all were last read */
	uint64_t pause; /* the time until they are read again, at least */
};

/* The process runs another program, or is new here. */
void stale_maps_reset(struct stale_maps *stale, pid_t pid);

/* A system call returned RESULT; negative: it failed. */
void stale_maps_call(struct stale_maps *stale, uint64_t nr,
	const uint64_t args[6], int64_t result);

/*
 * Adds new mappings of process PID to TASKS.  TID is one of its threads.  0, or
 * -1 for a writer error or no memory.
 */
int stale_maps_read(struct stale_maps *stale, struct task_table *tasks,
	pid_t pid, pid_t tid, uint64_t time);

#endif
