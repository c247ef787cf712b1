/*
 * tracepoint.h - the kernel's tracepoints, by the files that tell of them
 * (tracefs), which only root and a group that root chooses may read.
 */
#ifndef CPPROF_RESOURCE_TRACEPOINT_H
#define CPPROF_RESOURCE_TRACEPOINT_H

#include <stdint.h>

#include "lib/err.h"
#include "monitor/perf/source.h"

/*
 * Finds "SYSTEM:NAME" or "SYSTEM:NAME.FIELD": its perf event, and of a field
 * where it is in the event's record (monitor/arch/amount.h; else AMOUNT stays).
 * -1 with the error: this user may not know, there is none (with the nearest),
 * or the field is no number.
 */
int tracepoint_find(const char *name, struct perf_source *source,
	uint64_t *amount, struct err *err);

/* One that each kernel has, to ask whether events can be had; or config 0. */
void tracepoint_any(struct perf_source *source);

/* Whether this user may know of events: 0, or -1 with the error. */
int tracepoint_can(const char *object, struct err *err);

/*
 * Calls SEE for each tracepoint with its names and the fields that are numbers,
 * "dev sector bytes".
 */
void tracepoint_each(void (*see)(void *arg, const char *system,
			     const char *name, const char *fields),
	void *arg);

#endif
