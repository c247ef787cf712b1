/*
 * frame.h - call frame information: .eh_frame and .debug_frame of an ELF file.
 *
 * The one reader of both (DWARF 5, section 6.4; Linux Standard Base, "Exception
 * Frames"), for 64-bit files.  It finds .eh_frame by .eh_frame_hdr, which
 * stripped files have too, or by its section; and .debug_frame, also compressed
 * or in a separate debug file.  Entries (FDE) are searched in a sorted index:
 * the table of .eh_frame_hdr, or one that is made here.
 *
 * The bytes are borrowed from the Elf, which must outlive what is opened here.
 * They are not trusted: the cost of a file is proportional to its size, and an
 * entry that cannot be read gives FRAME_BAD.
 *
 * A row takes 0.1 to 0.4 us to make (libdw: 13), so a cache of rows can be by
 * address: a table of ranges cost more than it saved.
 */
#ifndef CPPROF_ELF_FRAME_H
#define CPPROF_ELF_FRAME_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/arch/arch.h"

/* The registers that rows tell of, by DWARF's numbers. */
enum { FRAME_FP = DWARF_FP, FRAME_SP = DWARF_SP, FRAME_RA = DWARF_RA };

enum frame_rule {
	FRAME_SAME,      /* unchanged; also where nothing is said */
	FRAME_UNDEFINED, /* lost; for the return address: the outermost frame */
	FRAME_AT_CFA,    /* saved at the CFA + offset */
	FRAME_IS_CFA,    /* is the CFA + offset */
	FRAME_SAVED,     /* saved at the address that `ops` give */
	FRAME_VALUE,     /* is the value that `ops` give */
	FRAME_REGISTER,  /* in register number `offset` */
};

/* Where a register of the caller is. */
struct frame_saved {
	enum frame_rule rule;
	uint32_t nops;
	union {
		int64_t offset;
		const uint8_t *ops; /* a DWARF expression of NOPS bytes */
	};
};

struct frame_row {
	uint64_t lo, hi;        /* it holds for these addresses */
	bool signal;            /* a signal frame */
	const uint8_t *cfa_ops; /* expression for the CFA; NULL: it is */
	uint64_t cfa_reg;       /* this register + cfa_offset */
	int64_t cfa_offset;     /* with cfa_ops: their length in bytes */
	struct frame_saved fp, sp, ra;
};

struct frames;

/*
 * The call frame information of ELF, and the .debug_frame of DEBUG, a separate
 * debug file's Elf or NULL.  A file may have none.  NULL: no memory.
 */
struct frames *frames_open(Elf *elf, Elf *debug);
void frames_close(struct frames *frames);

enum frame_found {
	FRAME_NONE, /* nothing covers the address */
	FRAME_ROW,
	FRAME_BAD, /* an entry covers it, and cannot be read */
};

/* The row at link-time ADDR; .eh_frame comes first. */
enum frame_found frames_row(
	struct frames *frames, uint64_t addr, struct frame_row *row);

/* The addresses that an entry covers: a function, or a part of one. */
struct frame_range {
	uint64_t lo, hi;
	bool signal; /* begins one byte early, so that pc - 1 finds it */
};

/* The entry that covers ADDR; false: none. */
bool frames_range(
	struct frames *frames, uint64_t addr, struct frame_range *range);

/* Where the first entry above ADDR begins; UINT64_MAX: there is none. */
uint64_t frames_next(struct frames *frames, uint64_t addr);

#endif
