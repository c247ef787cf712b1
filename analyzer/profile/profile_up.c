/*
 * profile_up.c - the call paths that end with a function.
 *
 * By definition the record of a path p is the one that the downward profile
 * from p's first function has.  So this is a downward walk from every function
 * that has the root R below it, made affordable in four ways: all of it runs
 * on a copy of the tree that holds only nodes with R at or below them; records
 * are kept up only for paths that end in R; functions are left out, as the
 * first and on the way, if the weight of R below them is under the threshold,
 * which bounds every path through them to R; and of functions that lead to R
 * only by each other, one after the other, the innermost one is walked from.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/sum.h"
#include "analyzer/profile/profile_private.h"

struct up {
	uint32_t root;
	struct tree tree; /* the pruned one, its sums those of the whole */
	uint64_t *below;  /* weight of outermost R at or below a node */
	uint32_t *first, *by_function; /* as in tree_private */
	uint32_t nfunctions, max_depth;
	bool *light;        /* by function: R weighs too little below it */
	struct link *links; /* by function */
};

#define NO_LINK UINT32_MAX
#define LINKS (UINT32_MAX - 1) /* several */

/* Who calls a function where it is outermost, and whom it calls. */
struct link {
	uint32_t caller, callee;
	bool nested; /* it has a node below one of its own */
};

static void up_fini(struct up *up)
{
	free(up->tree.nodes);
	free(up->tree.sites);
	free(up->below);
	free(up->first);
	free(up->by_function);
	free(up->light);
	free(up->links);
}

/* By node of the whole tree, whether R is at or below it; counts them. */
static bool *mark(struct up *up, const struct tree *tree)
{
	bool *marks = calloc(tree->n, sizeof *marks);

	for (uint32_t i = 0; marks && i < tree->n; i++) {
		if (tree->nodes[i].function != up->root ||
			!tree_total(tree, i)->weight)
			continue;
		for (uint32_t at = i; !marks[at]; at = tree->nodes[at].parent) {
			marks[at] = true;
			up->tree.n++;
		}
	}
	return marks;
}

/* Copies the nodes that have R at or below them. */
static int prune(struct up *up, const struct tree *tree)
{
	uint32_t max_depth = tree->impl->max_depth;
	bool *marks;
	uint32_t *place = calloc((size_t)max_depth + 1, sizeof *place);
	int status = -1;

	up->tree = (struct tree){.sums = tree->sums};
	marks = mark(up, tree);
	up->tree.nodes = calloc((size_t)up->tree.n + 1, sizeof *up->tree.nodes);
	if (tree->sites)
		up->tree.sites =
			calloc((size_t)up->tree.n + 1, sizeof *up->tree.sites);
	up->below = calloc((size_t)up->tree.n + 1, sizeof *up->below);
	if (!marks || !place || !up->tree.nodes || !up->below ||
		(tree->sites && !up->tree.sites))
		goto out;
	for (uint32_t i = 0, at = 0; i < tree->n; i++) {
		const struct tree_node *node = &tree->nodes[i];

		if (!marks[i])
			continue;
		up->tree.nodes[at] = *node;
		up->tree.nodes[at].parent =
			node->depth ? place[node->depth - 1] : 0;
		up->tree.nodes[at].size = 1;
		if (tree->sites)
			up->tree.sites[at] = tree->sites[i];
		place[node->depth] = at++; /* of the path to here */
	}
	for (uint32_t at = up->tree.n; at-- > 0;) {
		const struct tree_node *node = &up->tree.nodes[at];

		if (node->function == up->root)
			up->below[at] = tree_total(&up->tree, at)->weight;
		if (at == 0)
			break;
		up->tree.nodes[node->parent].size += node->size;
		sum_add(&up->below[node->parent], up->below[at]);
	}
	status = 0;
out:
	free(marks);
	free(place);
	return status;
}

static int index_functions(struct up *up)
{
	uint32_t *first;

	for (uint32_t i = 0; i < up->tree.n; i++) {
		if (up->tree.nodes[i].function >= up->nfunctions)
			up->nfunctions = up->tree.nodes[i].function + 1;
		if (up->tree.nodes[i].depth > up->max_depth)
			up->max_depth = up->tree.nodes[i].depth;
	}
	first = up->first = calloc((size_t)up->nfunctions + 2, sizeof *first);
	up->by_function =
		calloc((size_t)up->tree.n + 1, sizeof *up->by_function);
	if (!first || !up->by_function)
		return -1;
	for (uint32_t i = 0; i < up->tree.n; i++)
		first[up->tree.nodes[i].function + 2]++;
	for (size_t f = 2; f < (size_t)up->nfunctions + 2; f++)
		first[f] += first[f - 1];
	for (uint32_t i = 0; i < up->tree.n; i++)
		up->by_function[first[up->tree.nodes[i].function + 1]++] = i;
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
			*end = *at + up->tree.nodes[*at].size;
			return true;
		}
	}
	return false;
}

/* Weighs R below the outermost occurrences of each function. */
static int find_light(struct up *up, const struct profile *profile)
{
	uint64_t *sums = calloc((size_t)up->nfunctions + 1, sizeof *sums);
	uint32_t *ends = calloc((size_t)up->nfunctions + 1, sizeof *ends);
	int status = -1;

	up->light = calloc((size_t)up->nfunctions + 1, sizeof *up->light);
	if (!sums || !ends || !up->light)
		goto out;
	for (uint32_t i = 0; i < up->tree.n; i++) {
		uint32_t f = up->tree.nodes[i].function;

		if (i < ends[f])
			continue;
		ends[f] = i + up->tree.nodes[i].size;
		sum_add(&sums[f], up->below[i]);
	}
	for (uint32_t f = 0; f < up->nfunctions; f++)
		up->light[f] = !profile_wants(profile, sums[f]);
	status = 0;
out:
	free(sums);
	free(ends);
	return status;
}

static void add_link(uint32_t *link, uint32_t function)
{
	*link = *link == NO_LINK || *link == function ? function : LINKS;
}

static int find_links(struct up *up)
{
	uint32_t *ends = calloc((size_t)up->nfunctions + 1, sizeof *ends);

	up->links = calloc((size_t)up->nfunctions + 1, sizeof *up->links);
	for (uint32_t f = 0; up->links && f < up->nfunctions; f++)
		up->links[f].caller = up->links[f].callee = NO_LINK;
	for (uint32_t i = 0; ends && up->links && i < up->tree.n; i++) {
		const struct tree_node *node = &up->tree.nodes[i];
		struct link *link = &up->links[node->function];
		uint32_t caller = up->tree.nodes[node->parent].function;

		if (i)
			add_link(&up->links[caller].callee, node->function);
		if (i < ends[node->function]) {
			link->nested = true;
			continue;
		}
		ends[node->function] = i + node->size;
		add_link(&link->caller, i && node->depth > 1 ? caller : LINKS);
	}
	free(ends);
	return ends && up->links ? 0 : -1;
}

/*
 * The function G whose paths to R are those of F with G before them, or
 * NO_LINK: F is called by G alone, G calls F alone, and is not below itself.
 * Then no G is on the way from F to R, and all that G has below it F has.
 */
static uint32_t before(const struct up *up, uint32_t f)
{
	uint32_t g = up->links[f].caller;

	return !up->tree.sites && g < LINKS && g != f &&
			       up->links[g].callee == f && !up->links[g].nested
		       ? g
		       : NO_LINK;
}

/* Whether F is before() the one function that it calls. */
static bool is_before(const struct up *up, uint32_t f)
{
	uint32_t callee = up->links[f].callee;

	return callee < LINKS && before(up, callee) == f;
}

/* Adds ENTRY, of a path from F, with each function that is before F. */
static int lengthen(struct profile *profile, const struct up *up,
	struct profile_entry entry, uint32_t f, uint32_t n, struct err *err)
{
	uint32_t *path = profile_new_path(profile, n + entry.length, err);

	if (!path)
		return -1;
	memcpy(path + n, entry.path, entry.length * sizeof *path);
	while (n-- > 0) {
		path[n] = f = before(up, f);
		entry.path = path + n;
		entry.length++;
		if (!vec_add(&profile->impl->entries, entry))
			return err_memory(err, NULL, "profile");
	}
	return 0;
}

static int walk_from_first(struct profile *profile, const struct up *up,
	struct path_walk *walk, uint32_t f, struct err *err)
{
	uint32_t k = up->first[f], end = 0, at, n = 0;
	size_t from = profile->impl->entries.n, to;

	path_walk_clear(walk);
	while (next_outermost(up, &k, up->first[f + 1], &end, &at))
		if (path_walk_from(
			    walk, &up->tree, at, up->root, up->light, err))
			return -1;
	if (profile_take(profile, walk, up->root, err))
		return -1;
	for (uint32_t g = before(up, f); g != NO_LINK; g = before(up, g))
		n++;
	to = n ? profile->impl->entries.n : from;
	for (size_t i = from; i < to; i++)
		if (lengthen(profile, up, profile->impl->entries.v[i], f, n,
			    err))
			return -1;
	return 0;
}

int profile_up(struct profile *profile, uint32_t root, struct err *err)
{
	struct up up = {.root = root};
	struct path_walk walk = {0};
	int status = 0;

	if (root >= profile->tree->impl->nfunctions)
		return 0;
	if (prune(&up, profile->tree) || index_functions(&up) ||
		find_light(&up, profile) || find_links(&up) ||
		path_walk_init(&walk, up.nfunctions, up.max_depth))
		status = err_memory(err, NULL, "profile");
	walk.work = profile->tree->view.work;
	for (uint32_t f = 0; f < up.nfunctions && !status; f++) {
		if (up.first[f] == up.first[f + 1])
			continue;
		/* The root of all is above everything and says nothing. */
		if (up.tree.nodes[up.by_function[up.first[f]]].depth == 0 &&
			f != root)
			continue;
		if (!up.light[f] && !is_before(&up, f))
			status = walk_from_first(profile, &up, &walk, f, err);
	}
	path_walk_fini(&walk);
	up_fini(&up);
	return status;
}
