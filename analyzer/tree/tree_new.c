/*
 * tree_new.c - sample trees of a dataset's view.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/filter/filter_private.h"
#include "lib/impl.h"
#include "lib/sum.h"
#include "analyzer/tree/tree_grow.h"
#include "analyzer/tree/tree_private.h"

static struct tree *tree_alloc(
	const struct dataset *data, const struct tree_view *view)
{
	struct tree *tree = new_with_impl(struct tree);

	if (!tree)
		return NULL;
	tree->data = data;
	tree->view = *view;
	tree->aggregates =
		filters_aggregates(view->filters, data, &tree->naggregates);
	return tree;
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

/* Objects, which tell what the functions above them are at, stay with these. */
static void attach_objects(
	const struct tree *tree, const uint32_t *all, uint32_t *shown)
{
	const struct dataset *data = tree->data;

	for (uint32_t i = 1; i <= data->nlocations; i++) {
		const struct location *at = &data->locations[i];
		uint32_t f = at->object ? at->frames->function : 0;

		if (f && shown[f] == FN_NONE) {
			shown[f] = all[f];
			tree->impl->attached[f] = true;
		}
	}
}

/* Of the functions of programs in SHOWN those stay that an `only` names. */
static int show_only(const struct tree *tree, uint32_t *shown)
{
	const struct filters *elided = tree->view.elided;
	size_t n = (size_t)tree->data->nfunctions + 1;
	uint32_t *all = malloc(n * sizeof *all);
	int bad = -1;

	tree->impl->attached = calloc(n, sizeof *tree->impl->attached);
	if (all && tree->impl->attached)
		bad = 0;

	if (all)
		memcpy(all, shown, n * sizeof *all);
	for (size_t i = FN_FIRST_REAL; i < n; i++)
		shown[i] = FN_NONE;
	for (size_t i = 0; i < elided->n && !bad; i++)
		if (elided->v[i].kind == FILTER_ONLY)
			bad = show(tree, &elided->v[i], all, shown);
	if (!bad)
		attach_objects(tree, all, shown);
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
	double share;

	if (!view->no_fold && view->idle != IDLE_SHOWN &&
		!strcmp(tree_resource(tree)->name, "blocked")) {
		tree->impl->idle = dataset_idle(tree->data, &share);
		if (!tree->impl->idle)
			return err_memory(err, NULL, "sample tree");
		if (share > IDLE_MOST && view->idle != IDLE_FOLDS) {
			free(tree->impl->idle);
			tree->impl->idle = NULL;
		}
	}
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
