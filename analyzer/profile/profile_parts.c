/* profile_parts.c - the sums of functions, and their order. */
#include <stdlib.h>
#include <string.h>

#include "lib/sum.h"
#include "analyzer/profile/profile_parts.h"

int profile_compare_functions(const struct tree *tree, uint32_t a, uint32_t b)
{
	int order = 0;

	if (tree->data)
		order = strcmp(tree->data->functions[a].name,
			tree->data->functions[b].name);
	if (!order && tree->data)
		order = strcmp(tree->data->functions[a].shown,
			tree->data->functions[b].shown);
	return order ? order : a < b ? -1 : 1;
}

/*
 * Lets a call vote for the one callee that may have most of all its function's:
 * R. Boyer and J Moore, "MJRTY - a fast majority vote algorithm" (1991), with
 * weights.
 */
static void vote(
	struct function_sums *function, uint32_t callee, uint64_t weight)
{
	if (function->callee == callee) {
		sum_add(&function->votes, weight);
	} else if (function->votes >= weight) {
		function->votes -= weight;
	} else {
		function->votes = weight - function->votes;
		function->callee = callee;
	}
}

/* What a node has is its function's, but what nodes below it have.  A part may
   be less than 0 until all is known, so this wraps around. */
static void give_self(struct tree_sums *self, const struct tree_sums *what)
{
	self->weight += what->weight;
	self->hits += what->hits;
	self->samples += what->samples;
}

static void take_self(struct tree_sums *self, const struct tree_sums *what)
{
	self->weight -= what->weight;
	self->hits -= what->hits;
	self->samples -= what->samples;
}

/*
 * Each outermost node counts, so no sample counts twice in a total.  A node
 * looks at its parent, which was passed a moment ago, and not at its children,
 * which lie far apart in a large tree.
 */
static void sum_functions(const struct tree *tree, struct function_sums *sums)
{
	const struct tree_node *nodes = tree->nodes;

	for (uint32_t i = 0; i < tree->n; i++) {
		struct function_sums *function = &sums[nodes[i].function];
		const struct tree_sums *total = tree_total(tree, i);
		uint32_t parent = nodes[i].parent;
		struct function_sums *caller = &sums[nodes[parent].function];

		if (!tree_passes_on(tree, i))
			give_self(&function->self, total);
		if (!i)
			continue;
		if (i != parent + 1 || !tree_passes_on(tree, parent))
			take_self(&caller->self, total);
		if (parent && caller->outermost == parent)
			vote(caller, nodes[i].function, total->weight);
		if (i < function->end)
			continue;
		function->outermost = i;
		function->end = i + nodes[i].size;
		tree_sums_add(&function->total, total);
	}
}

/* Whether a sum of a hostile file stopped at the largest number: then sums do
   not add up. */
static bool stopped(const struct tree *tree)
{
	const struct tree_sums *all = tree_total(tree, 0);

	return all->weight == UINT64_MAX || all->hits == UINT64_MAX ||
	       all->samples == UINT64_MAX;
}

/* What functions have by themselves, node by node. */
static void sum_self(const struct tree *tree, struct function_sums *sums)
{
	for (uint32_t f = 0; f < tree->impl->nfunctions; f++)
		sums[f].self = (struct tree_sums){0};
	for (uint32_t i = 0; i < tree->n; i++) {
		struct tree_sums self = tree_self(tree, i);

		tree_sums_add(&sums[tree->nodes[i].function].self, &self);
	}
}

/* Of threads or processes, each the root of its stacks: all is their own. */
static void sum_roots(const struct tree *tree, struct function_sums *sums)
{
	sums[FN_ALL].self = tree_self(tree, 0);
	for (uint32_t i = 1; i < tree->n; i += tree->nodes[i].size) {
		struct function_sums *root = &sums[tree->nodes[i].function];

		tree_sums_add(&root->total, tree_total(tree, i));
		root->self = root->total;
	}
}

const struct function_sums *profile_listed(const struct tree *tree)
{
	struct tree_private *impl = tree->impl;

	if (!tree_is_by_task(tree))
		return profile_sums(tree);
	if (impl->roots)
		return impl->roots;
	impl->roots = calloc((size_t)impl->nfunctions + 1, sizeof *impl->roots);
	if (impl->roots)
		sum_roots(tree, impl->roots);
	return impl->roots;
}

const struct function_sums *profile_sums(const struct tree *tree)
{
	struct tree_private *impl = tree->impl;

	if (impl->functions)
		return impl->functions;
	impl->functions =
		calloc((size_t)impl->nfunctions + 1, sizeof *impl->functions);
	if (impl->functions) {
		sum_functions(tree, impl->functions);
		if (stopped(tree))
			sum_self(tree, impl->functions);
	}
	return impl->functions;
}
