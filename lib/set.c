/* Finds things by their first bytes, and adds copies. */
#include "lib/set.h"

static uint32_t find(const struct hash *known, const void *v, size_t size,
	const void *thing, size_t key, uint64_t hash)
{
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(known, hash, &probe)) != HASH_NONE)
		if (!memcmp((const char *)v + i * size, thing, key))
			break;
	return i;
}

uint32_t set_find_(const struct hash *known, const void *v, size_t size,
	const void *thing, size_t key)
{
	key = key ? key : size;
	return find(known, v, size, thing, key, hash_bytes(thing, key));
}

uint32_t set_add_(struct hash *known, void *v, size_t *n, size_t size,
	const void *thing, size_t key)
{
	uint64_t hash = hash_bytes(thing, key ? key : size);
	uint32_t i = find(known, v, size, thing, key ? key : size, hash);

	if (i != HASH_NONE)
		return i;
	if (*n >= HASH_NONE - 1 || !hash_add(known, hash, (uint32_t)*n))
		return HASH_NONE;
	memcpy((char *)v + *n * size, thing, size);
	return (uint32_t)(*n)++;
}
