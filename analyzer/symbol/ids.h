/*
 * ids.h - the numbers of the functions already written for one module.
 *
 * A hash table from (bounds, name) to the id of the function record.
 */
#ifndef CPPROF_SYM_IDS_H
#define CPPROF_SYM_IDS_H

#include <stddef.h>
#include <stdint.h>

struct sym_id {
	uint64_t lo, hi;
	uint32_t name; /* number of a string */
	uint32_t id;   /* 0: not written yet, to be filled in by the caller */
};

struct sym_ids {
	struct sym_id *slots;
	size_t size, used; /* size: a power of two */
};

/* The entry of that key, made if new; good until the next call.  NULL when out
   of memory. */
struct sym_id *sym_ids_get(
	struct sym_ids *ids, uint64_t lo, uint64_t hi, uint32_t name);
void sym_ids_fini(struct sym_ids *ids);

#endif
