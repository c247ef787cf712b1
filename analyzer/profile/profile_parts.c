/* profile_parts.c - the sums of functions, and their order. */
#include <stdlib.h>
#include <string.h>

#include "lib/sum.h"
#include "analyzer/profile/profile_parts.h"

int profile_no_memory(struct err *err)
{
	return err_set(err, NULL, "profile", "out of memory");
}

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
 * Lets the calls from a node vote for the one callee that may have most of all:
 * R. Boyer and J Moore, "MJRTY - a fast majority vote algorithm" (1991), with
 * weights.
 */
static void vote(
	const struct tree *tree, uint32_t at, struct function_sums *function)
{
	const struct tree_node *nodes = tree->nodes;
	uint32_t end = at + nodes[at].size;

	for (uint32_t c = at + 1; c < end; c += nodes[c].size) {
		uint64_t weight = tree_total(tree, c)->weight;

		if (function->callee == nodes[c].function) {
			sum_add(&function->votes, weight);
		} else if (function->votes >= weight) {
			function->votes -= weight;
		} else {
			function->votes = weight - function->votes;
			function->callee = nodes[c].function;
		}
	}
}

/* Each outermost node counts, so no sample counts twice in a total. */
static void sum_functions(const struct tree *tree, struct function_sums *sums)
{
	for (uint32_t i = 0; i < tree->n; i++) {
		struct function_sums *function = &sums[tree->nodes[i].function];

		if (!tree_passes_on(tree, i)) {
			struct tree_sums self = tree_self(tree, i);

			tree_sums_add(&function->self, &self);
		}
		if (!i || i < function->end)
			continue;
		function->end = i + tree->nodes[i].size;
		tree_sums_add(&function->total, tree_total(tree, i));
		vote(tree, i, function);
	}
}

const struct function_sums *profile_sums(const struct tree *tree)
{
	struct tree_private *impl = tree->impl;

	if (impl->functions)
		return impl->functions;
	impl->functions =
		calloc((size_t)impl->nfunctions + 1, sizeof *impl->functions);
	if (impl->functions)
		sum_functions(tree, impl->functions);
	return impl->functions;
}
