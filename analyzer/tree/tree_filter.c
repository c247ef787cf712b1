/*
 * tree_filter.c - which stacks filters keep.
 *
 * Whether a stack matches is settled on the nodes of the file, from the root
 * outwards, with the frames that the view shows of them: inlined calls, clones
 * and tail calls are as they will be in the tree.  Each node is looked at once
 * per run of filters, and few have a frame that is a step of one.
 */
#include <stdlib.h>

#include "analyzer/filter/filter_private.h"
#include "analyzer/tree/tree_frames.h"
#include "analyzer/tree/tree_grow.h"
#include "analyzer/tree/tree_private.h"

_Static_assert(FILTERS_MAX * 2 + 1 <= UINT16_MAX, "counts of steps fit");

struct matcher {
	const struct tree *tree;
	const struct filter_run *run;
	bool *steps;       /* by location: a frame of it may be a step of RUN */
	uint16_t *found;   /* by node: twice the steps that its stack has, and 1
			      if outer frames are unknown */
	uint8_t *verdicts; /* by node, of all runs */
};

/* What RUN says of a stack that has FOUND. */
static enum tree_verdict judge(
	const struct filter_run *run, uint16_t found, bool loss)
{
	if (found / 2u == run->n)
		return run->without ? TREE_DROPPED : TREE_KEPT;
	if (found & 1)
		return TREE_UNDECIDED;
	return run->without && !loss ? TREE_KEPT : TREE_DROPPED;
}

/* FOUND of a stack that goes on with FUNCTION. */
static uint16_t next_found(
	const struct filter_run *run, uint16_t found, uint32_t function)
{
	return (uint16_t)(2 * filter_run_next(run, found / 2u, function) +
			  (found & 1u));
}

static bool has_step(const struct matcher *m, const struct location *at)
{
	const struct tree *tree = m->tree;
	uint32_t k = tree_outermost(tree->data, at) + 1;

	while (k-- > tree_innermost(&tree->view, at)) {
		uint32_t f = tree_base(
			tree->data, &tree->view, tree_frame(tree->data, at, k));

		for (size_t i = 0; i < m->run->n; i++)
			if (filter_run_next(m->run, i, f) != i)
				return true;
	}
	return false;
}

static void find_steps(struct matcher *m)
{
	const struct dataset *data = m->tree->data;

	for (uint32_t i = 1; i <= data->nlocations; i++)
		m->steps[i] = has_step(m, &data->locations[i]);
}

/* The frames AT a location, called from the node ABOVE, add to its FOUND. */
static uint16_t match_frames(const struct matcher *m, uint32_t above,
	const struct location *at, uint16_t found)
{
	const struct tree *tree = m->tree;
	const struct dataset *data = tree->data;
	uint32_t k = tree_outermost(data, at) + 1, before = FN_NONE;

	if (above) {
		const struct location *from = dataset_location(data, above);

		before = tree_frame(
			data, from, tree_innermost(&tree->view, from));
	}
	while (k-- > tree_innermost(&tree->view, at)) {
		uint32_t f = tree_frame(data, at, k);

		if (!tree_is_same_frame(data, &tree->view, before, f))
			found = next_found(
				m->run, found, tree_base(data, &tree->view, f));
		before = f;
	}
	return found;
}

/* A stack whose outer frames are unknown says so in their place. */
static bool is_truncated(const struct dataset *data, const struct location *at)
{
	return tree_frame(data, at, tree_outermost(data, at)) == FN_TRUNCATED;
}

static int match_nodes(struct matcher *m, struct err *err)
{
	const struct dataset *data = m->tree->data;

	m->found[0] = next_found(m->run, 0, FN_ALL);
	for (uint32_t i = 1; i <= data->nnodes; i++) {
		const struct node *node = &data->nodes[i];
		const struct location *at = &data->locations[node->location];
		uint16_t found = m->found[node->parent];
		enum tree_verdict verdict;

		if (work_step(m->tree->view.work, "matching stacks", i,
			    data->nnodes, err))
			return -1;
		if (!node->parent && is_truncated(data, at))
			found |= 1;
		if (m->steps[node->location])
			found = match_frames(m, node->parent, at, found);
		m->found[i] = found;
		if (m->tree->impl->idle && m->tree->impl->idle[i])
			found = next_found(m->run, found, FN_IDLE);
		verdict = judge(m->run, found, false);
		if (verdict > m->verdicts[i])
			m->verdicts[i] = (uint8_t)verdict;
	}
	return 0;
}

/* Which kinds of losses the runs keep: each is the only frame of its stack. */
static void match_losses(
	const struct filter_run *runs, size_t n, bool kept[CPD_LOSS_KINDS])
{
	for (uint32_t k = 0; k < CPD_LOSS_KINDS; k++) {
		kept[k] = true;
		for (size_t i = 0; i < n; i++) {
			uint16_t found = next_found(&runs[i], 0, FN_ALL);

			found = next_found(&runs[i], found, dataset_loss(k));
			kept[k] &= judge(&runs[i], found, true) == TREE_KEPT;
		}
	}
}

/* Adds up the stacks that the filters cannot decide. */
static void sum_undecided(struct tree *tree)
{
	for (size_t i = 0; i < tree->naggregates; i++) {
		const struct aggregate *a = &tree->aggregates[i];
		struct tree_sums sums = {a->weight, a->hits, a->samples};

		if (a->resource == tree->view.resource &&
			tree->impl->stacks[tree_place(tree->data, &tree->view,
				a)] == TREE_UNDECIDED &&
			tree_keeps_thread(tree, a->thread))
			tree_sums_add(&tree->undecided, &sums);
	}
}

static int match_runs(struct tree *tree, const struct filter_run *runs,
	size_t n, struct err *err)
{
	size_t nnodes = (size_t)tree->data->nnodes + 1;
	struct matcher m = {.tree = tree, .verdicts = tree->impl->stacks};
	int status = 0;

	m.steps = calloc((size_t)tree->data->nlocations + 1, sizeof *m.steps);
	m.found = malloc(nnodes * sizeof *m.found);
	if (!m.steps || !m.found)
		status = err_memory(err, NULL, "sample tree");
	for (size_t i = 0; i < n && !status; i++) {
		m.run = &runs[i];
		find_steps(&m);
		status = match_nodes(&m, err);
	}
	free(m.steps);
	free(m.found);
	return status;
}

int tree_match(struct tree *tree, struct err *err)
{
	struct tree_private *impl = tree->impl;
	struct filter_run *runs = NULL;
	size_t n = 0;
	int status;

	impl->stacks = calloc((size_t)tree->data->nnodes + 1, 1);
	impl->losses = calloc(CPD_LOSS_KINDS, sizeof *impl->losses);
	if (!impl->stacks || !impl->losses ||
		filter_runs_new(tree->view.filters, tree->data,
			tree->view.clones, &runs, &n))
		return err_memory(err, NULL, "sample tree");
	status = match_runs(tree, runs, n, err);
	match_losses(runs, n, impl->losses);
	filter_runs_free(runs, n);
	if (!status)
		sum_undecided(tree);
	return status;
}

/*
 * A function counts once in a stack, at its outermost frame that has all steps
 * of RUN above it.  FOUND and ENDS are room, of zeros.
 */
static void sum_below(const struct tree *tree, const struct filter_run *run,
	size_t *found, uint32_t *ends)
{
	const uint32_t *shown = tree->impl->shown;

	for (uint32_t i = 1; i < tree->n; i++) {
		const struct tree_node *node = &tree->nodes[i];
		struct tree_sums self = tree_self(tree, i);
		size_t above = found[node->parent];
		uint32_t f = shown ? shown[node->function] : node->function;

		found[i] = filter_run_next(run, above, node->function);
		if (above < run->n || f == FN_NONE)
			continue;
		tree_sums_add(&tree->impl->below_self[f], &self);
		if (i < ends[f])
			continue;
		ends[f] = i + node->size;
		tree_sums_add(&tree->impl->below[f], tree_total(tree, i));
	}
}

/* The run that ends in the last `then`. */
static const struct filter_run *last_chain(
	const struct filter_run *runs, size_t n)
{
	while (n && (runs[n - 1].without || runs[n - 1].n < 2))
		n--;
	return n ? &runs[n - 1] : NULL;
}

int tree_sum_below(struct tree *tree)
{
	size_t nfunctions = dataset_numbers(tree->data), n = 0;
	size_t *found = calloc(tree->n, sizeof *found);
	uint32_t *ends = calloc(nfunctions, sizeof *ends);
	struct filter_run *runs = NULL;
	const struct filter_run *run = NULL;

	tree->impl->below = calloc(nfunctions, sizeof *tree->impl->below);
	tree->impl->below_self =
		calloc(nfunctions, sizeof *tree->impl->below_self);
	if (found && ends && tree->impl->below && tree->impl->below_self &&
		!filter_runs_new(tree->view.filters, tree->data,
			tree->view.clones, &runs, &n))
		run = last_chain(runs, n);
	if (run) {
		found[0] = filter_run_next(run, 0, tree->nodes[0].function);
		sum_below(tree, run, found, ends);
	}
	filter_runs_free(runs, n);
	free(found);
	free(ends);
	return run ? 0 : -1;
}
