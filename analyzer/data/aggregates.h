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
	uint32_t node; /* of code */
	uint32_t leaf; /* 0; or the node called from there that is no code */
	uint32_t thread;
	uint64_t hits, samples, weight;
};

typedef SET_OF(struct aggregate) aggregate_set;

/* Adds A's figures to those of its like.  -1: no memory. */
int aggregates_sum(aggregate_set *set, const struct aggregate *a);

/* LEAF is as in an aggregate.  -1: no memory. */
int aggregates_add(
	aggregate_set *set, const struct cpd_sample *sample, uint32_t leaf);

#endif
