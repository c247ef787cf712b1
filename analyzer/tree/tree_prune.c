/*
 * tree_prune.c - the beginnings of stacks, up to a function.
 */
#include <stdlib.h>

#include "analyzer/tree/tree_private.h"
#include "lib/impl.h"

struct pruning {
	const struct tree *from;
	struct tree *to;
	bool *ends;      /* by function */
	uint32_t *place; /* by depth: the node of the new tree on the way */
};

/* By node, whether it is one of the outermost ends (2) or above one (1). */
static uint8_t *mark(const struct pruning *p, uint32_t *n)
{
	const struct tree_node *nodes = p->from->nodes;
	uint8_t *marks = calloc(p->from->n, sizeof *marks);

	*n = marks ? 1 : 0; /* the root stays */
	for (uint32_t i = 1; marks && i < p->from->n;) {
		if (!p->ends[nodes[i].function]) {
			i++;
			continue;
		}
		marks[i] = 2;
		++*n;
		for (uint32_t at = nodes[i].parent; at && !marks[at];
			at = nodes[at].parent) {
			marks[at] = 1;
			++*n;
		}
		i += nodes[i].size;
	}
	return marks;
}

/* What END has; OWN: less what ends below it have. */
static struct tree_sums sums_of(const struct pruning *p, uint32_t end, bool own)
{
	const struct tree_node *nodes = p->from->nodes;
	struct tree_sums sums = *tree_total(p->from, end);

	for (uint32_t i = end + 1; own && i < end + nodes[end].size;) {
		bool is_end = p->ends[nodes[i].function];

		if (is_end)
			tree_sums_take(&sums, tree_total(p->from, i));
		i += is_end ? nodes[i].size : 1;
	}
	return sums;
}

static void copy(struct pruning *p, const uint8_t *marks, bool own)
{
	struct tree *to = p->to;

	for (uint32_t i = 0; i < p->from->n; i++) {
		const struct tree_node *node = &p->from->nodes[i];
		struct tree_node *copy = &to->nodes[to->n];

		if (i && !marks[i])
			continue;
		*copy = *node;
		copy->parent = i ? p->place[node->depth - 1] : 0;
		copy->size = 1;
		copy->sums = to->n;
		if (marks[i] == 2)
			to->sums[to->n] = sums_of(p, i, own);
		p->place[node->depth] = to->n++;
	}
	for (uint32_t i = to->n; i-- > 1;) {
		struct tree_node *parent = &to->nodes[to->nodes[i].parent];

		parent->size += to->nodes[i].size;
		tree_sums_add(&to->sums[parent->sums], &to->sums[i]);
	}
}

struct tree *tree_prune(const struct tree *tree, const uint32_t *ends, size_t n,
	bool own, struct err *err)
{
	struct pruning p = {.from = tree};
	uint8_t *marks = NULL;
	uint32_t nodes = 0;

	p.to = new_with_impl(struct tree);
	p.ends = calloc((size_t)tree->impl->nfunctions + 1, sizeof *p.ends);
	p.place = calloc((size_t)tree->impl->max_depth + 1, sizeof *p.place);
	for (size_t i = 0; p.ends && i < n; i++)
		if (ends[i] < tree->impl->nfunctions)
			p.ends[ends[i]] = true;
	if (p.to && p.ends && p.place)
		marks = mark(&p, &nodes);
	if (marks) {
		p.to->data = tree->data;
		p.to->view = tree->view;
		p.to->aggregates = tree->aggregates;
		p.to->naggregates = tree->naggregates;
		p.to->whole = tree->whole;
		p.to->undecided = tree->undecided;
		p.to->sums = calloc(nodes, sizeof *p.to->sums);
		p.to->nodes = calloc(nodes, sizeof *p.to->nodes);
	}
	if (marks && p.to->nodes && p.to->sums) {
		p.to->impl->nfunctions = tree->impl->nfunctions;
		p.to->impl->max_depth = tree->impl->max_depth;
		copy(&p, marks, own);
	} else {
		err_memory(err, NULL, "sample tree");
		tree_free(p.to);
		p.to = NULL;
	}
	free(p.ends);
	free(p.place);
	free(marks);
	return p.to;
}
