/*
 * tree_runs.h - the nodes of a file that have samples, as few things.
 *
 * Most nodes of a file have one child and no samples of their own, and are
 * written one behind the other.  Such a run is one thing: all its nodes have
 * the consumption of its last one.  A million stacks of 25 frames that share
 * 8 with others are 16 million nodes and less than 2 million runs.
 */
#ifndef CPPROF_TREE_RUNS_H
#define CPPROF_TREE_RUNS_H

#include "lib/vec.h"
#include "analyzer/tree/tree.h"

struct run { /* of nodes of the file, each the next one's parent: 32 bytes */
	uint64_t weight;   /* with all below it */
	uint32_t at;       /* the node at hand, from the first one on */
	uint32_t last;     /* may be the same */
	uint32_t child;    /* the first run below the last; 0: none */
	uint32_t link;     /* the next sibling; the user's from then on */
	uint32_t function; /* of the frame at hand; FN_NONE: of the root */
	uint8_t frame;     /* that, in the location of the node at hand */
	uint8_t inner;     /* the innermost one there */
};

/* A location as a run enters it: 8 bytes, so that all are in the processor's
   cache. */
struct entrance {
	uint32_t function; /* of its outermost frame */
	uint8_t frame;     /* that one */
	uint8_t inner;     /* the innermost one */
	bool plain;        /* both are one, and FUNCTION is shown as it is */
};

struct runs {
	struct run *v; /* [0] is the root */
	size_t n, cap;
	struct entrance *entrances; /* by location */
	struct tree_sums *own; /* by run: what its last node has of its own */
};

/*
 * Makes RUNS, of zeros, of the aggregates that TREE's resource, threads and
 * stacks keep.  -1 when out of memory; runs_fini() is due either way.
 */
int runs_init(struct runs *runs, const struct tree *tree);
void runs_fini(struct runs *runs);

/* Moves RUN to its next node, or goes from above on to its first: the frame at
   hand is the outermost one there. */
static inline void run_enter(struct run *run, const struct runs *runs,
	const struct node *nodes, uint32_t node)
{
	const struct entrance *at = &runs->entrances[nodes[node].location];

	run->at = node;
	run->frame = at->frame;
	run->inner = at->inner;
	run->function = at->function;
}

#endif
