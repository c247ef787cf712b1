/*
 * pattern.h - names of files with %-patterns in them, as of `run -o`.
 *
 *   %p  the number of cpprof's own process.  It is there before the program
 *       is, and it is the one that whoever starts cpprof knows: a shell's $!,
 *       the process mpirun or a batch system has started.
 *   %h  the name of this host
 *   %e  the base name of the program
 *   %%  a %
 *
 * What stands for %h and %e has no '/' in it.
 */
#ifndef CPPROF_PATTERN_H
#define CPPROF_PATTERN_H

#include "lib/err.h"

/*
 * The name that PATTERN stands for when PROGRAM (argv[0], a path or a name) is
 * run; the caller's to free.  NULL: another letter behind a %, or no memory.
 */
char *pattern_expand(const char *pattern, const char *program, struct err *err);

#endif
