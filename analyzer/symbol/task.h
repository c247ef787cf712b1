/*
 * task.h - what is to be named, and how far that is.
 *
 * Names are looked up in a child process (symbolize.c).  It shares a struct
 * sym_state with its parent, which shows it, and by it knows what the child was
 * at when it ended.
 */
#ifndef CPPROF_SYMBOL_TASK_H
#define CPPROF_SYMBOL_TASK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "analyzer/symbol/limit.h"
#include "analyzer/symbol/table/addresses.h"
#include "lib/cpprofdata/writer.h"
#include "lib/elf/debug_file.h"
#include "lib/run/run_files.h"

struct sym_state {
	_Atomic uint32_t module;  /* whose files are being read */
	_Atomic uint64_t fetched; /* 1 + bytes of one that came by network; 0:
				     none comes */
};

struct sym_task {
	struct cpd_writer *writer; /* knows the run, and takes the names */
	struct sym_addresses addresses;
	size_t first; /* those before FIRST are done */
	/* Where to find files before their paths; may be NULL. */
	const struct run_files *files;
	/* Called from time to time; may be NULL. */
	void (*progress)(void *arg, size_t done, size_t all);
	void *arg;
	const char **refused; /* by module: why its files are not to be read any
				 more; NULL: they are */
	bool *plain;          /* ... its debug information is not */
	struct debug_search *search;
	bool late; /* as in struct symbolize_options */
	/* Where this is a child; else NULL: */
	struct sym_state *state;
	struct sym_limit *limit;
};

/* Names what is left of TASK.  -1: no memory, or the writer's error. */
int sym_name_all(const struct sym_task *task);

/* Says whose files are read from now on, when all before that is written. */
static inline int sym_task_module(const struct sym_task *task, uint32_t module)
{
	if (!task->state)
		return 0;
	if (cpd_writer_flush(task->writer) < 0)
		return -1;
	task->state->fetched = 0;
	task->state->module = module;
	return 0;
}

#endif
