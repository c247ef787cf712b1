/*
 * frame_private.h - the parts of the frame reader: frame.c finds the sections,
 * frame_entry.c reads entries, frame_index.c searches them, frame_program.c
 * runs their instructions.
 */
#ifndef CPPROF_ELF_FRAME_PRIVATE_H
#define CPPROF_ELF_FRAME_PRIVATE_H

#include "lib/bytes.h"
#include "lib/elf/frame.h"

/* An entry by its start address; sorted. */
struct frame_pair {
	int32_t start; /* from the section's `base` */
	uint32_t at;   /* in the section */
};

struct frame_section {
	const uint8_t *bytes; /* NULL: there is none */
	uint64_t size, addr;
	bool debug_frame;
	bool open_ended; /* ends with a zero length; its size is unknown */
	uint64_t base;
	struct frame_pair *pairs;
	size_t npairs;
};

/* What entries share (CIE). */
struct frame_cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding; /* of addresses */
	bool augmented;   /* entries have a length of augmentation data */
	bool signal;
	struct cursor program;
};

/* An entry (FDE), and its instructions. */
struct frame_entry {
	uint64_t lo, hi;
	struct frame_cie cie;
	struct cursor program;
};

enum frame_read {
	FRAME_READ,
	FRAME_NOT_READ, /* the entry is a CIE, or cannot be read */
	FRAME_AT_END,   /* no entry begins there */
};

/*
 * Reads the entry at AT of the section, and where the next one is.  CACHED is
 * the last CIE that was read and its place, UINT64_MAX at the start.
 */
struct frame_cached {
	uint64_t at;
	bool good;
	struct frame_cie cie;
};
enum frame_read frame_entry_read(const struct frame_section *s, uint64_t at,
	struct frame_cached *cached, struct frame_entry *entry, uint64_t *next);

/* A pointer with its base; only the bases that 64-bit files use. */
uint64_t frame_pointer(
	const struct frame_section *s, struct cursor *c, uint8_t encoding);

/* The row of ENTRY that holds at ADDR; false: it cannot be read. */
bool frame_run(const struct frame_section *s, const struct frame_entry *entry,
	uint64_t addr, struct frame_row *row);

/*
 * Makes the index of a section: from the table of .eh_frame_hdr at address
 * HEADER (TABLE, of N pairs of (function, entry), relative to it), or by
 * reading all entries.  False: the table is not sorted, or no memory.
 */
bool frame_index_from(struct frame_section *s, uint64_t header,
	const uint8_t *table, size_t n);
bool frame_index_make(struct frame_section *s);

/*
 * Finds the last entry that begins at or before ADDR; false: none.  *NEXT is
 * where the one behind it begins, UINT64_MAX: there is none.
 */
bool frame_index_find(const struct frame_section *s, uint64_t addr,
	uint64_t *at, uint64_t *next);

#endif
