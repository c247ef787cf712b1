/* ids.c - open addressing with linear probing. */
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/symbol/ids.h"

static bool is_free(const struct sym_id *slot)
{
	return slot->name == 0 && slot->lo == 0 && slot->hi == 0;
}

static struct sym_id *probe(
	struct sym_id *slots, size_t size, const struct sym_id *key)
{
	uint64_t hash = key->lo * 0x9e3779b97f4a7c15u ^
			key->hi * 0xc2b2ae3d27d4eb4fu ^
			key->name * 0x165667b19e3779f9u;
	size_t i = (size_t)(hash ^ hash >> 29 ^ hash >> 47) & (size - 1);

	while (!is_free(&slots[i]) &&
		(slots[i].lo != key->lo || slots[i].hi != key->hi ||
			slots[i].name != key->name))
		i = (i + 1) & (size - 1);
	return &slots[i];
}

static bool grow(struct sym_ids *ids)
{
	size_t size = ids->size ? 2 * ids->size : 256;
	struct sym_id *slots = calloc(size, sizeof *slots);

	if (!slots)
		return false;
	for (size_t i = 0; i < ids->size; i++) {
		if (!is_free(&ids->slots[i]))
			*probe(slots, size, &ids->slots[i]) = ids->slots[i];
	}
	free(ids->slots);
	ids->slots = slots;
	ids->size = size;
	return true;
}

struct sym_id *sym_ids_get(
	struct sym_ids *ids, uint64_t lo, uint64_t hi, uint32_t name)
{
	struct sym_id key = {.lo = lo, .hi = hi, .name = name}, *slot;

	if (2 * (ids->used + 1) > ids->size && !grow(ids))
		return NULL;
	slot = probe(ids->slots, ids->size, &key);
	if (is_free(slot)) {
		*slot = key;
		ids->used++;
	}
	return slot;
}

void sym_ids_fini(struct sym_ids *ids)
{
	free(ids->slots);
	*ids = (struct sym_ids){0};
}
