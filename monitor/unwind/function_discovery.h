/*
 * function_discovery.h - where the functions of a file without unwind
 * information begin.
 *
 * Of a function that never returns (a main() that ends in exit(), as each of
 * busybox's is) no instruction tells where its return address is.  But from its
 * start to an instruction in it the stack has grown by just so much.  Where it
 * starts is said by those who use it: direct calls of it, and its address in
 * data and code, from which it is called through a pointer.
 *
 * What is found by patterns of bytes is not all true.  So these are candidates:
 * each has to be verified with the return address that it leads to.
 */
#ifndef CPPROF_UNWIND_FUNCTION_DISCOVERY_H
#define CPPROF_UNWIND_FUNCTION_DISCOVERY_H

#include "lib/elf/elf_image.h"
#include "monitor/unwind/row.h"

struct function_starts;

enum {
	START_CALLED = 1, /* by a direct call */
	START_TAKEN = 2,  /* its address is in data or loaded by code */
};

struct start_row {
	uint64_t start;
	unsigned how; /* START_... */
	struct row row;
};

#define START_ROWS 4 /* the most that one address has */

/* NULL: no memory, or the file is too large.  Borrows IMAGE. */
struct function_starts *function_starts_open(struct elf_image *image);
void function_starts_close(struct function_starts *starts);

/*
 * The rows at link-time ADDR by the functions that may hold it: their number.
 * They are kept by address: *ROWS is lent until the next call.
 */
size_t function_starts_rows(struct function_starts *starts, uint64_t addr,
	const struct start_row **rows);

#endif
