/* tree_runs.c - puts the nodes of a file into runs and weighs those. */
#include <stdlib.h>

#include "lib/sum.h"
#include "analyzer/tree/tree_frames.h"
#include "analyzer/tree/tree_runs.h"

/* What is known of a node before it is in a run. */
enum { USED = 1, SAMPLED = 2, PARENT = 4, FORK = 2 * PARENT };

/*
 * Where runs begin, a bit by node.  The run of a node is the number of bits up
 * to it.  That takes 1.5 bits a node and stays in the processor's cache, where
 * a number by node took 32.
 */
struct starts {
	uint64_t *bits;
	uint32_t *before; /* by word: the bits of all words before */
};

static uint32_t run_of(const struct starts *starts, uint32_t node)
{
	uint64_t upto = starts->bits[node / 64] << (63 - node % 64);

	return starts->before[node / 64] + (uint32_t)__builtin_popcountll(upto);
}

static bool counts(const struct tree *tree, const struct aggregate *aggregate)
{
	return aggregate->resource == tree->view.resource &&
	       tree_keeps_thread(tree, aggregate->thread) &&
	       tree_keeps_stack(tree, aggregate->node);
}

/* KNOWN: by node of the file. */
static void mark_nodes(const struct tree *tree, uint8_t *known)
{
	const struct node *nodes = tree->data->nodes;

	for (size_t i = 0; i < tree->naggregates; i++)
		if (counts(tree, &tree->aggregates[i]))
			known[tree->aggregates[i].node] |= USED | SAMPLED;
	for (uint32_t i = tree->data->nnodes; i > 0; i--) {
		uint8_t *above = &known[nodes[i].parent];

		if (known[i])
			*above |= (uint8_t)(USED | PARENT |
					    (*above & PARENT) * 2);
	}
}

static int find_entrances(struct runs *runs, const struct tree *tree)
{
	const struct dataset *data = tree->data;
	const struct tree_view *view = &tree->view;

	runs->entrances =
		calloc((size_t)data->nlocations + 1, sizeof *runs->entrances);
	if (!runs->entrances)
		return -1;
	for (uint32_t i = 1; i <= data->nlocations; i++) {
		const struct location *at = &data->locations[i];
		struct entrance *to = &runs->entrances[i];

		to->frame = (uint8_t)tree_outermost(data, at);
		to->inner = (uint8_t)tree_innermost(view, at);
		to->function = tree_frame(data, at, to->frame);
		to->plain =
			at->nframes && to->frame == to->inner &&
			(view->clones || data->functions[to->function].base ==
						 to->function);
	}
	return 0;
}

/*
 * Puts the nodes that are used into runs, the root into the first.  KNOWN: by
 * node.  A run's link is the run above.
 */
static int make_runs(struct runs *runs, const struct tree *tree,
	const uint8_t *known, struct starts *starts)
{
	const struct node *nodes = tree->data->nodes;
	uint32_t above = FORK;

	if (!vec_push(runs))
		return -1;
	for (uint32_t i = 1; i <= tree->data->nnodes; i++) {
		if (i % 64 == 0)
			starts->before[i / 64] = (uint32_t)runs->n - 1;
		if (!known[i])
			continue;
		if (nodes[i].parent + 1 != i || above & (SAMPLED | FORK)) {
			struct run *run = vec_push(runs);

			if (!run)
				return -1;
			run_enter(run, runs, nodes, i);
			run->link = run_of(starts, nodes[i].parent);
			starts->bits[i / 64] |= (uint64_t)1 << i % 64;
		}
		runs->v[runs->n - 1].last = i;
		above = known[i];
	}
	return 0;
}

static int add_cells(
	struct runs *runs, const struct tree *tree, const struct starts *starts)
{
	runs->own = calloc(runs->n, sizeof *runs->own);
	if (!runs->own)
		return -1;
	for (size_t i = 0; i < tree->naggregates; i++) {
		const struct aggregate *a = &tree->aggregates[i];
		struct tree_sums sums = {a->weight, a->hits, a->samples};

		if (counts(tree, a))
			tree_sums_add(
				&runs->own[run_of(starts, a->node)], &sums);
	}
	return 0;
}

/* Links the runs and adds their weights up. */
static void link_runs(struct runs *runs)
{
	for (size_t i = runs->n; i-- > 1;) {
		struct run *run = &runs->v[i], *above = &runs->v[run->link];

		sum_add(&run->weight, runs->own[i].weight);
		sum_add(&above->weight, run->weight);
		run->link = above->child;
		above->child = (uint32_t)i;
	}
}

int runs_init(struct runs *runs, const struct tree *tree)
{
	size_t n = (size_t)tree->data->nnodes + 1;
	uint8_t *known = calloc(n, sizeof *known);
	struct starts starts = {.bits = calloc(n / 64 + 1, sizeof *starts.bits),
		.before = calloc(n / 64 + 1, sizeof *starts.before)};
	int status = -1;

	if (known && starts.bits && starts.before &&
		!find_entrances(runs, tree)) {
		mark_nodes(tree, known);
		status = make_runs(runs, tree, known, &starts);
	}
	free(known);
	if (!status)
		status = add_cells(runs, tree, &starts);
	if (!status)
		link_runs(runs);
	free(starts.bits);
	free(starts.before);
	return status;
}

void runs_fini(struct runs *runs)
{
	vec_free(runs);
	free(runs->own);
	free(runs->entrances);
	runs->own = NULL;
	runs->entrances = NULL;
}
