/*
 * why.h - the same functions or call paths under several resources.
 *
 * Each row has what one function, or one path of a path profile, consumed
 * of each resource; it is there if it reaches the threshold in any of them.
 * All trees are of one dataset and one view but for the resource, without
 * sites.
 */
#ifndef CPPROF_QUESTIONS_WHY_H
#define CPPROF_QUESTIONS_WHY_H

#include "analyzer/profile/profile.h"

struct why_row {
	const uint32_t *path; /* functions */
	uint32_t length;
	const struct tree_sums *of; /* by tree */
	bool wrapper; /* a function that is one (function_figures.h) in each
			 tree that has it; a path of which another that goes on
			 from it has nearly all in each tree */
};

struct why {
	const struct tree *const *trees; /* borrowed */
	size_t ntrees;
	struct why_row *rows; /* by falling weight in the first tree */
	size_t n;
	size_t time; /* see why_time() */
	struct why_private *impl;
};

/* The tree that is of time: cpu, or else real; NTREES if none is. */
size_t why_time(const struct tree *const *trees, size_t ntrees);

/*
 * What is compared.  KIND: PROFILE_FUNCTION for functions, PROFILE_DOWN or _UP
 * for the paths that start or end with one of the NROOTS functions ROOTS.
 * THRESHOLD: of what the filters keep of a resource.
 */
struct why_choice {
	enum profile_kind kind;
	const uint32_t *roots;
	size_t nroots;
	double threshold;
};

/* NULL and the error. */
struct why *why_new(const struct tree *const *trees, size_t ntrees,
	const struct why_choice *choice, struct err *err);
void why_free(struct why *why);

/* The part that a row has of all of a tree's resource. */
double why_share(const struct why *why, const struct why_row *row, size_t tree);

/*
 * '+' where that is at least three times the row's share of time, '-' where it
 * is at most a third, and by 5 points at least; else ' '.
 */
char why_mark(const struct why *why, const struct why_row *row, size_t tree);

#endif
