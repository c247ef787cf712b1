/*
 * cycles.h - the cycles of calls that happened.
 *
 * A call path is read from the root inwards.  Where a function calls itself,
 * by way of others or not, the functions from its earlier frame on are a cycle,
 * and the path goes on from that earlier frame, as it does in call path
 * profiles (path_walk.h): main P Q P Q goes round (P Q) once, main P Q R Q P
 * round (Q R) and then round (P Q).  A cycle is the same wherever it is
 * entered.  Unlike the cycles of a call graph, which melt all functions that
 * may call each other, these are in the samples.
 */
#ifndef CPPROF_QUESTIONS_CYCLES_H
#define CPPROF_QUESTIONS_CYCLES_H

#include "analyzer/tree/tree.h"

struct cycle {
	const uint32_t *functions; /* each calls the next, the last the first;
				      begins as it was first met in a walk of
				      the tree */
	uint32_t length;           /* 1: a function that calls itself */
	uint32_t rounds;           /* the most in one stack */
	struct tree_sums sums;     /* of the stacks that went round at least
				      once, each counted once */
};

struct cycles {
	const struct tree *tree;
	struct cycle *v; /* by falling weight */
	size_t n;
	struct cycles_private *impl;
};

/* NULL when out of memory, or when the work of the tree's view is to stop. */
struct cycles *cycles_new(const struct tree *tree, struct err *err);
void cycles_free(struct cycles *cycles);

#endif
