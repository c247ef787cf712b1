/*
 * planted.h - trees of given stacks, and their profiles.
 */
#ifndef CPPROF_PLANTED_H
#define CPPROF_PLANTED_H

#include "analyzer/profile/profile.h"
#include "t/unit/analyzer/stack_tree.h"
#include "t/lib/tap.h"

#define FIRST 10 /* number of the first function */

static struct profile *make(const struct tree *tree, enum profile_kind kind,
	uint32_t root, double threshold)
{
	struct err err;
	struct profile *p = profile_new(tree, kind, &root, 1, threshold, &err);

	if (!p)
		diag("%s", err.reason);
	return p;
}

static struct tree *plant(const struct stack *stacks, size_t n)
{
	struct err err;

	return tree_from_stacks(stacks, n, &err);
}

static bool sorted(const struct profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (profile_fraction(p, &p->entries[i]) > 1 ||
			(i > 0 && p->entries[i - 1].weight <
					  p->entries[i].weight))
			return false;
	return true;
}

#endif
