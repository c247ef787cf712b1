/* dataset_locations.c - the places in code that nodes share. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"

static uint64_t location_hash(const struct location *at)
{
	return hash_with(hash_mix(at->addr ^ (uint64_t)at->module << 48),
		(uint64_t)at->lost << 1 | at->flags);
}

uint32_t dataset_locate(
	struct dataset_private *impl, const struct location *like)
{
	uint64_t hash = location_hash(like);
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&impl->located, hash, &probe)) != HASH_NONE) {
		const struct location *at = &impl->locations.v[i];

		if (at->addr == like->addr && at->module == like->module &&
			at->lost == like->lost && at->flags == like->flags)
			return i;
	}
	i = (uint32_t)impl->locations.n;
	if (!vec_reserve(&impl->locations, i + 1) ||
		!hash_add(&impl->located, hash, i))
		return 0;
	*(struct location *)vec_push(&impl->locations) = *like;
	return i;
}

int dataset_lose(struct dataset_private *impl, struct node *node, uint32_t lost)
{
	struct location at = impl->locations.v[node->location];
	uint32_t site = impl->sites.v[node->location], *slot;

	at.lost = lost;
	node->location = dataset_locate(impl, &at);
	if (node->location < impl->sites.n)
		return node->location ? 0 : -1;
	slot = vec_push(&impl->sites);
	if (slot)
		*slot = site;
	return slot ? 0 : -1;
}
