/*
 * id_map.h - things that come and go, by a number of theirs (a thread's, say).
 *
 * The things are the caller's, who frees them.  All of them, in no order: V[0]
 * to V[N - 1]; taking one out puts the last in its place.  A map of zeros is
 * an empty one.
 */
#ifndef CPPROF_ID_MAP_H
#define CPPROF_ID_MAP_H

#include "lib/hash.h"

struct id_map {
	void **v;
	size_t n, cap;
	uint64_t *ids;
	struct hash known;
};

/* NULL: there is none. */
void *id_map_get(const struct id_map *map, uint64_t id);

/* Adds it, or puts it in the place of another.  false: no memory. */
bool id_map_put(struct id_map *map, uint64_t id, void *thing);

/* Takes out what is there, if it is THING. */
void id_map_remove(struct id_map *map, uint64_t id, const void *thing);

void id_map_free(struct id_map *map);

#endif
