/*
 * report_folded.c - stacks as "root;...;leaf hits" lines, which flame graph
 * tools read.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "report_private.h"
#include "tree_private.h"

static int compare_nodes(const void *a, const void *b, void *arg)
{
	const struct tree_node *nodes = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (nodes[x].self_weight != nodes[y].self_weight)
		return nodes[x].self_weight < nodes[y].self_weight ? 1 : -1;
	return x < y ? -1 : x > y;
}

/* Losses come as gticks. */
static uint64_t node_hits(const struct tree *tree, const struct tree_node *node)
{
	uint64_t interval = tree->data->resources[tree->view.resource].interval;
	uint64_t hits;

	if (node->self_hits || !node->self_weight)
		return node->self_hits;
	hits = node->self_weight / interval;
	hits += node->self_weight % interval >= interval - interval / 2;
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
static int put_stack(
	FILE *out, const struct tree *tree, uint32_t leaf, uint32_t *path)
{
	const struct tree_node *nodes = tree->nodes;
	uint32_t depth = nodes[leaf].depth, at = leaf;

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
	fprintf(out, " %" PRIu64 "\n", node_hits(tree, &nodes[leaf]));
	return 0;
}

int report_folded(FILE *out, const struct tree *tree, struct err *err)
{
	uint32_t *order = calloc(tree->n, sizeof *order), n = 0;
	uint32_t *path =
		calloc((size_t)tree->private->max_depth + 1, sizeof *path);
	int status = order && path ? 0 : -1;

	for (uint32_t i = 0; i < tree->n && !status; i++)
		if (tree->nodes[i].self_weight)
			order[n++] = i;
	if (n > 1)
		qsort_r(order, n, sizeof *order, compare_nodes, tree->nodes);
	for (uint32_t i = 0; i < n && !status; i++)
		status = put_stack(out, tree, order[i], path);
	free(order);
	free(path);
	return status ? report_no_memory(err) : 0;
}
