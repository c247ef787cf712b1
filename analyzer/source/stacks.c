/* stacks.c - adds up the nodes of the file, and walks them. */
#include "analyzer/source/stacks.h"

#include <stdlib.h>

struct stack_links { /* of a node among the others */
	uint32_t child, next;
	bool used;
};

struct links_walk {
	const struct tree *tree;
	struct tree_sums *all, *own; /* by node */
	struct stack_links *places;
};

static void add_aggregates(struct links_walk *w)
{
	const struct tree *tree = w->tree;

	for (size_t i = 0; i < tree->naggregates; i++) {
		const struct aggregate *a = &tree->aggregates[i];
		struct tree_sums sums = {a->weight, a->hits, a->samples};

		if (!tree_keeps(tree, a))
			continue;
		tree_sums_add(&w->own[a->node], &sums);
		tree_sums_add(&w->all[a->node], &sums);
		w->places[a->node].used = true;
	}
}

/* A node comes behind its parent. */
static void link_nodes(struct links_walk *w)
{
	const struct dataset *data = w->tree->data;

	for (uint32_t i = data->nnodes; i > 0; i--) {
		uint32_t parent = data->nodes[i].parent;

		if (!w->places[i].used)
			continue;
		w->places[parent].used = true;
		tree_sums_add(&w->all[parent], &w->all[i]);
		w->places[i].next = w->places[parent].child;
		w->places[parent].child = i;
	}
}

static int walk_nodes(const struct links_walk *w,
	const struct stacks_visitor *visitor, struct err *err)
{
	const struct dataset *data = w->tree->data;
	uint32_t at = w->places[0].child;
	uint64_t done = 0;

	while (at) {
		if (work_step(w->tree->view.work, "walking stacks", ++done,
			    data->nnodes, err))
			return -1;
		if (visitor->enter(visitor->arg, at, &w->all[at], &w->own[at]))
			return err_memory(err, NULL, "list");
		if (w->places[at].child) {
			at = w->places[at].child;
			continue;
		}
		while (at) {
			visitor->leave(visitor->arg, at);
			if (w->places[at].next)
				break;
			at = data->nodes[at].parent;
		}
		at = w->places[at].next;
	}
	return 0;
}

int stacks_walk(const struct tree *tree, const struct stacks_visitor *visitor,
	struct err *err)
{
	size_t n = (size_t)tree->data->nnodes + 1;
	struct links_walk w = {.tree = tree,
		.all = calloc(n, sizeof *w.all),
		.own = calloc(n, sizeof *w.own),
		.places = calloc(n, sizeof *w.places)};
	int status = -1;

	if (w.all && w.own && w.places) {
		add_aggregates(&w);
		link_nodes(&w);
		w.places[0].next = 0;
		status = walk_nodes(&w, visitor, err);
	} else {
		err_memory(err, NULL, "list");
	}
	free(w.all);
	free(w.own);
	free(w.places);
	return status;
}
