/*
 * limit.h - limits on the look-up of names, in proportion to the files.
 *
 * Debug information can make a small file expand without end. The process that
 * reads it (symbolize.c) limits itself: to an amount of memory and of CPU time
 * for each module, and more for each byte of the files that are opened for it.
 * Above that the kernel ends it, or it ends itself. In a process that has not
 * called sym_limit_begin() all of these do nothing.
 */
#ifndef CPPROF_SYMBOL_LIMIT_H
#define CPPROF_SYMBOL_LIMIT_H

#include <elfutils/libdw.h>
#include <stdint.h>

#define SYM_LIMIT_STATUS 77 /* exit status: no more memory */

/* Makes this process limit itself. TRIES: how many before it were ended. */
void sym_limit_begin(unsigned tries);

/* Starts a module with N addresses to name. */
void sym_limit_module(uint64_t n);

/* Adds the file FD to the files of the module. */
void sym_limit_file(int fd);

/* Makes libdw end this process instead of printing when memory is short. */
void sym_limit_dwarf(Dwarf *dwarf);

/* Ends this process if memory has run short since the last call. */
void sym_limit_check(void);

#endif
