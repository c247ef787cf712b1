/* sum.h - sums and differences that do not overflow. */
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

/* A less B, 0 at the least. */
static inline uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
