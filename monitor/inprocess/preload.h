/*
 * preload.h - has the target count its requests for memory by itself, and the
 * calls of instrumented functions.
 *
 * A probe on malloc costs a hundred times what malloc does.  So `run` has the
 * target's dynamic linker load a small object before libc, which counts, and
 * the probe is on the one function that it calls when an interval has passed.
 * What the object sees and what it does not: programs.c, object.c.
 */
#ifndef CPPROF_INPROCESS_PRELOAD_H
#define CPPROF_INPROCESS_PRELOAD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "monitor/inprocess/counting.h"
#include "monitor/probe/probe.h"

/* What the object is told; the entries of the target's environment. */
struct preload {
	uint32_t run; /* tells it from that of another cpprof; 0: no object */
	uint64_t interval[COUNTINGS]; /* 0: not counted */
	unsigned randomize;           /* percent */
	unsigned follows; /* a bit for each whose blocks are followed */
	int contexts;     /* the descriptor of their memory; 0: not counted */
	bool stops;       /* the monitor sees system calls */
	char *object;     /* its path */
};

/*
 * Whether the program of ARGV can have the object, which has a number from then
 * on: 0, or -1 with the reason why not, a clause.
 */
int preload_check(struct preload *preload, char *const *argv, struct err *why);

/*
 * CALLS has the allocators of a run of ARGV: if the program can have the
 * object, its point takes the place of libc's.  Those of other allocators stay:
 * where one serves, the object counts nothing.  -1 with the reason why not, a
 * clause; then CALLS is as before, but for lack of memory.
 */
int preload_find(struct preload *preload, struct calls *calls,
	char *const *argv, struct err *why);

/* Sets the environment of the calling process for its exec.  -1 with errno.
   MONITOR is the process that runs the monitor. */
int preload_environment(const struct preload *preload, pid_t monitor);

void preload_free(struct preload *preload);

#endif
