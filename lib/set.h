/*
 * set.h - things in an array, each there once.
 *
 *     SET_OF(struct edge) edges = {0};        struct edge { uint32_t from, to;
 *                                                        uint64_t calls; };
 *     struct edge edge = {.from = 1, .to = 2};
 *     uint32_t i = set_add(&edges, &edge, offsetof(struct edge, calls));
 *
 *     if (i == HASH_NONE) no memory; else edges.v[i].calls++;
 *
 * Two things are the same if their first KEY bytes are, which must have no
 * padding; 0 stands for all of them.  A pointer into a set is good until the
 * next set_add().
 */
#ifndef CPPROF_SET_H
#define CPPROF_SET_H

#include "lib/hash.h"
#include "lib/vec.h"

#define SET_OF(type)                                                           \
	struct {                                                               \
		type *v;                                                       \
		size_t n, cap;                                                 \
		struct hash known;                                             \
	}

/* The number of the thing that is the same as THING; where there is none, that
   of a copy, the last one from now on.  HASH_NONE: no memory. */
#define set_add(set, thing, key)                                               \
	(vec_reserve(set, (set)->n + 1) ? set_add_(&(set)->known, (set)->v,    \
						  &(set)->n, sizeof *(set)->v, \
						  1 ? (thing) : (set)->v, key) \
					: HASH_NONE)

/* The number of the thing that is the same as THING, or HASH_NONE. */
#define set_find(set, thing, key)                                              \
	set_find_(&(set)->known, (set)->v, sizeof *(set)->v,                   \
		1 ? (thing) : (set)->v, key)

/* Forgets all things, at no cost. */
#define set_clear(set) (hash_clear(&(set)->known), (set)->n = 0)

#define set_free(set) (hash_free(&(set)->known), vec_free(set))

uint32_t set_add_(struct hash *known, void *v, size_t *n, size_t size,
	const void *thing, size_t key);
uint32_t set_find_(const struct hash *known, const void *v, size_t size,
	const void *thing, size_t key);

#endif
