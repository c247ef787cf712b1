/*
 * diff_private.h - shared by the files that make a diff.
 */
#ifndef CPPROF_DIFF_PRIVATE_H
#define CPPROF_DIFF_PRIVATE_H

#include "lib/arena.h"
#include "lib/set.h"
#include "analyzer/diff/diff.h"

#define DIFF_NONE UINT32_MAX

/* A path of the diff: that of PARENT and then a function. */
struct diff_step {
	uint32_t parent, function;
	uint32_t length;
	enum { NOT_CHANGED, LIKELY_CHANGED, CHANGED } changed;
};

/* What a run has of something, and the variance that sampling gives it. */
struct diff_value {
	double weight, noise;
};

struct diff_name { /* of a function, among the names */
	uint32_t function, module;
};

struct diff_private {
	struct arena arena;
	const struct tree **runs; /* of both sides, those of A first */
	size_t nruns;
	VEC(struct diff_function) functions;
	SET_OF(struct diff_name) known; /* they */
	struct strings names;
	uint32_t **function; /* by run and function of its dataset */
	struct diff_value *total, *self; /* by function of the diff and run */
	SET_OF(struct diff_step) steps;
	VEC(struct diff_value) weight; /* by step and run */
	VEC(struct diff_entry) shown, changed;
	double share;  /* figures below are not tested for noise */
	double cutoff; /* and no path has a function of less */
};

/* diff_names.c: numbers the functions of all runs; -1: out of memory. */
int diff_number_functions(struct diff *diff);

/* Finds renamed functions: one that vanished and one that appeared in its
   place. */
int diff_find_renamed(struct diff *diff);

/*
 * diff_figure.c: compares one figure of all RUNS, those of A first, at an error
 * of ALPHA.
 */
struct diff_figure diff_figure(
	const struct diff *diff, const struct diff_value *runs, double alpha);

/* Adds what run RUN's tree has to a figure of that run. */
void diff_add(const struct diff_private *impl, size_t run,
	const struct tree_sums *sums, struct diff_value *to);

/* Whether a figure is large enough to be looked at. */
bool diff_is_large(const struct diff *diff, const struct diff_value *runs);

/* Learns from all functions how runs vary; -1: out of memory. */
int diff_learn(struct diff *diff);

/* See struct diff. */
double diff_smallest(
	const struct diff *diff, const struct diff_value *runs, double alpha);

#endif
