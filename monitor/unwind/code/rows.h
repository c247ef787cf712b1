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

#include <stddef.h>
#include <stdint.h>

#include "monitor/unwind/code/cfi.h"
#include "monitor/unwind/code/row.h"

/*
 * A row in four bytes, with the low half of its address in four more.  The
 * table of a large program's rows does not fit the cache, so a line has eight.
 * Rows that do not fit in four bytes (frames of half a megabyte) are made each
 * time.
 */
struct row_slot {
	uint32_t addr; /* plus 1; 0: empty */
	uint32_t packed;
};

struct unwind_rows {
	struct cfi *cfi;        /* borrowed; NULL: no unwind information */
	struct row_slot *slots; /* open addressing, a power of two */
	size_t nslots, used;
	uint64_t made;
};

void rows_init(struct unwind_rows *rows, struct cfi *cfi);
void rows_fini(struct unwind_rows *rows);

/* The row for ADDR (link-time; return addresses less 1). */
struct unwind_row rows_make(struct unwind_rows *rows, uint64_t addr);

static inline uint64_t row_hash(uint64_t addr)
{
	return (addr * 0x9e3779b97f4a7c15ull) >> 20;
}

/* kind: 3 bits, fp: 12, cfa: 17; the latter two in words */
static inline uint32_t row_pack(struct unwind_row row)
{
	uint32_t fp = row.fp == ROW_FP_SAME    ? 0
		      : row.fp == ROW_FP_AT_FP ? 1
					       : (uint32_t)(2 - row.fp / 8);

	return row.kind | (fp & 0xfff) << 3 |
	       (uint32_t)((row.cfa + (1 << 19)) / 8) << 15;
}

static inline struct unwind_row row_unpack(uint32_t packed)
{
	uint32_t fp = packed >> 3 & 0xfff;

	return (struct unwind_row){
		.kind = packed & 7,
		.fp = fp == 0   ? ROW_FP_SAME
		      : fp == 1 ? ROW_FP_AT_FP
				: (int16_t)(8 * (2 - (int32_t)fp)),
		.cfa = (int32_t)(packed >> 15) * 8 - (1 << 19),
	};
}

static inline struct unwind_row rows_get(
	struct unwind_rows *rows, uint64_t addr)
{
	if (rows->nslots && addr < UINT32_MAX) {
		size_t mask = rows->nslots - 1;

		for (size_t i = row_hash(addr) & mask;; i = (i + 1) & mask) {
			if (rows->slots[i].addr == addr + 1)
				return row_unpack(rows->slots[i].packed);
			if (rows->slots[i].addr == 0)
				break;
		}
	}
	return rows_make(rows, addr);
}

#endif
