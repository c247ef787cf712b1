/*
 * ids.h - the ids of functions already written for one module, by bounds and
 * name.
 */
#ifndef CPPROF_SYMBOL_IDS_H
#define CPPROF_SYMBOL_IDS_H

#include "lib/hash.h"
#include "lib/vec.h"

struct sym_id {
	uint64_t lo, hi;
	uint32_t name; /* number of a string */
	uint32_t id;   /* 0: not written yet; the caller fills it in */
};

struct sym_ids {
	VEC(struct sym_id) list;
	struct hash known;
};

/* The entry of that key, made if new; valid until the next call. NULL when out
   of memory. */
struct sym_id *sym_ids_get(
	struct sym_ids *ids, uint64_t lo, uint64_t hi, uint32_t name);
void sym_ids_fini(struct sym_ids *ids);

#endif
