/*
 * allocators.h - malloc and its like, wherever a run may find them.
 *
 * What asks for memory is a fixed set of functions (malloc, calloc, realloc,
 * reallocarray, memalign, aligned_alloc, posix_memalign, valloc, pvalloc, and
 * C++'s operator new where that does not call malloc).  They are looked for in
 * the target's executable, in the libraries it loads, and, for other programs
 * that it may run, in the system's C library and well known allocators.
 */
#ifndef CPPROF_PROBE_ALLOCATORS_H
#define CPPROF_PROBE_ALLOCATORS_H

#include <sys/types.h>

#include "lib/err.h"
#include "monitor/probe/probe.h"

/*
 * As probe_find(): CALLS gets a point for each such function, and the ranges of
 * code that are the allocators' own.  -1: a program in which none can be found.
 */
int allocators_find(
	struct calls *calls, char *const *argv, pid_t pid, struct err *err);

#endif
