/*
 * tree_new.c - sample trees of a dataset's view, or of plain stacks.
 */
#include <stdlib.h>

#include "analyzer/filter/filter_private.h"
#include "lib/sum.h"
#include "analyzer/tree/tree_grow.h"
#include "analyzer/tree/tree_private.h"

static int out_of_memory(struct err *err)
{
	return err_set(err, NULL, "sample tree", "out of memory");
}

static struct tree *tree_alloc(
	const struct dataset *data, const struct tree_view *view)
{
	struct tree *tree = calloc(1, sizeof *tree);

	if (!tree)
		return NULL;
	tree->data = data;
	tree->view = *view;
	tree->aggregates =
		filters_aggregates(view->filters, data, &tree->naggregates);
	tree->impl = calloc(1, sizeof *tree->impl);
	if (tree->impl)
		tree->impl->sites = strings_new();
	if (tree->impl && tree->impl->sites)
		return tree;
	tree_free(tree);
	return NULL;
}

/* Sums up the run before filters. */
static void sum_whole(struct tree *tree)
{
	const struct books *books = &tree->data->books[tree->view.resource];

	tree->whole =
		(struct tree_sums){books->weight, books->hits, books->samples};
	for (int kind = 0; kind < CPD_LOSS_KINDS; kind++)
		sum_add(&tree->impl->loss, books->loss[kind]);
	sum_add(&tree->whole.weight, tree->impl->loss);
}

static int grow(struct tree *tree, struct err *err)
{
	const struct tree_view *view = &tree->view;
	bool folded = tree_is_folded(view);
	uint32_t *places = NULL;
	int rc;

	if (filters_on_threads(view->filters)) {
		tree->impl->threads =
			filters_threads(view->filters, tree->data);
		if (!tree->impl->threads)
			return out_of_memory(err);
	}
	if (filters_on_stacks(view->filters) && tree_match(tree, err))
		return -1;
	rc = tree_grow(tree, folded ? &places : NULL, err);
	if (!rc && folded && tree_show_functions(tree))
		rc = out_of_memory(err);
	if (!rc && tree_is_below(tree) && tree_sum_below(tree))
		rc = out_of_memory(err);
	if (!rc && folded)
		rc = tree_fold(tree, places, err);
	free(places);
	return rc;
}

struct tree *tree_new(const struct dataset *data, const struct tree_view *view,
	struct err *err)
{
	struct tree *tree = tree_alloc(data, view);

	if (!tree) {
		out_of_memory(err);
		return NULL;
	}
	sum_whole(tree);
	if (grow(tree, err) == 0)
		return tree;
	tree_free(tree);
	return NULL;
}

/* Makes a dataset's nodes and aggregates from plain stacks; each has its own
   nodes. */
static int stack_nodes(struct dataset *data, struct frame *frames,
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
	return 0;
}

struct tree *tree_from_stacks(
	const struct stack *stacks, size_t n, struct err *err)
{
	struct dataset data = {0};
	/* Clones apart: nothing is asked of the functions. */
	const struct tree_view view = {.clones = true};
	struct tree *tree = tree_alloc(&data, &view);
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
		tree->aggregates = data.aggregates;
		tree->naggregates = n;
		rc = tree_grow(tree, NULL, err);
	} else {
		out_of_memory(err);
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
