/*
 * cfi_eh_frame.h - rows from .eh_frame, for the programs that compilers write.
 *
 * libdw interprets all that call frame information can say; making a row with
 * it takes microseconds, and a large program has tens of thousands.  Here are
 * the few operations that nearly all functions are described by, on the table
 * as every linker of x86-64 writes it (LSB, Exception Frames; DWARF 5, 6.4);
 * what is anything else is left to libdw, so a row from here is the same as one
 * from there.
 */
#ifndef CPPROF_CFI_EH_FRAME_H
#define CPPROF_CFI_EH_FRAME_H

#include "lib/elf/elf_image.h"
#include "monitor/unwind/row.h"

struct eh_frame;

enum eh_frame_found {
	EH_FRAME_ROW,
	EH_FRAME_NONE,  /* it says nothing of this address */
	EH_FRAME_OTHER, /* it does, in a way that is not read here */
};

/* NULL: none that can be read here, or no memory.  IMAGE is not kept. */
struct eh_frame *eh_frame_open(struct elf_image *image);
void eh_frame_close(struct eh_frame *eh);

/* The row at link-time ADDR. */
enum eh_frame_found eh_frame_row(
	const struct eh_frame *eh, uint64_t addr, struct row *row);

/*
 * For those who read it in another way: where its table says that entries are,
 * *N offsets from the start of .eh_frame, which is at *OFFSET of the file (0:
 * nowhere).  To be freed; NULL: no memory.
 */
uint64_t *eh_frame_entries(const struct eh_frame *eh,
	const struct elf_image *image, size_t *n, uint64_t *offset);

/* Whether nobody finds a table to search in the file's .eh_frame_hdr. */
bool eh_frame_no_table(struct elf_image *image);

#endif
