/* dataset_locations.c - the places in code that nodes share. */

#include "analyzer/data/dataset_private.h"

uint32_t dataset_locate(
	struct dataset_private *impl, const struct location *like)
{
	uint32_t i = set_add(
		&impl->locations, like, offsetof(struct location, nframes));

	return i == HASH_NONE ? 0 : i;
}

int dataset_lose(struct dataset_private *impl, struct node *node, uint32_t lost)
{
	struct location at = impl->locations.v[node->location];
	uint32_t site = impl->sites.v[node->location];

	at.lost = lost;
	node->location = dataset_locate(impl, &at);
	if (node->location < impl->sites.n)
		return node->location ? 0 : -1;
	return vec_add(&impl->sites, site) ? 0 : -1;
}
