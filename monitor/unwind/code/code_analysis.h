/*
 * code_analysis.h - rows for code without unwind information, from its
 * instructions.
 *
 * The instructions are followed from the address on every path to a return.
 * What they push and pop, and how they move the stack pointer, gives the place
 * of the return address at the return, and so where it is now; the same for the
 * saved frame pointer.  A path that does anything unclear to the stack pointer
 * is given up.  Paths that disagree (one ran past a call that does not return)
 * give several rows.  The caller has to verify each: a call instruction must
 * stand before the return address.
 */
#ifndef CPPROF_UNWIND_CODE_ANALYSIS_H
#define CPPROF_UNWIND_CODE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/unwind/code/row.h"

#define CODE_ANALYSIS_ROWS 4 /* the most that one address has */

/* The code to read the instructions from. */
struct code_analysis_code {
	/* Reads up to N bytes at ADDR; returns how many there are. */
	size_t (*read)(void *arg, uint64_t addr, uint8_t *buf, size_t n);
	void *arg;
};

/* `read` of the code of a struct elf_image. */
size_t code_of_image(void *image, uint64_t addr, uint8_t *buf, size_t n);

/*
 * Makes the rows, all different, for a thread whose next instruction is at
 * ADDR, and returns their number.  ROWS has room for CODE_ANALYSIS_ROWS.
 */
size_t code_analysis_rows(const struct code_analysis_code *code, uint64_t addr,
	struct unwind_row *rows);

/*
 * Makes the row for a thread at ADDR in the function that begins at ENTRY: by
 * what the instructions from there to ADDR push.  For functions that do not
 * return, or whose frame pointer is unknown.  False: unclear, or different
 * paths give different rows; with ALL also where they are too many to follow.
 */
bool code_analysis_from_entry(const struct code_analysis_code *code,
	uint64_t entry, uint64_t addr, bool all, struct unwind_row *row);

/*
 * The same where the entry is unknown: from the last prologue before ADDR, for
 * a method that HotSpot has compiled and that may not return.
 */
bool code_analysis_from_prologue(const struct code_analysis_code *code,
	uint64_t addr, struct unwind_row *row);

/*
 * Whether the code at ADDR surely never returns: every path ends in a trap or
 * in a call of a function that does not return.
 */
bool code_analysis_never_returns(
	const struct code_analysis_code *code, uint64_t addr);

#endif
