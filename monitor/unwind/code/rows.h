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
#include "monitor/unwind/code/cfi.h"
#include "monitor/unwind/code/row.h"

#define ROW_CFA_MOST (1 << 19) /* bytes; a larger frame's is made each time */

struct unwind_rows {
	struct cfi *cfi;         /* borrowed; NULL: no unwind information */
	struct elf_image *image; /* borrowed; of addresses where threads are;
				    NULL: others */
	struct hash known;       /* packed rows, by address */
};

/* The row for ADDR (link-time; return addresses less 1). */
struct unwind_row rows_make(struct unwind_rows *rows, uint64_t addr);

/*
 * Of the lower half, of which it loses nothing: two that agree are of one
 * address (the finalizer of MurmurHash3).
 */
static inline uint64_t row_hash(uint64_t addr)
{
	uint32_t x = (uint32_t)addr;

	x = (x ^ x >> 16) * 0x85ebca6b;
	x = (x ^ x >> 13) * 0xc2b2ae35;
	return (uint64_t)(x ^ x >> 16) << 32;
}

/*
 * A row in four bytes: kind in 3 bits, fp in 12 and cfa in 17, both in words.
 * The rows of a large program do not fit the processor's cache; so a line of it
 * has eight with their addresses.
 */
static inline uint32_t row_pack(struct unwind_row row)
{
	uint32_t fp = row.fp == ROW_FP_SAME    ? 0
		      : row.fp == ROW_FP_AT_FP ? 1
					       : (uint32_t)(2 - row.fp / 8);

	return row.kind | (fp & 0xfff) << 3 |
	       (uint32_t)((row.cfa + ROW_CFA_MOST) / 8) << 15;
}

static inline struct unwind_row row_unpack(uint32_t packed)
{
	uint32_t fp = packed >> 3 & 0xfff;

	return (struct unwind_row){
		.kind = packed & 7,
		.fp = fp == 0   ? ROW_FP_SAME
		      : fp == 1 ? ROW_FP_AT_FP
				: (int16_t)(8 * (2 - (int32_t)fp)),
		.cfa = (int32_t)(packed >> 15) * 8 - ROW_CFA_MOST,
	};
}

static inline struct unwind_row rows_get(
	struct unwind_rows *rows, uint64_t addr)
{
	size_t probe = 0;
	uint32_t packed =
		addr >> 32 ? HASH_NONE
			   : hash_next(&rows->known, row_hash(addr), &probe);

	return packed == HASH_NONE ? rows_make(rows, addr) : row_unpack(packed);
}

void rows_fini(struct unwind_rows *rows);

#endif
