/*
 * tree_filter.c - which stacks of a sample tree filters keep.
 *
 * Whether a stack matches is settled on the tree's own nodes, from the root
 * outwards, so inlined calls, clones and recursion are as the view shows them
 * and each node is looked at once per run of filters.
 */
#include <stdlib.h>

#include "analyzer/filter/filter_private.h"
#include "analyzer/tree/tree_grow.h"
#include "analyzer/tree/tree_private.h"

/* By node of TREE, whether it lies in a stack with unknown outer frames. */
static bool *find_truncated(const struct tree *tree)
{
	bool *truncated = calloc(tree->n, sizeof *truncated);

	for (uint32_t i = 1; truncated && i < tree->n; i++) {
		const struct tree_node *node = &tree->nodes[i];

		truncated[i] =
			truncated[node->parent] ||
			(!node->parent && node->function == FN_TRUNCATED);
	}
	return truncated;
}

static bool is_loss(const struct tree_node *node)
{
	return dataset_is_loss(node->function);
}

/* What RUN says of the stack that ends in NODE, FOUND steps being in it. */
static enum tree_verdict judge(const struct filter_run *run, size_t found,
	const struct tree_node *node, bool truncated)
{
	bool all = found == run->n;

	if (all)
		return run->without ? TREE_DROPPED : TREE_KEPT;
	if (truncated)
		return TREE_UNDECIDED;
	return run->without && !is_loss(node) ? TREE_KEPT : TREE_DROPPED;
}

/* Adds to VERDICTS, by node, what RUN says.  FOUND is room. */
static void match_run(const struct tree *tree, const struct filter_run *run,
	const bool *truncated, size_t *found, uint8_t *verdicts)
{
	for (uint32_t i = 0; i < tree->n; i++) {
		const struct tree_node *node = &tree->nodes[i];
		enum tree_verdict verdict;

		found[i] = filter_run_next(
			run, i ? found[node->parent] : 0, node->function);
		verdict = judge(run, found[i], node, truncated[i]);
		if (verdict > verdicts[i])
			verdicts[i] = (uint8_t)verdict;
	}
}

uint8_t *tree_match(const struct tree *tree)
{
	uint8_t *verdicts = calloc(tree->n, sizeof *verdicts);
	size_t *found = calloc(tree->n, sizeof *found);
	bool *truncated = find_truncated(tree);
	struct filter_run *runs = NULL;
	size_t n = 0;

	if (!verdicts || !found || !truncated ||
		filter_runs_new(tree->view.filters, tree->data,
			tree->view.clones, &runs, &n)) {
		free(verdicts);
		verdicts = NULL;
	}
	for (size_t i = 0; i < n; i++)
		match_run(tree, &runs[i], truncated, found, verdicts);
	filter_runs_free(runs, n);
	free(truncated);
	free(found);
	return verdicts;
}

/*
 * A function counts once in a stack, at its outermost frame that has all steps
 * of RUN above it.  FOUND and ENDS are room, of zeros.
 */
static void sum_below(const struct tree *tree, const struct filter_run *run,
	size_t *found, uint32_t *ends)
{
	const uint32_t *shown = tree->impl->shown;

	for (uint32_t i = 1; i < tree->n; i++) {
		const struct tree_node *node = &tree->nodes[i];
		struct tree_sums self = tree_self(tree, i);
		size_t above = found[node->parent];
		uint32_t f = shown ? shown[node->function] : node->function;

		found[i] = filter_run_next(run, above, node->function);
		if (above < run->n || f == FN_NONE)
			continue;
		tree_sums_add(&tree->impl->below_self[f], &self);
		if (i < ends[f])
			continue;
		ends[f] = i + node->size;
		tree_sums_add(&tree->impl->below[f], tree_total(tree, i));
	}
}

/* The run that ends in the last `then`. */
static const struct filter_run *last_chain(
	const struct filter_run *runs, size_t n)
{
	while (n && (runs[n - 1].without || runs[n - 1].n < 2))
		n--;
	return n ? &runs[n - 1] : NULL;
}

int tree_sum_below(struct tree *tree)
{
	size_t nfunctions = dataset_numbers(tree->data), n = 0;
	size_t *found = calloc(tree->n, sizeof *found);
	uint32_t *ends = calloc(nfunctions, sizeof *ends);
	struct filter_run *runs = NULL;
	const struct filter_run *run = NULL;

	tree->impl->below = calloc(nfunctions, sizeof *tree->impl->below);
	tree->impl->below_self =
		calloc(nfunctions, sizeof *tree->impl->below_self);
	if (found && ends && tree->impl->below && tree->impl->below_self &&
		!filter_runs_new(tree->view.filters, tree->data,
			tree->view.clones, &runs, &n))
		run = last_chain(runs, n);
	if (run) {
		found[0] = filter_run_next(run, 0, tree->nodes[0].function);
		sum_below(tree, run, found, ends);
	}
	filter_runs_free(runs, n);
	free(found);
	free(ends);
	return run ? 0 : -1;
}
