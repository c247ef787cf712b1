/*
 * worker.h - the process that looks names up for symbolize().
 *
 * It reads files that anybody may have made, with libraries that were written
 * for friendly ones.  It is forked from the process that has the run's
 * addresses, so that it needs to be told nothing, and its findings come back
 * through a pipe (out.h).  When it is ended by its limits, crashes, or uses no
 * processor for long, the module it was at is done without debug information,
 * and after a second time without its file, by a new child; the others are none
 * the worse.
 *
 * A fork with 100 MB of samples costs 2 ms; the two processes work in parallel.
 */
#ifndef CPPROF_SYMBOL_WORKER_H
#define CPPROF_SYMBOL_WORKER_H

#include "analyzer/symbol/addresses.h"
#include "analyzer/symbol/out.h"
#include "analyzer/symbol/symbolize.h"

struct sym_task {
	struct sym_addresses addresses;
	size_t first; /* those before FIRST are done */
};

/* symbolize.c: names what is left of TASK.  -1: no memory, or OUT failed. */
int sym_name_all(struct sym_out *out, const struct symbolize_options *options,
	const struct sym_task *task);

#endif
