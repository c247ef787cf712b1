/*
 * tree_draft.h - a sample tree while it grows.
 *
 * Nodes come in any order but parents before children; draft nodes are numbered
 * as they come.  tree.c lays the finished draft out.
 */
#ifndef CPPROF_TREE_DRAFT_H
#define CPPROF_TREE_DRAFT_H

#include "../lib/vec.h"
#include "tree.h"

struct draft_node {
	uint32_t function, site, parent, size;
	uint64_t self_weight, self_hits, self_samples;
	uint64_t weight, hits, samples;
};

struct draft {
	VEC(struct draft_node) nodes; /* 0 is the root */
	uint32_t *table; /* node numbers; 0: free, as the root is never found */
	uint32_t mask;
	uint64_t limit;
};

/*
 * Takes from the draft what VIEW's filters on stacks do not keep, and the nodes
 * that are left with nothing; nothing can grow on it any more.  AT gives the
 * draft node of each node of the file; *KEPT, the caller's to free, tells for
 * each of these whether its stack is kept.  -1 when out of memory.
 */
int draft_filter(struct draft *draft, const struct dataset *data,
	const struct tree_view *view, const uint32_t *at, bool **kept);

#endif
