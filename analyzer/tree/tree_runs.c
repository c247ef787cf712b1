/* tree_runs.c - puts the nodes of a file into runs and weighs those. */
#include <stdlib.h>

#include "analyzer/tree/tree_runs.h"

/* What is known of a node before it is in a run. */
enum { USED = 1, SAMPLED = 2, PARENT = 4, FORK = 8 };

static bool counts(const struct tree *tree, const struct aggregate *aggregate)
{
	return aggregate->resource == tree->view.resource &&
	       tree_keeps_thread(tree, aggregate->thread) &&
	       tree_keeps_stack(tree, aggregate->node);
}

/* KNOWN: by node of the file. */
static void mark_nodes(const struct tree *tree, uint32_t *known)
{
	const struct node *nodes = tree->data->nodes;

	for (size_t i = 0; i < tree->naggregates; i++)
		if (counts(tree, &tree->aggregates[i]))
			known[tree->aggregates[i].node] |= USED | SAMPLED;
	for (uint32_t i = tree->data->nnodes; i > 0; i--) {
		uint32_t *above = &known[nodes[i].parent];

		if (known[i])
			*above |= USED | PARENT | (*above & PARENT ? FORK : 0);
	}
}

/*
 * Puts the nodes that are used into runs, the root into the first.  RUN_OF: by
 * node, what is known of it; then its run.  A run's link is the run above.
 */
static int make_runs(
	struct runs *runs, const struct tree *tree, uint32_t *run_of)
{
	uint32_t above = FORK;

	if (!vec_push(runs) || !vec_push(&runs->sums))
		return -1;
	run_of[0] = 0;
	for (uint32_t i = 1; i <= tree->data->nnodes; i++) {
		uint32_t parent = tree->data->nodes[i].parent;
		uint32_t known = run_of[i];

		if (!known)
			continue;
		if (parent + 1 != i || above & (SAMPLED | FORK)) {
			struct run *run = vec_push(runs);

			if (!run)
				return -1;
			run->at = i;
			run->link = run_of[parent];
		}
		run_of[i] = (uint32_t)runs->n - 1;
		runs->v[run_of[i]].last = i;
		above = known;
	}
	return 0;
}

static int add_cells(
	struct runs *runs, const struct tree *tree, const uint32_t *run_of)
{
	for (size_t i = 0; i < tree->naggregates; i++) {
		const struct aggregate *a = &tree->aggregates[i];
		struct tree_sums sums = {a->weight, a->hits, a->samples};
		struct run *run;

		if (!counts(tree, a))
			continue;
		run = &runs->v[run_of[a->node]];
		if (!run->own) {
			run->own = (uint32_t)runs->sums.n;
			if (!vec_push(&runs->sums))
				return -1;
		}
		tree_sums_add(&runs->sums.v[run->own], &sums);
		sum_add(&run->weight, a->weight);
	}
	return 0;
}

/* Links the runs and adds their weights up. */
static void link_runs(struct runs *runs)
{
	for (size_t i = runs->n; i-- > 1;) {
		struct run *run = &runs->v[i], *above = &runs->v[run->link];

		sum_add(&above->weight, run->weight);
		run->link = above->child;
		above->child = (uint32_t)i;
	}
}

int runs_init(struct runs *runs, const struct tree *tree)
{
	uint32_t *run_of =
		calloc((size_t)tree->data->nnodes + 1, sizeof *run_of);
	int status = -1;

	if (run_of) {
		mark_nodes(tree, run_of);
		status = make_runs(runs, tree, run_of);
	}
	if (!status)
		status = add_cells(runs, tree, run_of);
	if (!status)
		link_runs(runs);
	free(run_of);
	return status;
}

void runs_fini(struct runs *runs)
{
	vec_free(runs);
	vec_free(&runs->sums);
}
