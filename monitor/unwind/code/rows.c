/* A hash table of rows by address, filled on demand. */
#include "monitor/unwind/code/rows.h"

#include <stdlib.h>
#include <string.h>

void rows_init(struct unwind_rows *rows, struct cfi *cfi)
{
	memset(rows, 0, sizeof *rows);
	rows->cfi = cfi;
}

void rows_fini(struct unwind_rows *rows)
{
	free(rows->slots);
	memset(rows, 0, sizeof *rows);
}

static void put(struct row_slot *slots, size_t n, struct row_slot new)
{
	size_t i = row_hash(new.addr - 1) & (n - 1);

	while (slots[i].addr)
		i = (i + 1) & (n - 1);
	slots[i] = new;
}

static bool fits(uint64_t addr, struct unwind_row row)
{
	struct unwind_row back = row_unpack(row_pack(row));

	return addr < UINT32_MAX && row.cfa < 1 << 19 &&
	       row.cfa >= -(1 << 19) && !memcmp(&row, &back, sizeof row);
}

/* Without memory the next lookup makes the row again. */
static void remember(
	struct unwind_rows *rows, uint64_t addr, struct unwind_row row)
{
	if (!fits(addr, row))
		return;
	if (rows->used * 2 >= rows->nslots) {
		size_t n = rows->nslots ? rows->nslots * 2 : 1024;
		struct row_slot *slots = calloc(n, sizeof *slots);

		if (!slots)
			return;
		for (size_t i = 0; i < rows->nslots; i++)
			if (rows->slots[i].addr)
				put(slots, n, rows->slots[i]);
		free(rows->slots);
		rows->slots = slots;
		rows->nslots = n;
	}
	put(rows->slots, rows->nslots,
		(struct row_slot){(uint32_t)addr + 1, row_pack(row)});
	rows->used++;
}

struct unwind_row rows_make(struct unwind_rows *rows, uint64_t addr)
{
	struct unwind_row row = {.kind = ROW_UNKNOWN};

	if (rows->cfi)
		row = cfi_row(rows->cfi, addr);
	rows->made++;
	remember(rows, addr, row);
	return row;
}
