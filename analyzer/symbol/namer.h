/*
 * namer.h - looks the names of addresses up, module by module.
 */
#ifndef CPPROF_SYMBOL_NAMER_H
#define CPPROF_SYMBOL_NAMER_H

#include "analyzer/symbol/table/addresses.h"
#include "analyzer/symbol/out.h"
#include "lib/run_files.h"

struct sym_task {
	struct sym_addresses addresses;
	size_t first; /* those before FIRST are done */
	/* Where to find files before their paths; may be NULL. */
	const struct run_files *files;
	/* Called from time to time where OUT is the file itself; may be
	   NULL. */
	void (*progress)(void *arg, size_t done, size_t all);
	void *arg;
};

/* Names what is left of TASK.  -1: no memory, or OUT failed. */
int sym_name_all(struct sym_out *out, const struct sym_task *task);

#endif
