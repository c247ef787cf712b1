/*
 * tree_private.h - what profiles know of a tree beyond tree.h.
 */
#ifndef CPPROF_TREE_PRIVATE_H
#define CPPROF_TREE_PRIVATE_H

#include "lib/arena.h"
#include "analyzer/tree/tree.h"

struct tree_private {
	uint32_t nfunctions; /* highest function number in the tree, plus 1 */
	uint32_t max_depth;
	uint64_t loss; /* weight of all named losses, which are no samples */
	uint64_t loss_kept; /* of these in the tree */
	struct strings *sites;
	bool *threads;   /* by thread: kept; NULL where all are */
	bool *stacks;    /* by node of the file, likewise */
	bool *losses;    /* by kind, likewise */
	uint32_t *shown; /* by function of the dataset: what is shown in its
			    place, FN_NONE: nothing; NULL: itself */
	/* By function, with all it calls and by itself; NULL but where
	   tree_is_below(). */
	struct tree_sums *below, *below_self;
};

#endif
