/*
 * files.h - the files with a program's functions, before it runs.
 *
 * Which executable a command will run, and which libraries that will load, as
 * the system itself would find them.
 */
#ifndef CPPROF_PROBE_FILES_H
#define CPPROF_PROBE_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "lib/err.h"
#include "lib/vec.h"

/*
 * The executable that exec of COMMAND ends in: found in PATH like execvp(3),
 * and where it is a script, its interpreter.  False: there is none.
 */
bool probe_program(const char *command, char path[PATH_MAX]);

struct probe_library {
	char *name; /* as programs name it: "libc.so.6" */
	char *path;
};

typedef VEC(struct probe_library) probe_libraries;

/*
 * Appends the libraries that LINKER, the dynamic linker of PROGRAM, would load
 * for it in this environment, in its order.  A program without one has none.
 * -1: no memory.
 */
int probe_libraries_of(
	const char *program, const char *linker, probe_libraries *list);

/* Appends the files that process PID has mapped to execute; the same result. */
int probe_libraries_mapped(pid_t pid, probe_libraries *list);

/* Appends those that ldconfig knows, if there is one.  -1: no memory. */
int probe_libraries_known(probe_libraries *list);

/*
 * The one that WORD names: "libc.so.6", "libc", or the end of its path; NULL:
 * none.
 */
const struct probe_library *probe_library_named(
	const probe_libraries *list, const char *word);

void probe_libraries_free(probe_libraries *list);

#endif
