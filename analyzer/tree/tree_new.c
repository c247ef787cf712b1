/*
 * tree_new.c - sample trees of a dataset's view, or of plain stacks.
 */
#include <stdlib.h>

#include "analyzer/filter/filter_private.h"
#include "lib/sum.h"
#include "analyzer/tree/tree_grow.h"
#include "analyzer/tree/tree_private.h"

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
	const struct books *books = tree_books(tree);

	tree->whole =
		(struct tree_sums){books->weight, books->hits, books->samples};
	for (int kind = 0; kind < CPD_LOSS_KINDS; kind++)
		sum_add(&tree->impl->loss, books->loss[kind]);
	sum_add(&tree->whole.weight, tree->impl->loss);
}

/* How functions are shown. */

/* The functions of FILTER are shown as TO has them; NULL: not. */
static int show(const struct tree *tree, const struct filter *filter,
	const uint32_t *to, uint32_t *shown)
{
	size_t n = filter->nfound;
	uint32_t *functions = malloc((n + 1) * sizeof *functions);

	if (!functions)
		return -1;
	memcpy(functions, filter->found, n * sizeof *functions);
	if (!tree->view.clones)
		n = dataset_bases(tree->data, functions, n);
	for (size_t i = 0; i < n; i++)
		shown[functions[i]] = to ? to[functions[i]] : FN_NONE;
	free(functions);
	return 0;
}

/* Of the functions of programs in SHOWN those stay that an `only` names. */
static int show_only(const struct tree *tree, uint32_t *shown)
{
	const struct filters *elided = tree->view.elided;
	size_t n = (size_t)tree->data->nfunctions + 1;
	uint32_t *all = malloc(n * sizeof *all);
	int bad = all ? 0 : -1;

	if (all)
		memcpy(all, shown, n * sizeof *all);
	for (size_t i = FN_FIRST_REAL; i < n; i++)
		shown[i] = FN_NONE;
	for (size_t i = 0; i < elided->n && !bad; i++)
		if (elided->v[i].kind == FILTER_ONLY)
			bad = show(tree, &elided->v[i], all, shown);
	free(all);
	return bad;
}

static int show_functions(struct tree *tree)
{
	const struct dataset *data = tree->data;
	const struct filters *elided = tree->view.elided;
	enum dataset_group group = tree->view.group;
	bool places = group == GROUP_MODULE || group == GROUP_FILE;
	uint32_t *shown =
		malloc(((size_t)data->nfunctions + 1) * sizeof *shown);

	tree->impl->shown = shown;
	if (!shown)
		return -1;
	for (uint32_t i = 0; i <= data->nfunctions; i++)
		shown[i] = places ? data->groups[group][i] : i;
	if (filters_rest(elided) == FN_OTHER && show_only(tree, shown))
		return -1;
	for (size_t i = 0; elided && i < elided->n; i++)
		if (elided->v[i].kind == FILTER_ELIDE &&
			show(tree, &elided->v[i], NULL, shown))
			return -1;
	return 0;
}

static int grow(struct tree *tree, struct err *err)
{
	const struct tree_view *view = &tree->view;
	bool below = tree_is_below(tree);
	bool folded = view->group != GROUP_FUNCTION ||
		      (view->elided && view->elided->n);

	if (filters_on_threads(view->filters)) {
		tree->impl->threads =
			filters_threads(view->filters, tree->data);
		if (!tree->impl->threads)
			return err_memory(err, NULL, "sample tree");
	}
	if (filters_on_stacks(view->filters) && tree_match(tree, err))
		return -1;
	if (folded && show_functions(tree))
		return err_memory(err, NULL, "sample tree");
	if (below && tree_grow(tree, false, err))
		return -1;
	if (below && tree_sum_below(tree))
		return err_memory(err, NULL, "sample tree");
	return below && !folded ? 0 : tree_grow(tree, folded, err);
}

struct tree *tree_new(const struct dataset *data, const struct tree_view *view,
	struct err *err)
{
	struct tree *tree = tree_alloc(data, view);

	if (!tree) {
		err_memory(err, NULL, "sample tree");
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
		rc = tree_grow(tree, false, err);
	} else {
		err_memory(err, NULL, "sample tree");
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
