/*
 * frame.h - call frame information: .eh_frame and .debug_frame of an ELF file.
 *
 * The one reader of both (DWARF 5, section 6.4; Linux Standard Base, "Exception
 * Frames"), for files of 64-bit x86.  It finds .eh_frame by .eh_frame_hdr, so
 * stripped files have it too, or by its section, and .debug_frame, compressed
 * as well, also in a separate debug file.  Entries (FDE) are searched in a
 * sorted index: the table of .eh_frame_hdr, or one that is made here.
 *
 * The bytes are borrowed from the Elf, which has to outlive what is opened
 * here, and are not trusted: what a file can cost is proportional to its size,
 * and an entry that cannot be read gives FRAME_BAD.
 *
 * A row takes 0.1 to 0.4 us to make (libdw: 13), so what is kept of rows can be
 * by address: a table of ranges cost more than it saved.
 */
#ifndef CPPROF_ELF_FRAME_H
#define CPPROF_ELF_FRAME_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/* DWARF's numbers of registers (System V ABI for x86-64, figure 3.36). */
enum { FRAME_RBP = 6, FRAME_RSP = 7, FRAME_RIP = 16 };

enum frame_rule {
	FRAME_SAME,      /* the caller's still; also: nothing is said of it */
	FRAME_UNDEFINED, /* lost; of the return address: the outermost frame */
	FRAME_AT_CFA,    /* saved at the CFA + offset */
	FRAME_IS_CFA,    /* it is the CFA + offset */
	FRAME_SAVED,     /* saved at the address that `ops` give */
	FRAME_VALUE,     /* it is what `ops` give */
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
	bool signal;            /* of a signal frame */
	const uint8_t *cfa_ops; /* the CFA is what they give; NULL: it is */
	uint64_t cfa_reg;       /* this register + cfa_offset */
	int64_t cfa_offset;     /* with cfa_ops: how many bytes they are */
	struct frame_saved rbp, rsp, ra;
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
	FRAME_BAD, /* an entry does, and cannot be read */
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

/*
 * Calls EACH with every entry in the order of the file until it returns other
 * than 0, which is then returned.  Broken tables give what stands before the
 * break.
 */
int frames_each(struct frames *frames,
	int (*each)(void *arg, const struct frame_range *range), void *arg);

#endif
