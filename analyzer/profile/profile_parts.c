/* profile_parts.c - what all kinds of profiles stand on. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/profile/profile_private.h"

int profile_no_memory(struct err *err)
{
	return err_set(err, NULL, "profile", "out of memory");
}

bool profile_wants(const struct profile *profile, uint64_t weight)
{
	return weight > 0 && (double)weight >= profile->impl->cutoff;
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
 * Each outermost occurrence counts, so no sample counts twice.  ENDS, zeroed:
 * by function, where the last one that counted ends.
 */
static void sum_functions(
	const struct tree *tree, struct tree_sums *sums, uint32_t *ends)
{
	/* The root of all is no function. */
	for (uint32_t i = 1; i < tree->n; i++) {
		const struct tree_node *node = &tree->nodes[i];

		if (i < ends[node->function])
			continue;
		ends[node->function] = i + node->size;
		tree_sums_add(&sums[node->function], tree_total(tree, i));
	}
}

static void sum_bodies(const struct tree *tree, struct tree_sums *sums)
{
	for (uint32_t i = 0; i < tree->n; i++) {
		struct tree_sums self = tree_self(tree, i);

		tree_sums_add(&sums[tree->nodes[i].function], &self);
	}
}

struct tree_sums *profile_function_sums(const struct tree *tree)
{
	size_t n = (size_t)tree->impl->nfunctions + 1;
	struct tree_sums *sums = calloc(n, sizeof *sums);
	uint32_t *ends = calloc(n, sizeof *ends);

	if (sums && ends) {
		sum_functions(tree, sums, ends);
	} else {
		free(sums);
		sums = NULL;
	}
	free(ends);
	return sums;
}

struct tree_sums *profile_body_sums(const struct tree *tree)
{
	struct tree_sums *sums =
		calloc((size_t)tree->impl->nfunctions + 1, sizeof *sums);

	if (sums)
		sum_bodies(tree, sums);
	return sums;
}
