/*
 * witness.h - tells signals to cpprof from signals to its process group.
 *
 * A signal to the group reaches the target directly; a signal to cpprof alone
 * has to be passed on.  The kernel does not say which it was (siginfo is the
 * same).  So a process, no child of cpprof's, waits in the group with all
 * signals blocked: a signal that it has, too, went to the group.  It ends with
 * cpprof.
 */
#ifndef CPPROF_LAUNCH_WITNESS
#define CPPROF_LAUNCH_WITNESS

#include <stdbool.h>
#include <sys/types.h>

struct witness {
	int fd; /* to ask it */
	pid_t pid;
	unsigned long long
		seen; /* signals that it got and cpprof has not asked for yet */
};

/* Starts it.  Has no error: if it cannot be started, it saw no signal. */
void witness_start(struct witness *witness);

/* Whether it has got SIGNAL, too, since it was last asked for that one. */
bool witness_saw(struct witness *witness, int signal);

void witness_end(struct witness *witness);

#endif
