/*
 * group_signals.h - tells signals to cpprof from signals to its process group.
 *
 * A signal to the group reaches the target directly; a signal to cpprof alone
 * has to be passed on.  The kernel does not say which it was (siginfo is the
 * same).  So a process, no child of cpprof's, waits in the group with all
 * signals blocked: a signal that it has, too, went to the group.  It ends with
 * cpprof.
 */
#ifndef CPPROF_LAUNCH_GROUP_SIGNALS_H
#define CPPROF_LAUNCH_GROUP_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

struct group_signals {
	int fd; /* to ask it */
	pid_t pid;
	unsigned long long seen; /* signals that it has got, not yet taken */
};

/* Starts it.  Has no error: if it cannot be started, it saw no signal. */
void group_signals_start(struct group_signals *group);

/* Whether SIGNAL went to the group since this was last asked. */
bool group_signals_take(struct group_signals *group, int signal);

void group_signals_end(struct group_signals *group);

#endif
