/*
 * program.h - finds and executes a program, as sh does, and says why not.
 */
#ifndef CPPROF_LAUNCH_PROGRAM
#define CPPROF_LAUNCH_PROGRAM

#include <errno.h>
#include <stdbool.h>

#include "lib/err.h"
#include "monitor/base/result.h"

/*
 * execvp(3): the same PATH and the same choice among its errors.  But a file
 * without #! is given to /bin/sh only if it is text (POSIX, Shell Command
 * Language 2.9.1), else the error is ENOEXEC.  Returns the error.
 */
int program_exec(char *const *argv);

/* Whether exec's ERROR means that there is no such program. */
static inline bool program_is_missing(int error)
{
	return error == ENOENT || error == ENOTDIR;
}

/* What exec's ERROR for PROGRAM means; reads the files to find out. */
enum monitor_result program_explain(
	const char *program, int error, struct err *err);

#endif
