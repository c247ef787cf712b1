/*
 * resource.h - the resources that can be profiled, one row each.
 *
 * The table drives the monitor, `--resource`, help, completion and the
 * manual's list.
 */
#ifndef CPPROF_RESOURCE_H
#define CPPROF_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/err.h"
#include "../lib/text.h"

struct resource {
	const char *name;  /* "pagefaults" */
	const char *title; /* "Page Faults" */
	const char *gtick; /* "fault" */
	enum text_unit unit;
	uint64_t interval;              /* default, gticks */
	uint64_t min_interval;          /* the least a timer can do */
	const char *help;               /* one line */
	const struct perf_source *perf; /* how perf counts it (perf_timer.h) */
};

extern const struct resource resources[]; /* ends with name NULL */

/* A resource as a user asked for it. */
struct resource_request {
	const struct resource *resource;
	uint64_t interval;
};

#define RESOURCES_MAX 32 /* in one run */

/*
 * Reads "NAME[:INTERVAL][,...]" and appends to REQUESTS (*N of at most
 * RESOURCES_MAX used).  Errors: an unknown name (with the list and the
 * nearest), a bad or zero interval, the same resource twice.
 */
int resource_parse(const char *spec, struct resource_request *requests,
	size_t *n, struct err *err);

#endif
