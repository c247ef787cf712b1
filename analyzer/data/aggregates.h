/*
 * aggregates.h - adds samples up by (resource, node, thread).
 */
#ifndef CPPROF_DATA_AGGREGATES_H
#define CPPROF_DATA_AGGREGATES_H

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/hash.h"

/* All samples of one resource in one thread with one stack. */
struct aggregate {
	uint32_t resource;
	uint32_t node;
	uint32_t thread;
	uint64_t hits, samples, weight;
};

struct aggregates {
	struct aggregate *v;
	size_t n, cap;
};

struct aggregator {
	struct aggregates aggregates;
	struct hash known;
};

/*
 * ADDER is all zeros before the first call.  The aggregates are the caller's to
 * free.  -1 when out of memory.
 */
int aggregates_add(struct aggregator *adder, const struct cpd_sample *sample);
/* Frees what only adding needs. */
void aggregates_end(struct aggregator *adder);

#endif
