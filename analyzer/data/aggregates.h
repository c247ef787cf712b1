/*
 * aggregates.h - adds samples up by (resource, node, thread).
 */
#ifndef CPPROF_DATA_AGGREGATES_H
#define CPPROF_DATA_AGGREGATES_H

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/set.h"

/* All samples of one resource in one thread with one stack. */
struct aggregate {
	uint32_t resource;
	uint32_t node;
	uint32_t thread;
	uint64_t hits, samples, weight;
};

typedef SET_OF(struct aggregate) aggregate_set;

/* -1: no memory. */
int aggregates_add(aggregate_set *set, const struct cpd_sample *sample);

#endif
