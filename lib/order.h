/*
 * order.h - what compares two things for qsort().
 *
 * ORDER(x, y) is below 0, 0 or above 0 as numbers X and Y are; turned around it
 * sorts the largest first.  Further keys stand behind a ?:
 */
#ifndef CPPROF_ORDER_H
#define CPPROF_ORDER_H

#include <stdint.h>
#include <string.h>

#define ORDER(x, y) (((x) > (y)) - ((x) < (y)))

/* Compares what begins with such a number. */
static inline int order_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return ORDER(*x, *y);
}

static inline int order_u32(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return ORDER(*x, *y);
}

/* Compares pointers to strings. */
static inline int order_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#endif
