/*
 * witness.h - tells signals to cpprof from signals to its process group.
 *
 * Who signals the group means the target, which is in it and gets the signal by
 * itself; a signal to cpprof alone is the target's too, but has to be handed
 * on.  The kernel does not say which it was (siginfo is the same), so a process
 * stands by in the group, no child of cpprof's, with all signals blocked: what
 * it has got as well went to the group.  It goes when cpprof does, however.
 */
#ifndef CPPROF_TARGET_WITNESS_H
#define CPPROF_TARGET_WITNESS_H

#include <stdbool.h>
#include <sys/types.h>

struct witness {
	int fd; /* to talk with it */
	pid_t pid;
	unsigned long long seen; /* signals it got and nobody asked for yet */
};

/* Begins; has no error: where there can be no witness there is none. */
void witness_start(struct witness *witness);

/* Whether it has got SIGNAL as well, since it was last asked for that one. */
bool witness_saw(struct witness *witness, int signal);

void witness_end(struct witness *witness);

#endif
