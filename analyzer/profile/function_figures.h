/*
 * function_figures.h - functions with what they and their callees consumed
 * beside what they consumed themselves.
 *
 * Total and self are what the function and the body profile say (profile.h).
 * The self weights of all functions, the losses among them, add up to what the
 * tree holds.  A wrapper is a function that tells a reader nothing: its
 * own weight is below the threshold and one callee keeps 99 % of its total, as
 * with start-up code and the starters of threads.  The last function of such a
 * chain is no wrapper, and where wrappers call each other in a circle the
 * heaviest of them is none.  Generated code of the program's own is none, and a
 * function of its interpreter is one if its own weight is below the threshold.
 * Where `only` leaves those that a user names, none is one, and no group is.
 */
#ifndef CPPROF_PROFILE_FUNCTION_FIGURES_H
#define CPPROF_PROFILE_FUNCTION_FIGURES_H

#include "analyzer/tree/tree.h"

/* A callee or step that keeps this much of a weight stands for all of it. */
#define PROFILE_KEEPS 0.99

struct function_figure {
	uint32_t function;
	struct tree_sums total, self;
	bool wrapper;
};

struct function_figures {
	struct function_figure *v; /* all with a weight, by falling total */
	size_t n;
};

enum figures_of {
	FIGURES_ALL,    /* all functions, whatever stands above them */
	FIGURES_LISTED, /* as profile_listed() */
	FIGURES_BELOW
};

/*
 * Of a tree that tree_is_below() and FIGURES_BELOW, total and self are what
 * lies below the function of the last `then`, and there are no wrappers; of
 * other trees that is FIGURES_LISTED.
 * THRESHOLD: of what the tree's filters keep.  0, and function_figures_fini()
 * is due; or -1 when out of memory.
 */
int function_figures_init(struct function_figures *figures,
	const struct tree *tree, enum figures_of of, double threshold,
	struct err *err);
void function_figures_fini(struct function_figures *figures);

#endif
