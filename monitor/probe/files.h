/*
 * files.h - the files a program's functions are in, before it runs.
 *
 * Which executable a command will become, and which libraries it will have, as
 * the system itself would find them.
 */
#ifndef CPPROF_CALLS_FILES_H
#define CPPROF_CALLS_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "lib/err.h"
#include "lib/vec.h"

/*
 * The executable that exec of COMMAND ends in: found in PATH like execvp(3),
 * and where it is a script, its interpreter.  False: there is none.
 */
bool calls_program(const char *command, char path[PATH_MAX]);

struct calls_library {
	char *name; /* as it is asked for: "libc.so.6" */
	char *path;
};

typedef VEC(struct calls_library) calls_libraries;

/*
 * Appends the libraries that LINKER, the dynamic linker of PROGRAM, would load
 * for it in this environment, in its order.  A program without one has none.
 * -1: no memory.
 */
int calls_libraries_of(
	const char *program, const char *linker, calls_libraries *list);

/* Appends the files that process PID has mapped to execute; the same. */
int calls_libraries_mapped(pid_t pid, calls_libraries *list);

/* Appends those in the system's cache, /etc/ld.so.cache.  -1: no memory. */
int calls_libraries_known(calls_libraries *list);

/*
 * The one that WORD names: "libc.so.6", "libc", or the end of its path; NULL:
 * none.
 */
const struct calls_library *calls_library_named(
	const calls_libraries *list, const char *word);

void calls_libraries_free(calls_libraries *list);

#endif
