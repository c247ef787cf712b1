/*
 * hash.h - mixing numbers into a hash, and adding without going round.
 */
#ifndef CPPROF_HASH_H
#define CPPROF_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Spreads all bits of X (the finalizer of MurmurHash3). */
static inline uint64_t hash_mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	x ^= x >> 33;
	return x;
}

static inline uint64_t hash_add(uint64_t hash, uint64_t x)
{
	return hash_mix(hash * 0x9e3779b97f4a7c15ULL + x);
}

/*
 * Weights come from a file that is not trusted: sums stop at the largest
 * number, so that a part is never more than the whole.
 */
static inline void sum_add(uint64_t *sum, uint64_t x)
{
	if (__builtin_add_overflow(*sum, x, sum))
		*sum = UINT64_MAX;
}

#endif
