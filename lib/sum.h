/* sum.h - sums that do not overflow. */
#ifndef CPPROF_SUM_H
#define CPPROF_SUM_H

#include <stdint.h>

/*
 * Weights come from a file that is not trusted: a sum stops at the largest
 * number, so that a part is never more than the whole.
 */
static inline void sum_add(uint64_t *sum, uint64_t x)
{
	if (__builtin_add_overflow(*sum, x, sum))
		*sum = UINT64_MAX;
}

#endif
