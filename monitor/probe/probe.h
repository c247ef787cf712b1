/*
 * probe.h - finds the functions whose calls a run counts, before it begins.
 *
 * "FUNC[+FUNC...]", each "NAME" or "LIB:NAME", becomes points: the first bytes
 * of functions in files.  NAME is searched for in the target's own executable,
 * and if that has none in the libraries it will load.  LIB is a library by its
 * name or stem (libc.so.6, libc), or any ELF file by its path, for example
 * another program that the target will run.
 *
 * Or patterns, "[LIB:]PATTERN[,...]", name all functions of a file that match.
 *
 * Points of the executable can be hardware breakpoints, which the kernel keeps
 * for each thread; all can be uprobes (breakpoint_timer and uprobe_timer).
 */
#ifndef CPPROF_PROBE_H
#define CPPROF_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "monitor/probe/calls.h"

enum probe_what {
	PROBE_FUNCTIONS,
	PROBE_USDT, /* "[LIB:]PROVIDER:NAME[.argN]" */
	PROBE_PATTERNS,
};

/*
 * Finds what TEXT names, for a run of ARGV, or if that is NULL for process PID.
 * -1 with the error: an unknown name (with the nearest), a variable, a file
 * that cannot be read.  CALLS must be freed in either case.
 */
int probe_find(struct calls *calls, const char *text, enum probe_what what,
	char *const *argv, pid_t pid, struct err *err);

/*
 * The first step of it: finds the executable.  0, also if there is none and
 * calls->program stays NULL; -1 with the error.
 */
int probe_target(
	struct calls *calls, char *const *argv, pid_t pid, struct err *err);

void probe_free(struct calls *calls);

/*
 * The distance of process PID's executable from its link-time addresses; false:
 * it runs another one than CALLS has, or this user may not know.
 */
bool probe_bias(const struct calls *calls, pid_t pid, uint64_t *bias);

#endif
