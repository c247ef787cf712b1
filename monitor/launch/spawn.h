/*
 * spawn.h - starts the target, with the monitor ready before its first
 * instruction.
 *
 * Before its exec the child waits on a pipe; the end of the pipe means go.  So
 * if the monitor dies, the target runs as if there had been none.  The child
 * has the monitor's process group, terminal, descriptors, limits and signal
 * settings as they were when cpprof began.
 */
#ifndef CPPROF_LAUNCH_SPAWN
#define CPPROF_LAUNCH_SPAWN

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/err.h"
#include "monitor/base/result.h"

struct spawn {
	pid_t pid;
	pid_t monitor;        /* the process that starts it */
	bool beside;          /* PID is our former self, and no child */
	int go;               /* closing it lets the child exec */
	int result;           /* the child reports here */
	struct rusage before; /* of the child before its exec */
	/* Called now and then until the exec: a signal would stop the child for
	   good.  -1: the child will not come to its exec. */
	int (*serve)(void *arg, struct err *err);
	/* Called by the child just before its exec; NULL: nothing is to do. */
	void (*before_exec)(void *arg);
	void *arg;
};

/* Exit statuses where the target cannot run, as a shell has them. */
enum {
	LAUNCH_FAILED = 125,
	LAUNCH_NOT_EXECUTABLE = 126,
	LAUNCH_NOT_FOUND = 127,
};

/* Forks the child, which then waits, with the signals of MASK blocked. */
int spawn_begin(struct spawn *spawn, char *const *argv, const sigset_t *mask,
	struct err *err);

/*
 * The calling process waits and will become the target, with its number,
 * parent, session and terminal.  Another process returns from this: it is not
 * related to the first, in a session of its own, with standard error alone.
 * When it has reported an error and exits, the waiting one does, too.  -1:
 * there is only one process.
 */
int spawn_beside(struct spawn *spawn, char *const *argv, struct err *err);

/*
 * Lets the child go and waits until its exec has succeeded or failed; after a
 * failure the child has been reaped.
 */
enum monitor_result spawn_go(
	struct spawn *spawn, char *const *argv, struct err *err);

/* Before spawn_go(): ends the child instead. */
void spawn_cancel(struct spawn *spawn);

#endif
