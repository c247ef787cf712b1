/*
 * cfi_check.h - whether unwind information asks for no more than it should.
 *
 * libdw keeps a rule for every register up to the highest that a program of
 * call frame instructions names, and a copy of all for each state it is told to
 * remember: a few bytes of a hostile file cost gigabytes.  So what it is to run
 * is read through first.
 */
#ifndef CPPROF_CFI_CHECK_H
#define CPPROF_CFI_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;

/*
 * Whether the unwind information in the section NAME is harmless as libdw reads
 * it: its entries, from the first on to the last that can be read.  In a file
 * without sections it begins at OFFSET, 0: nowhere.  ENTRIES are where a search
 * table says that there are some, N offsets from its start: each must be among
 * those read.  False where there is none, or it is compressed still.
 */
bool cfi_check(struct Elf *elf, const char *name, uint64_t offset,
	const uint64_t *entries, size_t n);

/*
 * Makes the sections with debug information look empty, in memory, but for
 * .debug_frame: libdw would inflate them all.  False: there is no .debug_frame.
 */
bool cfi_check_leave_frames(struct Elf *elf);

#endif
