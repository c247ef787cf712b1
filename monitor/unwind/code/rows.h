/*
 * rows.h - the rows of one module, made once per address.
 *
 * They come from its CFI (cfi.h) and are kept in a table by link-time address,
 * so a lookup in the steady state is a hash probe: no system call, no
 * allocation.  (The idea of a cache of "what to do at this pc": csprof, Froyd
 * et al., ICS 2005, section 3; libunwind's own register-state cache.)
 */
#ifndef CPPROF_UNWIND_ROWS_H
#define CPPROF_UNWIND_ROWS_H

#include <stdint.h>

#include "lib/hash.h"
#include "lib/vec.h"
#include "monitor/unwind/code/cfi.h"
#include "monitor/unwind/code/row.h"

struct row_of { /* of an address */
	uint64_t addr;
	struct unwind_row row;
};

struct unwind_rows {
	struct cfi *cfi;         /* borrowed; NULL: no unwind information */
	struct elf_image *image; /* borrowed; of addresses where threads are;
				    NULL: others */
	VEC(struct row_of) made;
	struct hash known; /* finds them by address */
};

/* The row for ADDR (link-time; return addresses less 1). */
struct unwind_row rows_make(struct unwind_rows *rows, uint64_t addr);

static inline struct unwind_row rows_get(
	struct unwind_rows *rows, uint64_t addr)
{
	size_t probe = 0;
	uint32_t i;

	while ((i = hash_next(&rows->known, hash_mix(addr), &probe)) !=
		HASH_NONE)
		if (rows->made.v[i].addr == addr)
			return rows->made.v[i].row;
	return rows_make(rows, addr);
}

void rows_fini(struct unwind_rows *rows);

#endif
