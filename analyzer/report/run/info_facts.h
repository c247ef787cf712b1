/*
 * info_facts.h - what `cpprof info` finds out about a file before it is text or
 * data.
 *
 * What is returned as a pointer is new memory, the caller's to free, or NULL
 * when out of it.
 */
#ifndef CPPROF_REPORT_RUN_INFO_FACTS_H
#define CPPROF_REPORT_RUN_INFO_FACTS_H

#include <stdio.h>

#include "analyzer/data/dataset.h"

/* Truncated stacks by the module in which the walk outwards ended. */
struct info_ender {
	uint32_t module; /* 0: not one frame was known */
	uint64_t samples;
};

/* Of one resource, most samples first; the last one has none. */
struct info_ender *info_enders(const struct dataset *data, uint32_t resource);

/* The number of threads by process. */
uint32_t *info_threads(const struct dataset *data);

/* What the names of a module's functions came from, by module. */
enum info_naming {
	INFO_UNUSED,
	INFO_NAMELESS,
	INFO_NAMED,
	INFO_TWIN, /* a module before has the same build and the functions */
};

enum info_naming *info_namings(const struct dataset *data);

/* How a process came into the file: "exec", "fork" or "attach". */
const char *info_origin(const struct cpd_process *process);

/* Writes all of it in a format for programs; -1: no memory. */
struct report_format;
int info_data(FILE *out, const struct report_format *format,
	const struct dataset *data);

#endif
