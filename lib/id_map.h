/*
 * id_map.h - finds things by a number, a thread's for example.
 *
 * The caller owns the things.  V[0] to V[N - 1] are all of them, in no order;
 * removing one moves the last to its place.  A map of zeros is an empty one.
 */
#ifndef CPPROF_ID_MAP_H
#define CPPROF_ID_MAP_H

#include "lib/set.h"

struct id_entry {
	uint64_t id;
	void *thing;
};

struct id_map {
	struct id_entry *v;
	size_t n, cap;
	struct hash known;
};

/* NULL: there is none. */
void *id_map_get(const struct id_map *map, uint64_t id);

/* Adds THING, or replaces the one with that number.  false: no memory. */
bool id_map_put(struct id_map *map, uint64_t id, void *thing);

/* Removes the entry if it is THING. */
void id_map_remove(struct id_map *map, uint64_t id, const void *thing);

#define id_map_free(map) set_free(map)

#endif
