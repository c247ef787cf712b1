/*
 * hash.h - the hash table: finds things that lie in an array of their owner's.
 *
 * A table has the number of each thing behind a part of its hash, open
 * addressed and probed in a line, three quarters full at most.  It never reads
 * the things: the caller gets the numbers of those whose hashes agree, and
 * compares them.
 *
 *     size_t probe = 0;
 *     uint32_t n;
 *
 *     while ((n = hash_next(&table, hash, &probe)) != HASH_NONE)
 *             if (is_it(&things.v[n]))
 *                     return &things.v[n];
 *     hash_add(&table, hash, things.n)       (then push it)
 *
 * hash_clear() forgets all, at no cost.  A table of zeros is an empty one.
 */
#ifndef CPPROF_HASH_H
#define CPPROF_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_NONE UINT32_MAX

struct hash {
	/* the hash's upper half << 32 | number + 1 + base; up to base: free */
	uint64_t *v;
	size_t n, cap;
	uint32_t base, most; /* most: the next clearing sets base to it */
};

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

/* The hash of X and of what HASH was made of. */
static inline uint64_t hash_with(uint64_t hash, uint64_t x)
{
	return hash_mix(hash * 0x9e3779b97f4a7c15ULL + x);
}

/* The hash of N bytes. */
uint64_t hash_bytes(const void *bytes, size_t n);

/* Fetches what hash_next() will read; the table is not empty. */
static inline void hash_fetch(const struct hash *table, uint64_t hash)
{
	__builtin_prefetch(&table->v[(hash >> 32) & (table->cap - 1)]);
}

/*
 * The number of the next thing with HASH; *PROBE is 0 for the first.
 * HASH_NONE: there are no more.
 */
static inline uint32_t hash_next(
	const struct hash *table, uint64_t hash, size_t *probe)
{
	uint32_t part = (uint32_t)(hash >> 32);

	while (table->cap) {
		size_t at = (part + (*probe)++) & (table->cap - 1);
		uint64_t entry = table->v[at];

		if ((uint32_t)entry <= table->base)
			break;
		if ((uint32_t)(entry >> 32) == part)
			return (uint32_t)entry - table->base - 1;
	}
	return HASH_NONE;
}

/*
 * Adds the thing NUMBER, below HASH_NONE - 1, which must not be there.  false:
 * no memory, and nothing is changed.
 */
bool hash_add(struct hash *table, uint64_t hash, uint32_t number);

/* Removes the thing NUMBER, which must be there. */
void hash_remove(struct hash *table, uint64_t hash, uint32_t number);

/* Makes room for COUNT more; false: no memory. */
bool hash_reserve(struct hash *table, size_t count);

void hash_clear(struct hash *table);
void hash_free(struct hash *table);

#endif
