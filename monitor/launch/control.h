/*
 * control.h - the target as its parent sees it: signals, stops, its end.
 *
 * cpprof stands where the target would stand without it.  Signals to the
 * process group, from the terminal or from others, reach the target directly,
 * since it is in that group; signals to cpprof alone are passed on, so that the
 * target gets each once.  When a signal of the terminal stops the target,
 * cpprof stops too, so that a shell's job control sees it; when cpprof is
 * continued it continues the target.
 *
 * The first SIGINT or SIGTERM is the target's.  A second one, and any after the
 * target's end, asks for the end of the monitoring.  Signals within a fifth of
 * a second count as one: timeout(1) sends to its child and then to the group.
 */
#ifndef CPPROF_LAUNCH_CONTROL
#define CPPROF_LAUNCH_CONTROL

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "monitor/launch/group_signals.h"

struct control {
	pid_t pid;
	int fd;    /* to poll; readable when there is something to handle */
	bool held; /* the signals are blocked */
	sigset_t old_mask; /* the mask before that */
	bool ended;
	int status;          /* wait status, when it has ended */
	struct rusage usage; /* of the target and its awaited descendants */
	struct group_signals group; /* of signals to the group */
	int pidfd; /* attached: of the process, which is no child; else -1 */
	bool done; /* a signal asked for the end of the monitoring */
	unsigned asked;   /* how many did, and those that came after that */
	bool late;        /* one of them came after the target's end */
	uint64_t warned;  /* when a SIGINT or SIGTERM last came; 0: none has */
	unsigned toggles; /* SIGUSR1s that came; their user sets it to 0 */
	bool traced; /* a tracer waits for the target and calls the next two */
	bool leaderless; /* attached: its first thread had ended before, so the
			    tracer will not see its end */
};

/*
 * Blocks the signals, before the target is forked: a signal must not end cpprof
 * while a child waits for that end to become the target.  control_release()
 * unblocks them.
 */
void control_hold(struct control *control);

/* Opens the descriptor for the signals, which are held.  -1 with errno. */
int control_begin(struct control *control, pid_t pid);

/*
 * The same for a process that runs already: it is no child, nothing is passed
 * on to it, and these signals end the monitoring.  -1 with errno.
 */
int control_attach(struct control *control, pid_t pid);

/*
 * Handles the signals that came, from any thread that has them blocked.  Waits
 * only as long as the target stops.
 */
void control_handle(struct control *control);

/* From now on SIGINT and SIGTERM act as in any program. */
void control_stand_by(void);

/* Traced: SIG has stopped the target and all that is traced with it. */
void control_stop(struct control *control, int sig);

/* Traced: reaps the target, which has ended. */
void control_reap(struct control *control);

/* Unblocks the signals; those that came meanwhile are dropped, if there is a
   descriptor for them. */
void control_release(struct control *control);

#endif
