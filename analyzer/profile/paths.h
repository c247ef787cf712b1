/*
 * paths.h - what given call paths weigh in a tree, however little.
 */
#ifndef CPPROF_PROFILE_PATHS_H
#define CPPROF_PROFILE_PATHS_H

#include "analyzer/tree/tree.h"

struct path_weight {
	const uint32_t *path;
	uint32_t length;       /* 1 or more */
	struct tree_sums sums; /* filled in */
};

/*
 * Weighs N paths as the downward profile from the first function of each does,
 * in a tree without sites.  A path that is in no stack, or is none in the sense
 * of path_walk.h, has zeros.  -1 and the error.
 */
int paths_weigh(const struct tree *tree, struct path_weight *paths, size_t n,
	struct err *err);

#endif
