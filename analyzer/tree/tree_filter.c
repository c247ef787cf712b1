/*
 * tree_filter.c - which stacks of a sample tree filters keep.
 *
 * Whether a stack matches is settled on the tree's own nodes, from the root
 * outwards, so inlined calls, clones and recursion are as the view shows them
 * and each node is looked at once per run of filters.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/filter_private.h"
#include "analyzer/tree/tree_grow.h"

/* Takes from KEPT, by node, what RUN does not match.  FOUND is room. */
static void match_run(const struct tree *tree, const struct filter_run *run,
	size_t *found, bool *kept)
{
	for (uint32_t i = 0; i < tree->n; i++) {
		const struct tree_node *node = &tree->nodes[i];

		found[i] = filter_run_next(
			run, i ? found[node->parent] : 0, node->function);
		if (found[i] < run->n)
			kept[i] = false;
	}
}

bool *tree_match(const struct tree *tree)
{
	bool *kept = malloc(tree->n);
	size_t *found = calloc(tree->n, sizeof *found);
	struct filter_run *runs = NULL;
	size_t n;

	if (!kept || !found ||
		filter_runs_new(tree->view.filters, tree->data,
			tree->view.clones, &runs, &n)) {
		free(kept);
		free(found);
		return NULL;
	}
	memset(kept, true, tree->n);
	for (size_t i = 0; i < n; i++)
		match_run(tree, &runs[i], found, kept);
	filter_runs_free(runs, n);
	free(found);
	return kept;
}
