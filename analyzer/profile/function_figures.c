/*
 * function_figures.c - total and self side by side, and the wrappers.
 */
#include <stdlib.h>

#include "lib/order.h"
#include "lib/sum.h"
#include "analyzer/profile/function_figures.h"
#include "analyzer/profile/profile_private.h"

struct callee { /* by function: the one that may have most of it */
	uint64_t weight;
	uint32_t function;
	uint32_t end; /* of the last outermost node that was looked at */
	bool wrapper;
};

/* Weighs the calls of what may be wrappers to their callees. */
static void weigh(const struct tree *tree, struct callee *callees)
{
	const struct tree_node *nodes = tree->nodes;

	for (uint32_t i = 1; i < tree->n; i++) {
		struct callee *to = &callees[nodes[i].function];

		if (!to->wrapper || i < to->end)
			continue;
		to->end = i + nodes[i].size;
		for (uint32_t c = i + 1; c < to->end; c += nodes[c].size)
			if (to->function == nodes[c].function)
				sum_add(&to->weight,
					tree_total(tree, c)->weight);
	}
}

/*
 * Wrappers that call each other in a circle: one must stay, else nothing would
 * lead to what is below them.  SEEN: by function, the walk that passed it.
 */
static void break_circles(struct callee *callees, uint32_t n,
	const struct function_sums *sums, uint32_t *seen)
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
			if (sums[g].total.weight > sums[heaviest].total.weight)
				heaviest = g;
		callees[heaviest].wrapper = false;
	}
}

static const struct function *function(const struct tree *tree, uint32_t f)
{
	return tree->data && f <= tree->data->nfunctions
		       ? &tree->data->functions[f]
		       : NULL;
}

/* Generated code of the program's own is what a reader looks for. */
static bool is_sought(const struct function *f)
{
	return f && function_is_runtime(f) && !dataset_is_librarys(f);
}

static bool is_interpreters(const struct function *f)
{
	return f && f->interpreter;
}

/* Whether what has a name calls what has none: it is all that tells of that. */
static bool names(const struct function *f, const struct function *callee)
{
	return f && callee && f->source != CPD_NAME_NONE &&
	       callee->source == CPD_NAME_NONE;
}

/*
 * Who has a share S of all votes keeps at least 2 S - 1 of them against the
 * others, so few functions are weighed.
 */
static void find_wrappers(const struct tree *tree, struct callee *callees,
	const struct function_sums *sums, double cutoff)
{
	uint32_t n = tree->impl->nfunctions;
	bool any = false;

	for (uint32_t f = FN_FIRST_REAL; f < n; f++) {
		double total = (double)sums[f].total.weight;

		callees[f].function = sums[f].callee;
		callees[f].wrapper = total > 0 && sums[f].callee != f &&
				     !is_sought(function(tree, f)) &&
				     !names(function(tree, f),
					     function(tree, sums[f].callee)) &&
				     (double)sums[f].self.weight < cutoff &&
				     (double)sums[f].votes * (1 + 1e-9) >=
					     (2 * PROFILE_KEEPS - 1) * total;
		any |= callees[f].wrapper;
	}
	if (any)
		weigh(tree, callees);
	for (uint32_t f = FN_FIRST_REAL; any && f < n; f++)
		callees[f].wrapper &=
			(double)callees[f].weight >=
			PROFILE_KEEPS * (double)sums[f].total.weight;
}

static int compare_figures(const void *a, const void *b, void *tree)
{
	const struct function_figure *x = a, *y = b;

	return ORDER(y->total.weight, x->total.weight)
	       ?: ORDER(y->self.weight, x->self.weight)
	       ?: profile_compare_functions(tree, x->function, y->function);
}

static int fill(struct function_figures *figures, const struct tree *tree,
	const struct function_sums *sums, bool below,
	const struct callee *callees, double cutoff)
{
	const struct tree_private *impl = tree->impl;
	bool only = filters_rest(tree->view.elided) == FN_OTHER;

	figures->v = calloc((size_t)impl->nfunctions + 1, sizeof *figures->v);
	if (!figures->v)
		return -1;
	for (uint32_t f = 0; f < impl->nfunctions; f++) {
		struct function_figure *to = &figures->v[figures->n];

		*to = (struct function_figure){f, sums[f].total, sums[f].self,
			!only && (callees[f].wrapper ||
					 (is_interpreters(function(tree, f)) &&
						 (double)sums[f].self.weight <
							 cutoff))};
		if (below) {
			to->wrapper = false;
			to->total = impl->below[f];
			to->self = impl->below_self[f];
		} else if (f == FN_ALL) {
			/* Samples with an empty stack count for the root. */
			to->total = to->self;
		}
		figures->n += to->total.weight || to->self.weight;
	}
	if (figures->n > 1)
		qsort_r(figures->v, figures->n, sizeof *figures->v,
			compare_figures, (void *)tree);
	return 0;
}

int function_figures_init(struct function_figures *figures,
	const struct tree *tree, enum figures_of of, double threshold,
	struct err *err)
{
	uint32_t n = tree->impl->nfunctions;
	const struct function_sums *sums =
		of == FIGURES_ALL ? profile_sums(tree) : profile_listed(tree);
	struct callee *callees = calloc((size_t)n + 1, sizeof *callees);
	uint32_t *seen = calloc((size_t)n + 1, sizeof *seen);
	double cutoff = tree_cutoff(tree, threshold);
	bool below = of == FIGURES_BELOW && tree->impl->below;
	int status = -1;

	*figures = (struct function_figures){0};
	if (sums && callees && seen) {
		if (!below && tree->view.group == GROUP_FUNCTION) {
			find_wrappers(tree, callees, sums, cutoff);
			break_circles(callees, n, sums, seen);
		}
		status = fill(figures, tree, sums, below, callees, cutoff);
	}
	free(callees);
	free(seen);
	return status ? err_memory(err, NULL, "profile") : 0;
}

void function_figures_fini(struct function_figures *figures)
{
	free(figures->v);
}
