/*
 * spread.h - what each call of a function consumed, from the samples of a run
 * in the order of time.
 *
 * What a thread consumes in the function belongs to the outermost call that it
 * made last.  A sample stands for what was consumed since the one before, so of
 * resources that are not sampled at each event a figure is known to an
 * interval.
 */
#ifndef CPPROF_QUESTIONS_SPREAD_H
#define CPPROF_QUESTIONS_SPREAD_H

#include "analyzer/tree/tree.h"
#include "lib/vec.h"

struct spread {
	VEC(uint64_t) calls; /* gticks of each */
	size_t *open;        /* by thread: one more than the number of its last
				call */
	uint8_t *inside; /* by node: how often the function is on the stack, at
			    most twice */
	uint64_t placed; /* gticks of all calls */
};

/* FUNCTIONS: the N that the name stands for.  -1: no memory.  spread_fini() is
   due either way. */
int spread_init(struct spread *spread, const struct dataset *data,
	const uint32_t *functions, size_t n);

/* Takes a sample of a call, or (COST) of what was consumed.  -1: no memory. */
int spread_take(
	struct spread *spread, const struct cpd_sample *sample, bool cost);

/* Sorts the calls, when all samples were taken. */
void spread_sort(struct spread *spread);

/* What the call has that PART of all calls consumed at most as much as. */
uint64_t spread_at(const struct spread *spread, double part);

void spread_fini(struct spread *spread);

#endif
