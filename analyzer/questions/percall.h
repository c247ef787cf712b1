/*
 * percall.h - what a call costs, by the path on which it is made.
 *
 * From two resources of one run: what is consumed, and the calls of a function
 * F (calls=F).  Only outermost calls count, since what an F called by an F
 * consumes is a part of what the outer one does; so each stack is taken up to
 * its outermost F, and the paths are those of the upward profile of F.
 *
 * Calls that were counted by caller alone (arcs) have no more than that, and
 * none knows whether it was outermost; nor does an upward profile tell sites
 * apart.  There the paths are F's callers, as callgraph.h has them: what is
 * consumed is that of the innermost call of F, and the F's that follow each
 * other are one.  Without recursion both are the same.
 */
#ifndef CPPROF_QUESTIONS_PERCALL_H
#define CPPROF_QUESTIONS_PERCALL_H

#include "analyzer/questions/spread.h"

struct percall_row {
	const uint32_t *path; /* functions, F the last */
	uint32_t length;
	const char *site; /* where the last but one calls F; "": not known */
	struct tree_sums of[2]; /* what was consumed, and calls */
};

struct percall {
	const char *function;     /* as the user named it; borrowed */
	struct percall_row *rows; /* by falling of[0] */
	size_t n;
	bool sites;             /* are told apart */
	struct tree *pruned[2]; /* the trees, up to F */
	struct percall_private *impl;
	struct spread spread; /* over the calls, if spread_known */
	bool spread_known;
};

/* The resource that counts calls by caller. */
#define PERCALL_ARCS "arcs"

/*
 * TREES: of what was consumed and of calls, of one view.
 * FUNCTIONS: the N that the name stands for.  THRESHOLD: of what F consumed, or
 * was called.  An error, too, where the time that the probes took cannot be
 * told from what the function consumed, or where its calls were counted in
 * part.  0, and percall_fini() is due; or -1.
 */
int percall_init(struct percall *percall, const struct tree *const trees[2],
	const uint32_t *functions, size_t n, double threshold, struct err *err);
void percall_fini(struct percall *percall);

/*
 * Gticks per call; -1 where no call was counted on that path: those that were
 * under way there began before collecting did.
 */
double percall_value(const struct percall_row *row);

/*
 * The relative error of percall_value(), either way, at 95 %: both counts are
 * taken as sums of independent samples.  0: exact.
 */
double percall_doubt(
	const struct percall *percall, const struct percall_row *row);

/*
 * Whether PERCALL's spread, of which all samples were taken, is that of the
 * calls: each is in a sample, and what the function consumed was consumed in
 * one of them.
 */
bool percall_is_spread(const struct percall *percall);

/* Calls in the losses of the run, of which the path is not known. */
uint64_t percall_lost(const struct percall *percall);

/* Whether each call is in a sample. */
bool percall_counts_all(const struct percall *percall);

#endif
