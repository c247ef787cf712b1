/*
 * diff.h - what changed between two sides of one or more runs each.
 *
 * The call path records (Hall and Goldberg's, from one root) and the functions
 * of all runs are matched by names: the function's, its module's without
 * version digits, so that a new build matches the old one; the program's, and
 * the script's that it interprets, may differ.  A function that
 * vanished and one that appeared are taken for one renamed function where that
 * explains both: the same caller, and about the same weight.
 *
 * A change is the mean of side B less that of side A, per run, with an interval
 * that holds at 95 % for all figures together: half of the 5 % is for the
 * total, half is shared by the paths and functions that were looked at
 * (Bonferroni).  With runs to compare on both sides it is Welch's, with them on
 * one side it takes the other to vary alike.  Few runs say little of how much
 * one figure varies, so what most functions do counts, too, as four degrees of
 * freedom (G. K. Smyth, Linear models and empirical Bayes methods for assessing
 * differential expression in microarray experiments, 2004).  No side is taken
 * to vary less than samples do.
 *
 * A diff owns what it has; the trees must live as long.
 */
#ifndef CPPROF_DIFF_H
#define CPPROF_DIFF_H

#include "analyzer/tree/tree.h"

enum diff_verdict {
	DIFF_SAME,  /* the figure is the same in every run */
	DIFF_EXACT, /* every event is counted, and side A repeats it */
	DIFF_REAL,  /* the interval does not have 0 */
	DIFF_NOISE, /* it has */
	DIFF_UNSURE /* one run a side: how runs vary is not known, and the
		       interval is that of its samples; or it is likely, see
		       struct diff */
};

struct diff_figure {   /* gticks per run */
	double a, b;   /* means */
	double lo, hi; /* of b - a */
	enum diff_verdict verdict;
};

struct diff_entry {
	const uint32_t *path; /* of LENGTH functions of the diff */
	uint32_t length;
	struct diff_figure figure;
	struct diff_figure self; /* functions only */
};

struct diff_function {
	const struct function *is; /* lent by a dataset of one of the runs */
	const char *name;          /* its */
	const char *renamed;       /* its name on side B, or NULL */
	const char *module;        /* its */
};

struct diff_side {
	const struct tree *const *trees; /* of one resource */
	size_t n;
};

struct diff {
	struct diff_side a, b;
	struct diff_function *functions;
	uint32_t nfunctions;
	struct diff_figure total;
	/*
	 * Changes that are more than noise, largest first.  A path stands for
	 * those before it on the way from the root: it is the innermost of
	 * which no one callee carries 80 to 125 % of the change.  A callee
	 * whose own change is within noise, or too small to be looked at,
	 * carries none. So it is with functions. What differs at an error of
	 * one in as many as were looked at is likely to have changed; it stands
	 * only for what is likely, too.
	 */
	struct diff_entry *paths, *changed;
	size_t npaths, nchanged;
	bool counts;     /* every event is a sample */
	double varies;   /* the variance of a figure's runs beyond that of
			    sampling, in parts of its square, as most functions
			    have it; < 0: not known */
	size_t looked;   /* so many figures were compared, with the total */
	size_t noise;    /* paths and functions whose change is within noise */
	double smallest; /* change of the total that would have been found in
			    four of five such comparisons; 0: any */
	struct diff_private *impl;
};

/*
 * ROOT: the functions' name that paths begin with; NULL: at the root of all.
 * Paths and functions of less than THRESHOLD of the total on both sides are not
 * looked at, but where every event is counted.  NULL when out of memory, or
 * when the work of a tree's view is to stop.
 */
struct diff *diff_new(struct diff_side a, struct diff_side b, const char *root,
	double threshold, struct err *err);
void diff_free(struct diff *diff);

/*
 * The figure of a function's total, or of a path ("f > g"), all of it by names.
 * -1: no run has it.
 */
int diff_find(
	const struct diff *diff, const char *path, struct diff_figure *figure);

/* The name of the program of TREE's run, or of the script that it interprets:
   those of the two sides count as one. */
const char *diff_program(const struct tree *tree);

/* The figure of what each run has of something that is not sampled, NA runs of
   side A first, then NB.  -1: no memory. */
int diff_values(
	const double *values, size_t na, size_t nb, struct diff_figure *figure);

#endif
