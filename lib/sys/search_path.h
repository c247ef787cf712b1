/*
 * search_path.h - where a program is looked for, as execvp(3) does.
 *
 * Takes no memory: the counting object calls it between vfork and exec.
 */
#ifndef CPPROF_SYS_SEARCH_PATH_H
#define CPPROF_SYS_SEARCH_PATH_H

#include <limits.h>
#include <stdbool.h>

/* PATH, or what libc takes where it is not set. */
const char *search_path(void);

/*
 * Fills FILE with the next folder of *LIST and NAME behind it; *LIST stands
 * behind that, NULL at the end.  False: there are no more.
 */
bool search_path_next(const char **list, const char *name, char file[PATH_MAX]);

/*
 * Fills FILE with the interpreter that the script FD names; false: it begins
 * with no such line.
 */
bool script_interpreter(int fd, char file[PATH_MAX]);

#endif
