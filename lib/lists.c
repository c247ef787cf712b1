/* Finds lists by a hash of their numbers, and copies the new ones. */
#include "lib/lists.h"

uint32_t lists_add(struct lists *lists, const uint32_t *v, uint32_t n)
{
	uint64_t hash = hash_bytes(v, n * sizeof *v);
	size_t probe = 0;
	uint32_t id, *copy;

	while ((id = hash_next(&lists->known, hash, &probe)) != HASH_NONE)
		if (lists->list.v[id].n == n &&
			!memcmp(lists->list.v[id].v, v, n * sizeof *v))
			return id;
	id = (uint32_t)lists->list.n;
	copy = arena_alloc(&lists->arena, n * sizeof *v);
	if (!copy || !vec_reserve(&lists->list, id + 1) ||
		!hash_add(&lists->known, hash, id))
		return HASH_NONE;
	memcpy(copy, v, n * sizeof *v);
	vec_add(&lists->list, (struct number_list){copy, n});
	return id;
}

void lists_free(struct lists *lists)
{
	arena_fini(&lists->arena);
	vec_free(&lists->list);
	hash_free(&lists->known);
}
