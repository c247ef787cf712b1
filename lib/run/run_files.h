/*
 * run_files.h - how to open the files of a run as they were when it ran.
 *
 * The monitor offers this, the symbolizer uses it; all functions may be NULL.
 * Modules and processes are given by their ids in the run's file.
 */
#ifndef CPPROF_RUN_FILES_H
#define CPPROF_RUN_FILES_H

#include <stddef.h>
#include <stdint.h>

struct size_log { /* of a growing file */
	uint64_t time,
		size; /* when it was last seen, ns as clock_now(); bytes */
};

struct run_files {
	/* A descriptor of a module's file, or for generated code of its
	   process's perf map; the caller closes it; -1: there is none. */
	int (*open_module)(const void *arg, uint32_t module);
	/* The same for the last jitdump that a process mapped. */
	int (*open_dump)(const void *arg, uint32_t process);
	/* The sizes that such a perf map had, in ascending order; N of them. */
	const struct size_log *(*map_size_log)(
		const void *arg, uint32_t module, size_t *n);
	/* When a process began, ns of CLOCK_REALTIME; 0: not known. */
	uint64_t (*began)(const void *arg, uint32_t process);
	const void *arg;
};

/* Calls a function of FILES, which may be NULL. */

static inline int run_files_module(const struct run_files *files, uint32_t id)
{
	return files && files->open_module ? files->open_module(files->arg, id)
					   : -1;
}

static inline int run_files_dump(const struct run_files *files, uint32_t id)
{
	return files && files->open_dump ? files->open_dump(files->arg, id)
					 : -1;
}

static inline const struct size_log *run_files_size_log(
	const struct run_files *files, uint32_t id, size_t *n)
{
	*n = 0;
	return files && files->map_size_log
		       ? files->map_size_log(files->arg, id, n)
		       : NULL;
}

static inline uint64_t run_files_began(
	const struct run_files *files, uint32_t process)
{
	return files && files->began ? files->began(files->arg, process) : 0;
}

#endif
