/*
 * profile_parts.h - what profiles, questions and diffs share: the sums of each
 * function, and the order of functions.
 */
#ifndef CPPROF_PROFILE_PARTS_H
#define CPPROF_PROFILE_PARTS_H

#include "analyzer/tree/tree_private.h"

/* The order of functions of equal weight: by name, then by the name shown. */
int profile_compare_functions(const struct tree *tree, uint32_t a, uint32_t b);

/*
 * The sums of each function of the tree, by function.  The tree owns them and
 * keeps them for further calls.  NULL when out of memory.
 */
const struct function_sums *profile_sums(const struct tree *tree);

/*
 * The same as a table lists them: of a view by thread or process only these,
 * which have all of what is below them by themselves.
 */
const struct function_sums *profile_listed(const struct tree *tree);

/*
 * The total that a table shows for function F.  After the filter `then' it is
 * what lies below the function of that filter.
 */
static inline const struct tree_sums *profile_total(
	const struct tree *tree, const struct function_sums *sums, uint32_t f)
{
	return tree->impl->below ? &tree->impl->below[f] : &sums[f].total;
}

#endif
