/*
 * profile_up.c - the call paths that end with a function.
 *
 * By definition the record of a path p is the one that the downward profile
 * from p's first function has.  So this is a downward walk from every function
 * that has the root R below it, made affordable in three ways: all of it runs
 * on a copy of the tree that holds only nodes with R at or below them; records
 * are kept up only for paths that end in R; and a first function is left out
 * if the weight of R below it is under the threshold, which bounds every path
 * from it to R.
 */
#include <stdlib.h>

#include "hash.h"
#include "profile_private.h"

struct up {
	uint32_t root;
	struct tree_node
		*nodes;  /* the pruned tree, laid out as the whole one */
	uint64_t *below; /* weight of outermost R at or below a node */
	uint32_t n;
	uint32_t *first, *by_function; /* as in tree_private */
	uint32_t nfunctions, max_depth;
};

static void up_fini(struct up *up)
{
	free(up->nodes);
	free(up->below);
	free(up->first);
	free(up->by_function);
}

/* By node of the whole tree; NULL when out of memory. */
static uint64_t *weigh(const struct tree *tree, uint32_t root)
{
	uint64_t *below = calloc(tree->n, sizeof *below);

	if (!below)
		return NULL;
	for (uint32_t i = tree->n; i-- > 0;) {
		const struct tree_node *node = &tree->nodes[i];

		if (node->function == root)
			below[i] = node->weight;
		if (i > 0)
			sum_add(&below[node->parent], below[i]);
	}
	return below;
}

/* Copies the nodes that have R at or below them. */
static int prune(struct up *up, const struct tree *tree)
{
	uint64_t *below = weigh(tree, up->root);
	uint32_t *place = calloc(tree->n, sizeof *place);
	int status = -1;

	if (!below || !place)
		goto out;
	for (uint32_t i = 0; i < tree->n; i++)
		up->n += below[i] != 0;
	up->nodes = calloc((size_t)up->n + 1, sizeof *up->nodes);
	up->below = calloc((size_t)up->n + 1, sizeof *up->below);
	if (!up->nodes || !up->below)
		goto out;
	for (uint32_t i = 0, at = 0; i < tree->n; i++) {
		if (!below[i])
			continue;
		up->nodes[at] = tree->nodes[i];
		up->nodes[at].parent = place[tree->nodes[i].parent];
		up->nodes[at].size = 1;
		up->below[at] = below[i];
		place[i] = at++;
	}
	for (uint32_t at = up->n; at-- > 1;)
		up->nodes[up->nodes[at].parent].size += up->nodes[at].size;
	status = 0;
out:
	free(below);
	free(place);
	return status;
}

static int index_functions(struct up *up)
{
	uint32_t *first;

	for (uint32_t i = 0; i < up->n; i++) {
		if (up->nodes[i].function >= up->nfunctions)
			up->nfunctions = up->nodes[i].function + 1;
		if (up->nodes[i].depth > up->max_depth)
			up->max_depth = up->nodes[i].depth;
	}
	first = up->first = calloc((size_t)up->nfunctions + 2, sizeof *first);
	up->by_function = calloc((size_t)up->n + 1, sizeof *up->by_function);
	if (!first || !up->by_function)
		return -1;
	for (uint32_t i = 0; i < up->n; i++)
		first[up->nodes[i].function + 2]++;
	for (size_t f = 2; f < (size_t)up->nfunctions + 2; f++)
		first[f] += first[f - 1];
	for (uint32_t i = 0; i < up->n; i++)
		up->by_function[first[up->nodes[i].function + 1]++] = i;
	return 0;
}

/*
 * The next outermost node of the function whose nodes are by_function[*K] to
 * by_function[last - 1]; END is the end of the one before.  False after the
 * last.
 */
static bool next_outermost(const struct up *up, uint32_t *k, uint32_t last,
	uint32_t *end, uint32_t *at)
{
	while (*k < last) {
		*at = up->by_function[(*k)++];
		if (*at >= *end) {
			*end = *at + up->nodes[*at].size;
			return true;
		}
	}
	return false;
}

/* What R weighs below the outermost occurrences of function F. */
static uint64_t bound(const struct up *up, uint32_t f)
{
	uint32_t k = up->first[f], end = 0, at;
	uint64_t sum = 0;

	while (next_outermost(up, &k, up->first[f + 1], &end, &at))
		sum_add(&sum, up->below[at]);
	return sum;
}

static int walk_from_first(struct profile *profile, const struct up *up,
	struct path_walk *walk, uint32_t f, struct err *err)
{
	uint32_t k = up->first[f], end = 0, at;

	path_walk_clear(walk);
	while (next_outermost(up, &k, up->first[f + 1], &end, &at))
		if (path_walk_from(walk, up->nodes, at, up->root))
			return profile_no_memory(err);
	return profile_take(profile, walk, up->root, err);
}

int profile_up(struct profile *profile, uint32_t root, struct err *err)
{
	struct up up = {.root = root};
	struct path_walk walk = {0};
	int status = 0;

	if (root >= profile->tree->private->nfunctions)
		return 0;
	if (prune(&up, profile->tree) || index_functions(&up) ||
		path_walk_init(&walk, up.nfunctions, up.max_depth))
		status = profile_no_memory(err);
	for (uint32_t f = 0; f < up.nfunctions && !status; f++) {
		if (up.first[f] == up.first[f + 1])
			continue;
		/* The root of all is above everything and says nothing. */
		if (up.nodes[up.by_function[up.first[f]]].depth == 0 &&
			f != root)
			continue;
		if (profile_wants(profile, bound(&up, f)))
			status = walk_from_first(profile, &up, &walk, f, err);
	}
	path_walk_fini(&walk);
	up_fini(&up);
	return status;
}
