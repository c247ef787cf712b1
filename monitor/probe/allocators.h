/*
 * allocators.h - malloc and the like, in all files that a run may use.
 *
 * A fixed set of functions allocates memory (malloc, calloc, realloc,
 * reallocarray, memalign, aligned_alloc, posix_memalign, valloc, pvalloc, and
 * C++'s operator new where that does not call malloc).  The search is in the
 * target's executable, in the libraries it loads, and, for other programs that
 * it may run, in the system's C library and well known allocators.
 */
#ifndef CPPROF_PROBE_ALLOCATORS_H
#define CPPROF_PROBE_ALLOCATORS_H

#include <sys/types.h>

#include "lib/err.h"
#include "monitor/probe/probe.h"

/*
 * ENDS: also where they return, and the functions that free.  Those of a file
 * come in the order of enum allocation, these last.
 *
 * As probe_find(): CALLS gets a point for each such function, and the ranges of
 * code of the allocators.  -1: also if the program has none.
 */
int allocators_find(struct calls *calls, char *const *argv, pid_t pid,
	bool ends, struct err *err);

#endif
