/*
 * cfi.h - unwind information of one ELF file, as rows.
 *
 * Reads Go's own table (go_rows.h), .eh_frame and else .debug_frame
 * (lib/elf/frame.h), also from a separate debug file, and turns the entry for
 * an address into a row.
 */
#ifndef CPPROF_UNWIND_CFI_H
#define CPPROF_UNWIND_CFI_H

#include "lib/elf/elf_image.h"
#include "monitor/unwind/code/row.h"

/*
 * Start code may have no call frame information (ld.so's, musl's): this much
 * code from the entry point on counts as start code.
 */
#define START_CODE 128

/*
 * NULL: no memory.  In a file without unwind information all rows are unknown,
 * except in start code.  Borrows IMAGE.
 */
struct cfi *cfi_open(struct elf_image *image);
void cfi_close(struct cfi *cfi);

/* The row at ADDR: ROW_UNKNOWN where there is none. */
struct unwind_row cfi_row(struct cfi *cfi, uint64_t addr);

/* Where the function that holds ADDR begins; false: unknown, or CFI is NULL. */
bool cfi_function(struct cfi *cfi, uint64_t addr, uint64_t *start);

/*
 * Whether the function that holds ADDR seems to jump to that which holds TO, or
 * to a part of it that lies apart; also if it is too long to be read.  CFI may
 * be NULL.
 */
bool cfi_jumps(struct cfi *cfi, uint64_t addr, uint64_t to);

/*
 * Whether Go's runtime has ADDR stand for the call of a function that switched
 * a goroutine's stack; CFI may be NULL.
 */
bool cfi_stands_for_call(const struct cfi *cfi, uint64_t addr);

#endif
