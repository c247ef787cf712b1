/* A table of rows by address, filled on demand. */
#include "monitor/unwind/code/rows.h"

void rows_fini(struct unwind_rows *rows)
{
	vec_free(&rows->made);
	hash_free(&rows->known);
}

/* Without memory the next lookup makes the row again. */
struct unwind_row rows_make(struct unwind_rows *rows, uint64_t addr)
{
	struct row_of made = {addr, {.kind = ROW_UNKNOWN}};

	if (rows->cfi)
		made.row = cfi_row(rows->cfi, addr);
	if (vec_reserve(&rows->made, rows->made.n + 1) &&
		hash_add(&rows->known, hash_mix(addr), (uint32_t)rows->made.n))
		rows->made.v[rows->made.n++] = made;
	return made.row;
}
