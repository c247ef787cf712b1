/*
 * symbolize.h - gives names to the addresses of a run.
 *
 * Called when the run is over and before the file is closed, or for a copy of
 * such a file: looks up
 * every distinct address of the writer's nodes in symbol tables, DWARF and
 * unwind tables (elfutils), demangles (libiberty), and writes function and
 * address records, and a note for each module without symbols.  The target
 * need not exist any more, and files may shrink while they are read (see
 * analyzer/symbol/guard.h).  Files are opened by the module's path and accepted
 * only if their build id is the one that ran.
 */
#ifndef CPPROF_SYMBOL_SYMBOLIZE_H
#define CPPROF_SYMBOL_SYMBOLIZE_H

#include <stdbool.h>

#include "lib/cpprofdata/writer.h"
#include "lib/run/run_files.h"

struct symbolize_options {
	/* Where to find files before their paths; may be NULL. */
	const struct run_files *files;
	void *arg; /* of the calls below */
	/* Called now and then with work done and work in all; may be NULL. */
	void (*progress)(void *arg, size_t done, size_t all);
	/* While debuginfod is asked for a file of MODULE; may be NULL. */
	void (*fetching)(
		void *arg, const struct cpd_module *module, uint64_t bytes);
	/* Whether to do without the names that are left; may be NULL. */
	bool (*stopped)(void *arg);
	/* Root of the files of the machine that ran; may be NULL. */
	const char *sysroot;
	/* The run is long over: only files with the build id that ran have
	   names, and why another has none is a note SYM_NOTE_LEFT (notes.h). */
	bool late;
	/* Takes the records instead of the writer (lib/cpprofdata/relay.h), and
	   TAKE_ARG; may be NULL. */
	int (*take)(void *arg, int kind, void *record);
	void *take_arg;
	/* No child and no limits: for tests that look for crashes. */
	bool in_process;
};

/* 0, or -1 on a writer error or when out of memory; bad ELF is no error. */
int symbolize(struct cpd_writer *writer,
	const struct symbolize_options *options, struct err *err);

#endif
