/*
 * profile_private.h - shared by the files that make profiles.
 */
#ifndef CPPROF_PROFILE_PRIVATE_H
#define CPPROF_PROFILE_PRIVATE_H

#include "lib/arena.h"
#include "lib/vec.h"
#include "analyzer/profile/path_walk.h"
#include "analyzer/profile/profile.h"
#include "analyzer/tree/tree_private.h"

struct profile_private {
	struct arena arena; /* the paths */
	VEC(struct profile_entry) entries;
	double cutoff;       /* the least weight of an entry */
	uint64_t path_steps; /* held by the paths so far */
	bool *light; /* by function: no path with it is shown; once known */
};

/* "out of memory"; returns -1. */
int profile_no_memory(struct err *err);

/* The order of functions of one weight: by name, then by what tells them. */
int profile_compare_functions(const struct tree *tree, uint32_t a, uint32_t b);

/* Whether an entry of that weight is shown. */
bool profile_wants(const struct profile *profile, uint64_t weight);

/*
 * By function of the tree, what it has: made once, for all that ask, and the
 * tree's.  NULL when out of memory.
 */
const struct function_sums *profile_sums(const struct tree *tree);

/* The total of function F for people: below the last `then` where the function
   profile is of that. */
static inline const struct tree_sums *profile_total(
	const struct tree *tree, const struct function_sums *sums, uint32_t f)
{
	return tree->impl->below ? &tree->impl->below[f] : &sums[f].total;
}

/*
 * Appends the records of WALK that are shown and, with ONLY other than
 * PATH_ANY, end in that function.
 */
int profile_take(struct profile *profile, const struct path_walk *walk,
	uint32_t only, struct err *err);

/* Walks from the outermost nodes of ROOT; LIGHT as for path_walk_from(). */
int profile_walk_root(const struct tree *tree, uint32_t root, const bool *light,
	struct path_walk *walk, struct err *err);

/* Appends the records of the paths that start (end) with ROOT. */
int profile_down(struct profile *profile, uint32_t root, struct err *err);
int profile_up(struct profile *profile, uint32_t root, struct err *err);

#endif
