#include "analyzer/symbol/ids.h"

struct sym_id *sym_ids_get(
	struct sym_ids *ids, uint64_t lo, uint64_t hi, uint32_t name)
{
	uint64_t hash = hash_with(hash_with(hash_mix(lo), hi), name);
	size_t probe = 0;
	uint32_t i;
	struct sym_id *id;

	while ((i = hash_next(&ids->known, hash, &probe)) != HASH_NONE) {
		id = &ids->list.v[i];
		if (id->lo == lo && id->hi == hi && id->name == name)
			return id;
	}
	if (!vec_reserve(&ids->list, ids->list.n + 1) ||
		!hash_add(&ids->known, hash, (uint32_t)ids->list.n))
		return NULL;
	id = vec_push(&ids->list);
	*id = (struct sym_id){.lo = lo, .hi = hi, .name = name};
	return id;
}

void sym_ids_fini(struct sym_ids *ids)
{
	vec_free(&ids->list);
	hash_free(&ids->known);
}
