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

/* The set in which one like NODE's that was found before is; those with other
   flags have others. */
static struct recent *recent_of(
	struct recent *recent, const struct node_read *node)
{
	uint64_t hash = (node->addr ^ (uint64_t)node->module << 40) *
			UINT64_C(0x9e3779b97f4a7c15);
	size_t set = (hash >> 32) % RECENT_SETS * 2 + (node->flags != 0);

	return &recent[set * RECENT_WAYS];
}

static uint32_t locate(
	struct dataset_private *impl, const struct node_read *node)
{
	struct location like = {.addr = node->addr,
		.module = node->module,
		.flags = node->flags};

	return dataset_locate(impl, &like);
}

static uint32_t find_recent(struct dataset_private *impl, struct recent *set,
	const struct node_read *node)
{
	for (size_t i = 0; i < RECENT_WAYS; i++)
		if (set[i].addr == node->addr &&
			set[i].module == node->module && set[i].location)
			return set[i].location;
	memmove(set + 1, set, (RECENT_WAYS - 1) * sizeof *set);
	*set = (struct recent){node->addr, node->module, locate(impl, node)};
	return set->location;
}

static struct recent *recent_new(void)
{
	size_t size = sizeof(struct recent[2 * RECENT_SETS * RECENT_WAYS]);
	struct recent *recent =
		aligned_alloc(sizeof(struct recent[RECENT_WAYS]), size);

	return recent ? memset(recent, 0, size) : NULL;
}

/* N is no more than NODES_AHEAD, and there is room. */
static int add_round(
	struct dataset_private *impl, const struct node_read *read, size_t n)
{
	struct node *nodes = impl->nodes.v + impl->nodes.n;
	struct recent *sets[NODES_AHEAD];

	for (size_t i = 0; impl->recent && i < n; i++) {
		sets[i] = recent_of(impl->recent, &read[i]);
		__builtin_prefetch(sets[i]);
	}
	for (size_t i = 0; i < n; i++) {
		nodes[i].parent = read[i].parent;
		nodes[i].location =
			impl->recent ? find_recent(impl, sets[i], &read[i])
				     : locate(impl, &read[i]);
		if (!nodes[i].location)
			return -1;
	}
	impl->nodes.n += n;
	return 0;
}

int dataset_add_nodes(
	struct dataset_private *impl, const struct node_read *read, size_t n)
{
	if (!impl->recent && impl->nodes.n + n > RECENT_SETS * RECENT_WAYS &&
		!(impl->recent = recent_new()))
		return -1;
	if (!vec_reserve(&impl->nodes, impl->nodes.n + n))
		return -1;
	for (size_t i = 0, round; i < n; i += round) {
		round = n - i < NODES_AHEAD ? n - i : NODES_AHEAD;
		if (add_round(impl, read + i, round))
			return -1;
	}
	return 0;
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
