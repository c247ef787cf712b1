/*
 * code_analysis.h - rows for code without unwind information, from its
 * instructions.
 *
 * From the address on, the instructions are followed on every way to a return:
 * what is pushed and popped and what moves rsp gives the place of the return
 * address there, and so where it is now; the same for the saved rbp.  A way
 * that does anything unclear to rsp is given up.  Ways that disagree (one ran
 * past a call that does not return) give several rows, each of which a reader
 * has to verify: a call instruction must stand before the return address.
 */
#ifndef CPPROF_UNWIND_CODE_ANALYSIS_H
#define CPPROF_UNWIND_CODE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/unwind/row.h"

#define CODE_ANALYSIS_ROWS 4 /* the most that one address gives */

/* Where the instructions are read from. */
struct code_analysis_code {
	/* Up to N bytes at ADDR; how many there were. */
	size_t (*read)(void *arg, uint64_t addr, uint8_t *buf, size_t n);
	void *arg;
};

/*
 * The rows for a thread whose next instruction is at ADDR, no two the same:
 * their number.  ROWS has room for CODE_ANALYSIS_ROWS.
 */
size_t code_analysis_rows(
	const struct code_analysis_code *code, uint64_t addr, struct row *rows);

/*
 * The row for a thread at ADDR in the function that begins at ENTRY: by what
 * the instructions from there to ADDR have pushed.  For functions that do not
 * return.  False: unclear, or not the same on all ways to there.
 */
bool code_analysis_from_entry(const struct code_analysis_code *code,
	uint64_t entry, uint64_t addr, struct row *row);

/*
 * The same where the entry is not known: for a method that HotSpot has compiled
 * and that may not return, from the last prologue before ADDR.
 */
bool code_analysis_from_prologue(
	const struct code_analysis_code *code, uint64_t addr, struct row *row);

/* Frees the decoder. */
void code_analysis_fini(void);

#endif
