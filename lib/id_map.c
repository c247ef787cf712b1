/* Things and their numbers in two arrays, and a hash table over them. */
#include "lib/id_map.h"

#include <stdlib.h>

static uint32_t find(const struct id_map *map, uint64_t id)
{
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&map->known, hash_mix(id), &probe)) != HASH_NONE)
		if (map->ids[i] == id)
			break;
	return i;
}

void *id_map_get(const struct id_map *map, uint64_t id)
{
	uint32_t i = find(map, id);

	return i == HASH_NONE ? NULL : map->v[i];
}

static bool grow(struct id_map *map)
{
	size_t cap = map->cap ? 2 * map->cap : 64;
	uint64_t *ids = realloc(map->ids, cap * sizeof *ids);
	void **v;

	if (ids)
		map->ids = ids;
	v = ids ? realloc(map->v, cap * sizeof *v) : NULL;
	if (!v)
		return false;
	map->v = v;
	map->cap = cap;
	return true;
}

bool id_map_put(struct id_map *map, uint64_t id, void *thing)
{
	uint32_t i = find(map, id);

	if (i == HASH_NONE) {
		i = (uint32_t)map->n;
		if ((map->n == map->cap && !grow(map)) ||
			!hash_add(&map->known, hash_mix(id), i))
			return false;
		map->ids[map->n++] = id;
	}
	map->v[i] = thing;
	return true;
}

void id_map_remove(struct id_map *map, uint64_t id, const void *thing)
{
	uint32_t i = find(map, id), last = (uint32_t)map->n - 1;

	if (i == HASH_NONE || map->v[i] != thing)
		return;
	hash_remove(&map->known, hash_mix(id), i);
	map->n--;
	if (i == last)
		return;
	hash_remove(&map->known, hash_mix(map->ids[last]), last);
	map->v[i] = map->v[last];
	map->ids[i] = map->ids[last];
	hash_add(&map->known, hash_mix(map->ids[i]), i); /* there is room */
}

void id_map_free(struct id_map *map)
{
	free(map->v);
	free(map->ids);
	hash_free(&map->known);
	*map = (struct id_map){0};
}
