/*
 * function_figures.c - total and self side by side, and the wrappers.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/sum.h"
#include "analyzer/profile/function_figures.h"
#include "analyzer/profile/profile_private.h"

/* By function. */
struct callee {
	uint32_t function; /* the one that could have more than half */
	uint64_t votes;    /* of it, against the others */
	uint64_t weight;
	uint32_t end; /* of the last outermost node that was looked at */
	bool wrapper;
};

/*
 * Visits the calls from the outermost nodes of each function.  First the votes
 * leave the one callee that may have most of it (R. Boyer and J Moore,
 * "MJRTY - a fast majority vote algorithm", 1991, with weights), then that one
 * is weighed.
 */
static void visit_calls(
	const struct tree *tree, struct callee *callees, bool weigh)
{
	const struct tree_node *nodes = tree->nodes;

	for (uint32_t i = 1; i < tree->n; i++) {
		struct callee *to = &callees[nodes[i].function];

		if (i < to->end)
			continue;
		to->end = i + nodes[i].size;
		for (uint32_t c = i + 1; c < to->end; c += nodes[c].size) {
			bool same = to->function == nodes[c].function;
			uint64_t weight = tree_total(tree, c)->weight;

			if (weigh && same) {
				sum_add(&to->weight, weight);
			} else if (!weigh && same) {
				sum_add(&to->votes, weight);
			} else if (!weigh && to->votes >= weight) {
				to->votes -= weight;
			} else if (!weigh) {
				to->votes = weight - to->votes;
				to->function = nodes[c].function;
			}
		}
	}
}

static void find_callees(
	const struct tree *tree, struct callee *callees, uint32_t n)
{
	visit_calls(tree, callees, false);
	for (uint32_t f = 0; f < n; f++)
		callees[f].end = 0;
	visit_calls(tree, callees, true);
}

/*
 * Wrappers that call each other in a circle: one must stay, else nothing would
 * lead to what is below them.  SEEN: by function, the walk that passed it.
 */
static void break_circles(struct callee *callees, uint32_t n,
	const struct tree_sums *totals, uint32_t *seen)
{
	for (uint32_t f = FN_FIRST_REAL; f < n; f++) {
		uint32_t at = f, heaviest;

		while (callees[at].wrapper && !seen[at]) {
			seen[at] = f;
			at = callees[at].function;
		}
		if (!callees[at].wrapper || seen[at] != f)
			continue;
		heaviest = at;
		for (uint32_t g = callees[at].function; g != at;
			g = callees[g].function)
			if (totals[g].weight > totals[heaviest].weight)
				heaviest = g;
		callees[heaviest].wrapper = false;
	}
}

static void find_wrappers(struct callee *callees, uint32_t n,
	const struct tree_sums *totals, const struct tree_sums *selves,
	double cutoff)
{
	for (uint32_t f = FN_FIRST_REAL; f < n; f++) {
		struct callee *c = &callees[f];

		c->wrapper = totals[f].weight > 0 && c->function != f &&
			     (double)selves[f].weight < cutoff &&
			     (double)c->weight >=
				     PROFILE_KEEPS * (double)totals[f].weight;
	}
}

static int compare_figures(const void *a, const void *b, void *tree)
{
	const struct function_figure *x = a, *y = b;

	if (x->total.weight != y->total.weight)
		return x->total.weight < y->total.weight ? 1 : -1;
	if (x->self.weight != y->self.weight)
		return x->self.weight < y->self.weight ? 1 : -1;
	return profile_compare_functions(tree, x->function, y->function);
}

static int fill(struct function_figures *figures, const struct tree *tree,
	const struct tree_sums *totals, const struct tree_sums *selves,
	const struct callee *callees)
{
	uint32_t n = tree->impl->nfunctions;

	figures->v = calloc((size_t)n + 1, sizeof *figures->v);
	if (!figures->v)
		return -1;
	for (uint32_t f = 0; f < n; f++)
		if (totals[f].weight || selves[f].weight)
			figures->v[figures->n++] = (struct function_figure){
				f, totals[f], selves[f], callees[f].wrapper};
	if (figures->n > 1)
		qsort_r(figures->v, figures->n, sizeof *figures->v,
			compare_figures, (void *)tree);
	return 0;
}

int function_figures_init(struct function_figures *figures,
	const struct tree *tree, bool below, double threshold, struct err *err)
{
	uint32_t n = tree->impl->nfunctions;
	const struct tree_private *impl = tree->impl;
	struct tree_sums *totals = profile_function_sums(tree);
	struct tree_sums *selves = profile_body_sums(tree);
	struct callee *callees = calloc((size_t)n + 1, sizeof *callees);
	uint32_t *seen = calloc((size_t)n + 1, sizeof *seen);
	double cutoff = threshold * (double)tree_total(tree, 0)->weight;
	int status = -1;

	*figures = (struct function_figures){0};
	if (below && impl->below && callees) {
		status = fill(
			figures, tree, impl->below, impl->below_self, callees);
	} else if (totals && selves && callees && seen) {
		/* Samples with an empty stack count for the root. */
		totals[FN_ALL] = selves[FN_ALL];
		find_callees(tree, callees, n);
		find_wrappers(callees, n, totals, selves, cutoff);
		break_circles(callees, n, totals, seen);
		status = fill(figures, tree, totals, selves, callees);
	}
	free(totals);
	free(selves);
	free(callees);
	free(seen);
	return status ? profile_no_memory(err) : 0;
}

void function_figures_fini(struct function_figures *figures)
{
	free(figures->v);
}
