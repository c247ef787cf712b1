/*
 * profile_private.h - shared by the files that make profiles.
 */
#ifndef CPPROF_PROFILE_PRIVATE_H
#define CPPROF_PROFILE_PRIVATE_H

#include "lib/arena.h"
#include "lib/vec.h"
#include "analyzer/profile/path_walk.h"
#include "analyzer/profile/profile.h"
#include "analyzer/profile/profile_parts.h"

struct profile_private {
	struct arena arena; /* the paths */
	VEC(struct profile_entry) entries;
	double cutoff;       /* the least weight of an entry */
	uint64_t path_steps; /* held by the paths so far */
	bool *light; /* by function: no path with it is shown; once known */
};

/* Whether an entry of that weight is shown. */
static inline bool profile_wants(const struct profile *profile, uint64_t weight)
{
	return weight > 0 && (double)weight >= profile->impl->cutoff;
}

/* Room for a path of LENGTH, which lives as long as PROFILE; NULL: none. */
uint32_t *profile_new_path(
	struct profile *profile, uint32_t length, struct err *err);

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
