/* tree.c - answers questions about a sample tree. */
#include <stdlib.h>

#include "analyzer/tree/tree_private.h"
#include "lib/order.h"

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	free(tree->impl->threads);
	free(tree->impl->stacks);
	free(tree->impl->idle);
	free(tree->impl->losses);
	free(tree->impl->shown);
	free(tree->impl->attached);
	free(tree->impl->below);
	free(tree->impl->below_self);
	free(tree->impl->functions);
	free(tree->impl->roots);
	strings_free(&tree->impl->sites);
	free(tree->nodes);
	free(tree->sites);
	free(tree->sums);
	free(tree);
}

size_t tree_bytes(const struct tree *tree)
{
	return tree->n *
	       (sizeof *tree->nodes + (tree->sites ? sizeof *tree->sites : 0));
}

struct tree_sums tree_self(const struct tree *tree, uint32_t node)
{
	const struct tree_node *n = &tree->nodes[node];
	struct tree_sums self = *tree_total(tree, node);
	uint32_t end = node + n->size;

	if (tree_passes_on(tree, node))
		return (struct tree_sums){0};
	for (uint32_t c = node + 1; c < end; c += tree->nodes[c].size)
		tree_sums_take(&self, tree_total(tree, c));
	return self;
}

double tree_cutoff(const struct tree *tree, double threshold)
{
	return threshold * (double)tree_total(tree, 0)->weight * (1 - 1e-12);
}

const char *tree_site(const struct tree *tree, uint32_t site)
{
	return strings_get(&tree->impl->sites, site);
}

bool tree_keeps_thread(const struct tree *tree, uint32_t thread)
{
	return !tree->impl->threads || tree->impl->threads[thread];
}

bool tree_keeps_stack(const struct tree *tree, uint32_t node)
{
	return !tree->impl->stacks || tree->impl->stacks[node] == TREE_KEPT;
}

bool tree_keeps(const struct tree *tree, const struct aggregate *a)
{
	return a->resource == tree->view.resource &&
	       tree_keeps_thread(tree, a->thread) &&
	       tree_keeps_stack(tree, tree_place(tree->data, &tree->view, a));
}

uint64_t tree_loss_left_out(const struct tree *tree)
{
	return minus(tree->impl->loss, tree->impl->loss_kept);
}

bool tree_keeps_loss(const struct tree *tree, const struct cpd_loss *loss)
{
	return loss->resource == tree->view.resource && loss->gticks &&
	       !filters_on_time(tree->view.filters) &&
	       tree_keeps_thread(tree, loss->thread) &&
	       (!tree->impl->losses || tree->impl->losses[loss->kind]);
}

size_t tree_shown(const struct tree *tree, uint32_t *functions, size_t n)
{
	const uint32_t *shown = tree->impl->shown;
	size_t left = 0;

	if (!shown)
		return n;
	for (size_t i = 0; i < n; i++) {
		uint32_t f = functions[i];

		functions[i] = f <= tree->data->nfunctions ? shown[f] : f;
	}
	qsort(functions, n, sizeof *functions, order_u32);
	for (size_t i = 0; i < n; i++)
		if (functions[i] != FN_NONE &&
			(!left || functions[left - 1] != functions[i]))
			functions[left++] = functions[i];
	return left;
}

bool tree_is_below(const struct tree *tree)
{
	const struct filters *filters =
		tree_is_by_task(tree) ? NULL : tree->view.filters;

	for (size_t i = filters ? filters->n : 0; i-- > 0;)
		if (filters->v[i].kind == FILTER_CONTAINS ||
			filters->v[i].kind == FILTER_THEN)
			return filters->v[i].kind == FILTER_THEN;
	return false;
}
