/*
 * lists.h - lists of numbers, each kept once.
 *
 *     struct lists lists = {0};
 *     uint32_t id = lists_add(&lists, path, length);   (from 0 on)
 *
 *     if (id == HASH_NONE) no memory; else use(lists.list.v[id].v);
 *
 * A list is lent until lists_free().
 */
#ifndef CPPROF_LISTS_H
#define CPPROF_LISTS_H

#include "lib/arena.h"
#include "lib/hash.h"
#include "lib/vec.h"

struct number_list {
	const uint32_t *v;
	uint32_t n;
};

struct lists {
	struct arena arena;
	VEC(struct number_list) list; /* by number */
	struct hash known;
};

/* The number of the list of these N numbers; HASH_NONE: no memory. */
uint32_t lists_add(struct lists *lists, const uint32_t *v, uint32_t n);

void lists_free(struct lists *lists);

#endif
