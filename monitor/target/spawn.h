/*
 * spawn.h - starts the target, with the monitor ready before its first
 * instruction.
 *
 * The child waits on a pipe before its exec; the end of the pipe means go, so
 * a monitor that dies lets the target run as if it had never been there.  The
 * child has the monitor's process group, terminal, descriptors, limits and
 * signal settings as they were when cpprof began.
 */
#ifndef CPPROF_TARGET_SPAWN_H
#define CPPROF_TARGET_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"
#include "monitor/result.h"

struct spawn {
	pid_t pid;
	bool beside;     /* PID is our former self, and no child */
	int go;          /* closing it lets the child exec */
	int result;      /* what the child has to say */
	uint64_t faults; /* page faults of the child before its exec */
	/* Called now and then until the exec, for a child that is traced: a
	   signal would stop it for good.  NULL: it is not. */
	void (*serve)(void *arg);
	void *arg;
};

/* What stands in for the target exits with, as a shell's command would. */
enum {
	LAUNCH_FAILED = 125,
	LAUNCH_NOT_EXECUTABLE = 126,
	LAUNCH_NOT_FOUND = 127,
};

/* Forks the child, which then waits. */
int spawn_begin(struct spawn *spawn, char *const *argv, struct err *err);

/*
 * The other way round: the calling process waits and will become the target,
 * with its number, parent, session and terminal; what returns from this is
 * another process, no relation of it, in a session of its own and with standard
 * error alone.  When that process has said what went wrong and exits, the
 * waiting one does.  -1: both are one still.
 */
int spawn_beside(struct spawn *spawn, char *const *argv, struct err *err);

/*
 * Lets it go and waits until its exec has succeeded or failed; after a failure
 * a child has been reaped.
 */
enum monitor_result spawn_go(
	struct spawn *spawn, char *const *argv, struct err *err);

/* Before spawn_go(): ends the child instead. */
void spawn_cancel(struct spawn *spawn);

#endif
