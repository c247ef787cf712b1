/*
 * strangers.h - other processes that a uprobe may end.
 *
 * An uprobe is in every process that has mapped the file.  One that is traced,
 * or whose code valgrind translates, may take its trap for its own and die.
 */
#ifndef CPPROF_PROBE_STRANGERS_H
#define CPPROF_PROBE_STRANGERS_H

#include <stddef.h>
#include <sys/types.h>

#include "monitor/probe/probe.h"

/*
 * How many processes but OWN, of those that this one sees, are such and have a
 * file of CALLS; the first is *PID.
 */
size_t strangers_find(const struct calls *calls, pid_t own, pid_t *pid);

#endif
