/*
 * profile.h - call path profiles of a sample tree.
 *
 * Downward, upward, function and body profiles as Hall and Goldberg define
 * them ("Call Path Profiling of Monotonic Program Resources in UNIX", USENIX
 * Summer 1993, appendix): records are locked while their subtree is walked, a
 * recursive call cuts the path back to the earlier occurrence, so recursion of
 * any kind gives finitely many paths and no hit counts twice for one path.
 * Upward to R is defined by upward(R)[p] = downward(first(p))[p].
 *
 * A profile owns its entries and the paths in them; it borrows the tree.
 */
#ifndef CPPROF_PROFILE_H
#define CPPROF_PROFILE_H

#include "analyzer/tree/tree.h"

enum profile_kind {
	PROFILE_DOWN,
	PROFILE_UP,
	PROFILE_FUNCTION, /* body and descendants */
	PROFILE_BODY,
	PROFILE_TREE, /* the sample tree itself, threshold applied */
};

static inline bool profile_has_root(enum profile_kind kind)
{
	return kind == PROFILE_DOWN || kind == PROFILE_UP;
}

struct profile_entry {
	const uint32_t *path;  /* functions; one for FUNCTION and BODY */
	const uint32_t *sites; /* site of each step (tree_node.site), or NULL */
	uint32_t length;
	uint32_t depth; /* TREE: depth below the root; path is the function */
	uint64_t weight, hits, samples;
};

struct profile {
	enum profile_kind kind;
	const struct tree *tree;
	double threshold; /* its entries have at least this part of KEPT */
	struct profile_entry *entries; /* by falling weight, the shorter path
					  first, then by name; TREE:
					  in the order of a walk, heaviest child
					  first */
	size_t n;
	uint64_t total; /* what usage fractions are of: all weight of the run */
	uint64_t kept;  /* of it, what the tree's filters keep */
	struct profile_private *impl;
};

/*
 * The profile of that kind with entries of at least THRESHOLD (0 to 1) of
 * what is kept.  ROOTS: for DOWN and UP, the NROOTS functions a root's name
 * stands for, taken as one root each with their own paths (FN_ALL: the tree's
 * root); ignored by the others.  NULL when out of memory, or when the work of
 * the tree's view is to stop.
 */
struct profile *profile_new(const struct tree *tree, enum profile_kind kind,
	const uint32_t *roots, size_t nroots, double threshold,
	struct err *err);
void profile_free(struct profile *profile);

/* The entry's usage fraction: of the whole run, whatever the filters. */
double profile_fraction(
	const struct profile *profile, const struct profile_entry *entry);

/* Its fraction of what the filters keep; without filters the same. */
double profile_kept_fraction(
	const struct profile *profile, const struct profile_entry *entry);

/* Whether every event is in a sample, so that the fractions are exact. */
bool profile_is_exact(const struct profile *profile);
bool profile_of_all(const struct tree *tree);

/*
 * The variance, in gticks squared, that sampling gives to a sum of samples.
 * What passed in an event at its stack is known to an interval, however many
 * they are; else all that a sample stands for is estimated.
 */
double profile_variance(const struct tree *tree, const struct tree_sums *sums);

/* Whether a sum rests on fewer than FEW_SAMPLES, and may be wrong by a fifth
   and more. */
bool profile_is_rough(const struct tree *tree, const struct tree_sums *sums);
#define FEW_SAMPLES 20

/*
 * The 95 % confidence interval (Wilson) of an entry's usage fraction.  The
 * samples count as the number of independent trials of one weight that would
 * say as much.  Where hits pass in events, hits are trials, and all but one of
 * a sample's are certain.
 */
void profile_interval(const struct profile *profile,
	const struct profile_entry *entry, double *lo, double *hi);

#endif
