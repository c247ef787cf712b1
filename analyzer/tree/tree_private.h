/*
 * tree_private.h - what profiles know of a tree beyond tree.h.
 */
#ifndef CPPROF_TREE_PRIVATE_H
#define CPPROF_TREE_PRIVATE_H

#include "lib/arena.h"
#include "analyzer/tree/tree.h"

/* What one function has in a tree. */
struct function_sums {
	struct tree_sums total; /* its outermost nodes with all below them; of
				   the root of all, which is none, nothing */
	struct tree_sums self;  /* all its nodes without */
	uint64_t votes;  /* for the callee that may have more than half of the
			    calls, against the others */
	uint32_t callee; /* that one */
	uint32_t outermost, end; /* the last outermost node, and behind it */
};

/* What filters on stacks say of one. */
enum tree_verdict { TREE_KEPT, TREE_UNDECIDED, TREE_DROPPED };

struct tree_private {
	uint32_t nfunctions; /* highest function number in the tree, plus 1 */
	uint32_t max_depth;
	uint64_t loss; /* weight of all named losses, which are no samples */
	uint64_t loss_kept; /* of these in the tree */
	struct strings sites;
	bool *threads;   /* by thread: kept; NULL where all are */
	uint8_t *stacks; /* by node of the file: enum tree_verdict; NULL where
			    all are kept */
	bool *idle;      /* by node of the file: what it has is [idle]; NULL
			    where nothing is */
	bool *losses;    /* by kind: kept; NULL where all are */
	uint32_t *shown; /* by function of the dataset: what is shown in its
			    place, FN_NONE: nothing; NULL: itself */
	bool *attached;  /* likewise: it is shown below others only; or NULL */
	/* By function, with all it calls and by itself; NULL but where
	   tree_is_below(). */
	struct tree_sums *below, *below_self;
	struct function_sums *functions; /* by function; NULL until they are
					    asked for: profile_sums() */
	struct function_sums *roots;     /* likewise: profile_listed() */
};

#endif
