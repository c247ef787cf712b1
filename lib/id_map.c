/* A set of numbers, each with its thing. */
#include "lib/id_map.h"

static uint32_t find(const struct id_map *map, uint64_t id)
{
	return set_find(map, &(struct id_entry){.id = id}, sizeof id);
}

void *id_map_get(const struct id_map *map, uint64_t id)
{
	uint32_t i = find(map, id);

	return i == HASH_NONE ? NULL : map->v[i].thing;
}

bool id_map_put(struct id_map *map, uint64_t id, void *thing)
{
	uint32_t i = set_add(map, &(struct id_entry){.id = id}, sizeof id);

	if (i != HASH_NONE)
		map->v[i].thing = thing;
	return i != HASH_NONE;
}

void id_map_remove(struct id_map *map, uint64_t id, const void *thing)
{
	uint32_t i = find(map, id), last = (uint32_t)map->n - 1;

	if (i == HASH_NONE || map->v[i].thing != thing)
		return;
	hash_remove(&map->known, hash_bytes(&id, sizeof id), i);
	map->n--;
	if (i == last)
		return;
	id = map->v[last].id;
	hash_remove(&map->known, hash_bytes(&id, sizeof id), last);
	map->v[i] = map->v[last];
	hash_add(&map->known, hash_bytes(&id, sizeof id), i); /* has room */
}
