/*
 * lower_bound.h - binary search, the only one.
 *
 * LOWER_BOUND(n, i, BEFORE) is the first index of [0, n) for which BEFORE, an
 * expression in i, is false; n if it is true for all.  BEFORE must be true up
 * to some index and false from there on.
 *
 *     at = LOWER_BOUND(spans.n, i, spans.v[i].end <= addr);
 */
#ifndef CPPROF_LOWER_BOUND_H
#define CPPROF_LOWER_BOUND_H

#include <stddef.h>

#define LOWER_BOUND(n, i, before)                                              \
	({                                                                     \
		size_t lower_bound_ = 0, upper_bound_ = (n);                   \
                                                                               \
		while (lower_bound_ < upper_bound_) {                          \
			size_t i = lower_bound_ +                              \
				   (upper_bound_ - lower_bound_) / 2;          \
                                                                               \
			if (before)                                            \
				lower_bound_ = i + 1;                          \
			else                                                   \
				upper_bound_ = i;                              \
		}                                                              \
		lower_bound_;                                                  \
	})

#endif
