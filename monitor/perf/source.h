/*
 * source.h - how the kernel's perf events count a resource.
 *
 * The resource table has these rows, and the kernel timers open events from
 * them.
 */
#ifndef CPPROF_PERF_SOURCE_H
#define CPPROF_PERF_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

enum perf_mode { /* which of the event's samples count */
	PERF_MODE_ALL,
	PERF_MODE_USER,   /* those that interrupted user mode */
	PERF_MODE_SYSTEM, /* those that interrupted the kernel */
};

struct perf_source {
	uint32_t type;             /* perf_event_attr.type */
	uint64_t config;           /* perf_event_attr.config */
	uint64_t config1, config2; /* the same, where a PMU needs them */
	uint64_t also;             /* a second event that counts for it, or 0 */
	uint32_t scale; /* events per gtick: 1000 for a clock in ns */
	enum perf_mode mode;
	bool kernel;  /* happens in kernel mode only */
	bool address; /* happens at an address of memory, which samples tell */
};

#endif
