/*
 * control.h - the target as its parent sees it: signals for it, its stops, its
 * end.
 *
 * While a job is watched, cpprof stands where the target would stand without
 * it.  Signals to the process group, from the terminal or from anybody, reach
 * the target by themselves, since it is in that group; those that somebody
 * sends to cpprof alone are handed on, so that the target gets each once.
 * When the target stops, cpprof stops too, so that a shell's job control sees
 * it; it goes on when it is continued, which it hands on, and also when the
 * target alone is.
 *
 * The first SIGINT or SIGTERM is the target's.  A second one, and any after the
 * target's end, asks for the end of the monitoring.  What comes within a fifth
 * of a second is one: timeout(1) sends to its child and then to the group.
 */
#ifndef CPPROF_TARGET_CONTROL_H
#define CPPROF_TARGET_CONTROL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "monitor/target/witness.h"

struct control {
	pid_t pid;
	int fd; /* to poll; readable when there is something to handle */
	sigset_t old_mask;
	bool ended;
	int status;             /* wait status, when it has ended */
	struct rusage usage;    /* of the target and its awaited descendants */
	struct witness witness; /* of signals to the group */
	int pidfd;        /* attached: of a process that is not ours; else -1 */
	bool done;        /* somebody asked for the end of the monitoring */
	unsigned asked;   /* how often, with what came after that */
	uint64_t warned;  /* when a SIGINT or SIGTERM last came; 0: none has */
	unsigned toggles; /* SIGUSR1s that came; whoever heeds them sets it 0 */
	bool traced; /* a tracer waits for the target and calls the next two */
	bool leaderless; /* attached: its first thread ended before, so that the
			    tracer will not hear of its end */
};

/* Blocks the signals and opens the descriptor.  -1 with errno. */
int control_watch(struct control *control, pid_t pid);

/* The same for a process that runs already: it is not ours, nothing is handed
   on to it, and what would have been ends the watching.  -1 with errno. */
int control_attach(struct control *control, pid_t pid);

/* Handles what has come, from any thread that has them blocked; does not wait,
 * but for as long as the target stops. */
void control_handle(struct control *control);

/* From now on SIGINT and SIGTERM do what they do to any program. */
void control_stand_by(void);

/* Traced: the target, and all that is traced with it, is stopped by SIG. */
void control_stop(struct control *control, int sig);

/* Traced: reaps the target, which has ended. */
void control_reap(struct control *control);

/* Unblocks the signals; those that came meanwhile are dropped. */
void control_release(struct control *control);

#endif
