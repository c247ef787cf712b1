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

/* The set in which one LIKE that was found before is; those with other flags
   have others. */
static struct recent *recent_of(
	const struct locator *locator, const struct location *like)
{
	uint64_t hash = (like->addr ^ (uint64_t)like->module << 40) *
			UINT64_C(0x9e3779b97f4a7c15);
	size_t set = (hash >> 32) % RECENT_SETS * 2 + (like->flags != 0);

	return &locator->recent[set * RECENT_WAYS];
}

static uint32_t find_recent(struct dataset_private *impl, struct recent *set,
	const struct location *like)
{
	for (size_t i = 0; i < RECENT_WAYS; i++)
		if (set[i].addr == like->addr &&
			set[i].module == like->module && set[i].location)
			return set[i].location;
	memmove(set + 1, set, (RECENT_WAYS - 1) * sizeof *set);
	*set = (struct recent){
		like->addr, like->module, dataset_locate(impl, like)};
	return set->location;
}

static int recent_init(struct locator *locator)
{
	size_t size = sizeof(struct recent[2 * RECENT_SETS * RECENT_WAYS]);

	locator->recent =
		aligned_alloc(sizeof(struct recent[RECENT_WAYS]), size);
	if (!locator->recent)
		return -1;
	memset(locator->recent, 0, size);
	return 0;
}

int dataset_locate_nodes(struct dataset_private *impl)
{
	struct locator *locator = &impl->locator;
	size_t n = locator->nahead;
	struct node *nodes = impl->nodes.v + impl->nodes.n - n;
	struct recent *recent[NODES_AHEAD];

	if (!locator->recent && impl->nodes.n > RECENT_SETS * RECENT_WAYS &&
		recent_init(locator))
		return -1;
	for (size_t i = 0; locator->recent && i < n; i++) {
		recent[i] = recent_of(locator, &locator->ahead[i]);
		__builtin_prefetch(recent[i]);
	}
	locator->nahead = 0;
	for (size_t i = 0; i < n; i++) {
		const struct location *like = &locator->ahead[i];

		nodes[i].location = locator->recent
					    ? find_recent(impl, recent[i], like)
					    : dataset_locate(impl, like);
		if (!nodes[i].location)
			return -1;
	}
	return 0;
}

int dataset_locate_later(
	struct dataset_private *impl, const struct location *like)
{
	struct locator *locator = &impl->locator;

	locator->ahead[locator->nahead++] = *like;
	return locator->nahead < NODES_AHEAD ? 0 : dataset_locate_nodes(impl);
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
