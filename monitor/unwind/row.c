#include "monitor/unwind/row.h"

#include <stdlib.h>
#include <string.h>

#include "lib/huge_pages.h"
#include "monitor/unwind/cfi.h"

void rows_init(struct rows *rows, struct cfi *cfi)
{
	memset(rows, 0, sizeof *rows);
	rows->cfi = cfi;
}

void rows_fini(struct rows *rows)
{
	big_free(rows->slots, rows->nslots * sizeof *rows->slots);
	vec_free(&rows->ranges);
	memset(rows, 0, sizeof *rows);
}

static void put(struct row_slot *slots, size_t n, struct row_slot new)
{
	size_t i = row_hash(new.addr - 1) & (n - 1);

	while (slots[i].addr)
		i = (i + 1) & (n - 1);
	slots[i] = new;
}

static bool fits(uint64_t addr, struct row row)
{
	struct row back = row_unpack(row_pack(row));

	return addr < UINT32_MAX && row.cfa < 1 << 19 &&
	       row.cfa >= -(1 << 19) && !memcmp(&row, &back, sizeof row);
}

/* Out of memory only means that the next lookup makes the row again. */
static void remember(struct rows *rows, uint64_t addr, struct row row)
{
	if (!fits(addr, row))
		return;
	if (rows->used * 2 >= rows->nslots) {
		size_t n = rows->nslots ? rows->nslots * 2 : 1024;
		struct row_slot *slots = big_new(n * sizeof *slots);

		if (!slots)
			return;
		for (size_t i = 0; i < rows->nslots; i++)
			if (rows->slots[i].addr)
				put(slots, n, rows->slots[i]);
		big_free(rows->slots, rows->nslots * sizeof *slots);
		rows->slots = slots;
		rows->nslots = n;
	}
	put(rows->slots, rows->nslots,
		(struct row_slot){(uint32_t)addr + 1, row_pack(row)});
	rows->used++;
}

/* The first range whose hi is above ADDR. */
static size_t range_at(const struct rows *rows, uint64_t addr)
{
	size_t lo = 0, hi = rows->ranges.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (rows->ranges.v[mid].hi <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void remember_range(
	struct rows *rows, size_t at, const struct row_range *range)
{
	if (!vec_push(&rows->ranges)) /* the next lookup makes it again */
		return;
	memmove(&rows->ranges.v[at + 1], &rows->ranges.v[at],
		(rows->ranges.n - 1 - at) * sizeof *range);
	rows->ranges.v[at] = *range;
}

struct row rows_make(struct rows *rows, uint64_t addr)
{
	struct row_range range = {addr, addr + 1, {.kind = ROW_UNKNOWN}};
	size_t at = range_at(rows, addr);

	if (at < rows->ranges.n && rows->ranges.v[at].lo <= addr) {
		remember(rows, addr, rows->ranges.v[at].row);
		return rows->ranges.v[at].row;
	}
	if (rows->cfi)
		cfi_row(rows->cfi, addr, &range);
	rows->made++;
	if (at < rows->ranges.n && range.hi > rows->ranges.v[at].lo)
		range.hi = rows->ranges.v[at].lo;
	if (range.hi - range.lo > 1)
		remember_range(rows, at, &range);
	remember(rows, addr, range.row);
	return range.row;
}
