/*
 * stacks.h - the stacks of a file by address.
 *
 * A sample tree has functions; lines and instructions need the addresses that
 * were sampled.  The walk visits each of the file's nodes that the tree's
 * resource and filters keep, callers before callees, so that the stack is known
 * at each.
 */
#ifndef CPPROF_SOURCE_STACKS_H
#define CPPROF_SOURCE_STACKS_H

#include "analyzer/tree/tree.h"

struct stacks_visitor {
	void *arg;
	/*
	 * NODE is on the stack from enter to leave.  ALL: of the samples below
	 * it and its own, OWN: its own.  -1: out of memory.
	 */
	int (*enter)(void *arg, uint32_t node, const struct tree_sums *all,
		const struct tree_sums *own);
	void (*leave)(void *arg, uint32_t node);
};

/* -1 when out of memory, or when the work of the tree's view is to stop. */
int stacks_walk(const struct tree *tree, const struct stacks_visitor *visitor,
	struct err *err);

#endif
