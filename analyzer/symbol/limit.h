/*
 * limit.h - limits on the look-up of names, in proportion to the files.
 *
 * Debug information can make a small file expand without end. The process that
 * reads it (symbolize.c) limits itself: to an amount of memory and of CPU time
 * for each module, and more for each byte of the files that are opened for it.
 * Above that the kernel ends it, or it ends itself. Without a limit (NULL) all
 * of these do nothing.
 */
#ifndef CPPROF_SYMBOL_LIMIT_H
#define CPPROF_SYMBOL_LIMIT_H

#include <elfutils/libdw.h>
#include <stdint.h>

#define SYM_LIMIT_STATUS 77 /* exit status: no more memory */

struct sym_limit {
	unsigned seconds;                  /* for a module without files */
	uint64_t memory, files, addresses; /* of the module at hand */
	uint64_t used_before;              /* seconds */
};

/* Makes this process limit itself. TRIES: how many before it were ended. */
void sym_limit_begin(struct sym_limit *limit, unsigned tries);

/* Starts a module with N addresses to name. */
void sym_limit_module(struct sym_limit *limit, uint64_t n);

/* Adds the file FD to the files of the module. */
void sym_limit_file(struct sym_limit *limit, int fd);

/* Makes libdw end this process instead of printing when memory is short. */
void sym_limit_dwarf(const struct sym_limit *limit, Dwarf *dwarf);

/* Ends this process if memory has run short since the last call. */
void sym_limit_check(const struct sym_limit *limit);

#endif
