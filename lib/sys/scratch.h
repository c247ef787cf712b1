/*
 * scratch.h - a file for what does not fit in memory.
 *
 * It has no name, so nothing is left of it when it is closed or the program
 * dies.
 */
#ifndef CPPROF_SYS_SCRATCH_H
#define CPPROF_SYS_SCRATCH_H

#include <stdio.h>

/*
 * Opens an empty one, to write and to read: in the folder TMPDIR if that can
 * be, else in /tmp, else in memory.  NULL: errno says why.
 */
FILE *scratch_open(void);

#endif
