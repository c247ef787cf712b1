/*
 * profile_absent.h - call paths that another resource of the run knows.
 *
 * A path that takes a large part of one resource and nothing of another says
 * something of both.  Only the shortest are told: what goes on from a path of
 * no weight has none either.
 */
#ifndef CPPROF_PROFILE_ABSENT_H
#define CPPROF_PROFILE_ABSENT_H

#include "analyzer/profile/profile.h"

/*
 * Finds the entries of OTHER that weigh nothing in PROFILE's tree while the
 * path before their last step is an entry of PROFILE.  OTHER: a downward
 * profile of another resource, of the same dataset, view and roots; the view
 * tells no sites apart.  *ABSENT, the caller's to free, gets N of them,
 * borrowed from OTHER, heaviest first.  -1 when out of memory, or when the work
 * is to stop.
 */
int profile_absent(const struct profile *profile, const struct profile *other,
	const struct profile_entry ***absent, size_t *n, struct err *err);

#endif
