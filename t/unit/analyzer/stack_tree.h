/*
 * stack_tree.h - sample trees of plain stacks.
 */
#ifndef CPPROF_STACK_TREE_H
#define CPPROF_STACK_TREE_H

#include <stdlib.h>

#include "analyzer/tree/tree_grow.h"
#include "analyzer/tree/tree_private.h"
#include "lib/impl.h"

struct stack {
	const uint32_t *functions; /* DEPTH of them, outermost first */
	uint32_t depth;
	uint64_t weight, hits;
};

/* Makes a dataset's nodes and aggregates from plain stacks; each has its own
   nodes. */
static inline void stack_nodes(struct dataset *data, struct frame *frames,
	const struct stack *stacks, size_t n)
{
	uint32_t at = 0;

	for (size_t i = 0; i < n; i++) {
		struct aggregate *aggregate = &data->aggregates[i];

		for (uint32_t d = 0; d < stacks[i].depth; d++) {
			struct location *location = &data->locations[++at];

			frames[at].function = stacks[i].functions[d];
			location->frames = &frames[at];
			location->nframes = 1;
			data->nodes[at] = (struct node){d ? at - 1 : 0, at};
		}
		aggregate->node = stacks[i].depth ? at : 0;
		aggregate->weight = stacks[i].weight;
		aggregate->hits = stacks[i].hits;
		aggregate->samples = 1;
	}
	data->nnodes = data->nlocations = at;
	data->naggregates = n;
}

/*
 * A tree without data of N stacks; function numbers are the caller's.  NULL:
 * no memory.
 */
static inline struct tree *tree_from_stacks(
	const struct stack *stacks, size_t n, struct err *err)
{
	struct dataset data = {0};
	struct tree *tree = new_with_impl(struct tree);
	struct frame *frames;
	size_t nodes = 1;
	int rc = -1;

	for (size_t i = 0; i < n; i++)
		nodes += stacks[i].depth;
	frames = calloc(nodes, sizeof *frames);
	data.nodes = calloc(nodes, sizeof *data.nodes);
	data.locations = calloc(nodes, sizeof *data.locations);
	data.aggregates = calloc(n + 1, sizeof *data.aggregates);
	if (tree && frames && data.nodes && data.locations && data.aggregates) {
		stack_nodes(&data, frames, stacks, n);
		tree->data = &data;
		/* clones apart: nothing is asked of the functions */
		tree->view.clones = true;
		tree->aggregates = data.aggregates;
		tree->naggregates = n;
		rc = tree_grow(tree, false, err);
	}
	free(frames);
	free(data.nodes);
	free(data.locations);
	free(data.aggregates);
	if (rc) {
		tree_free(tree);
		return NULL;
	}
	tree->data = NULL;
	tree->aggregates = NULL;
	tree->naggregates = 0;
	tree->whole = *tree_total(tree, 0);
	return tree;
}

#endif
