/*
 * folded.c - stacks as "root;...;leaf hits" lines, which flame graph
 * tools read.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"
#include "analyzer/export/export.h"
#include "analyzer/report/report_private.h"
#include "analyzer/tree/tree_private.h"

struct leaf {
	uint64_t weight, hits; /* of its own */
	uint32_t node;
};

/*
 * Of two stacks that weigh the same, that whose names come first: the order is
 * that of the text then, and not of the file.
 */
static int compare_stacks(const struct tree *tree, uint32_t x, uint32_t y)
{
	const struct tree_node *nodes = tree->nodes;
	int longer = (nodes[x].depth > nodes[y].depth) -
		     (nodes[x].depth < nodes[y].depth);
	const char *a, *b;

	while (nodes[x].depth > nodes[y].depth)
		x = nodes[x].parent;
	while (nodes[y].depth > nodes[x].depth)
		y = nodes[y].parent;
	if (x == y)
		return longer;
	while (nodes[x].parent != nodes[y].parent) {
		x = nodes[x].parent;
		y = nodes[y].parent;
	}
	a = tree->data->functions[nodes[x].function].name;
	b = tree->data->functions[nodes[y].function].name;
	return strcmp(a, b);
}

static int compare_leaves(const void *a, const void *b, void *arg)
{
	const struct leaf *x = a, *y = b;
	int order;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	order = compare_stacks(arg, x->node, y->node);
	return order ? order : x->node < y->node ? -1 : x->node > y->node;
}

/* Losses come as gticks. */
static uint64_t leaf_hits(const struct tree *tree, const struct leaf *leaf)
{
	uint64_t interval = tree->data->resources[tree->view.resource].interval;
	uint64_t hits;

	if (leaf->hits || !leaf->weight)
		return leaf->hits;
	hits = leaf->weight / interval;
	hits += leaf->weight % interval >= interval - interval / 2;
	return hits ? hits : 1;
}

static int put_step(
	FILE *out, const struct tree *tree, uint32_t at, uint32_t below)
{
	const char *site;

	if (report_name(out,
		    tree->data->functions[tree->nodes[at].function].name, ";"))
		return -1;
	if (!below || !tree->view.sites)
		return 0;
	site = tree_site(tree, tree->nodes[below].site);
	if (!*site)
		return 0;
	fputc(':', out);
	return report_name(out, site, ";");
}

/* PATH has room for the deepest node. */
static int put_stack(FILE *out, const struct tree *tree,
	const struct leaf *leaf, uint32_t *path)
{
	const struct tree_node *nodes = tree->nodes;
	uint32_t depth = nodes[leaf->node].depth, at = leaf->node;

	for (uint32_t i = depth; i-- > 0; at = nodes[at].parent)
		path[i] = at;
	if (!depth) /* a sample of no stack at all */
		path[depth++] = 0;
	for (uint32_t i = 0; i < depth; i++) {
		if (i > 0)
			fputc(';', out);
		if (put_step(out, tree, path[i],
			    i + 1 < depth ? path[i + 1] : 0))
			return -1;
	}
	fprintf(out, " %" PRIu64 "\n", leaf_hits(tree, leaf));
	return 0;
}

static int put_stacks(FILE *out, const struct tree *tree, struct err *err)
{
	VEC(struct leaf) leaves = {0};
	uint32_t *path =
		calloc((size_t)tree->impl->max_depth + 1, sizeof *path);
	int status = path ? 0 : -1;

	for (uint32_t i = 0; i < tree->n && !status; i++) {
		struct tree_sums self = tree_self(tree, i);
		struct leaf *leaf;

		if (!self.weight)
			continue;
		leaf = vec_push(&leaves);
		if (leaf)
			*leaf = (struct leaf){self.weight, self.hits, i};
		else
			status = -1;
	}
	if (leaves.n > 1)
		qsort_r(leaves.v, leaves.n, sizeof *leaves.v, compare_leaves,
			(void *)tree);
	if (status)
		report_no_memory(err);
	for (size_t i = 0; i < leaves.n && !status; i++) {
		status =
			work_step(tree->view.work, "writing", i, leaves.n, err);
		if (!status && put_stack(out, tree, &leaves.v[i], path))
			status = report_no_memory(err);
	}
	vec_free(&leaves);
	free(path);
	return status;
}

int export_folded(FILE *out, const struct export *x, struct err *err)
{
	struct tree *tree;
	int bad;

	if (x->tree)
		return put_stacks(out, x->tree, err);
	tree = tree_new(x->data, &x->view, err);
	bad = tree ? put_stacks(out, tree, err) : -1;
	tree_free(tree);
	return bad;
}
