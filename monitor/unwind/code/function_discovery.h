/*
 * function_discovery.h - finds where functions begin in a file without unwind
 * information.
 *
 * If a function never returns (a main() that ends in exit(), as each of
 * busybox's does) no instruction tells where its return address is.  But the
 * instructions from its start to the address tell how much the stack has grown.
 * The start is found by its uses: direct calls of it, and its address in data
 * and code, for calls through a pointer.
 *
 * Patterns of bytes can be wrong.  So these are candidates: each has to be
 * verified with the return address that it leads to.
 */
#ifndef CPPROF_UNWIND_FUNCTION_DISCOVERY_H
#define CPPROF_UNWIND_FUNCTION_DISCOVERY_H

#include "lib/elf/elf_image.h"
#include "monitor/unwind/code/row.h"

struct function_starts;

enum {
	START_CALLED = 1, /* by a direct call */
	START_TAKEN = 2,  /* its address is in data or loaded by code */
};

struct start_row {
	uint64_t start;
	unsigned how; /* START_... */
	struct unwind_row row;
};

#define START_ROWS 4 /* the most that one address has */

/* NULL: no memory, or the file is too large.  Borrows IMAGE. */
struct function_starts *function_starts_open(struct elf_image *image);
void function_starts_close(struct function_starts *starts);

/*
 * The rows at link-time ADDR, one for each function that may hold it; returns
 * their number.  They are kept by address: *ROWS is lent until the next call.
 */
size_t function_starts_rows(struct function_starts *starts, uint64_t addr,
	const struct start_row **rows);

#endif
