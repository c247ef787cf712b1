/*
 * tracer.h - the target under ptrace, where a stop timer needs it.
 *
 * The whole of it is `while (dispatch(next_event()))`: what a thread has to say
 * is decoded once into an enum trace_event, and each has one handler, which
 * ends with the thread going on.  Stops are looked at with WNOWAIT and (but
 * that of an exec) never reaped, only resumed from: if the monitor dies in
 * between, the kernel lets the thread go on with the signal that it was about
 * to get.
 *
 * Must be used from one thread, whose end is the end of tracing.  Order: init,
 * seize, serve..., fini.
 */
#ifndef CPPROF_STOP_TRACER_H
#define CPPROF_STOP_TRACER_H

#include "monitor/target/control.h"
#include "monitor/timer/stop/traced.h"

enum trace_event {
	TRACE_NONE,       /* no thread has anything to say */
	TRACE_SYSCALL,    /* at the entry or the exit of a system call */
	TRACE_SIGNAL,     /* a signal is about to be delivered */
	TRACE_GROUP_STOP, /* stopped by a signal; stays so, listened to */
	TRACE_STOP,       /* new, interrupted, or its group-stop is over */
	TRACE_BIRTH,   /* made a thread or a process, which stops by itself */
	TRACE_EXEC,    /* is another program now, before its first step */
	TRACE_EXITING, /* still has its stack, for the last time */
	TRACE_EXITED,  /* is a zombie, to be reaped */
	TRACE_EVENTS
};

struct trace_stop {
	enum trace_event event;
	pid_t tid;
	int signal;    /* of TRACE_SIGNAL and TRACE_GROUP_STOP */
	uint64_t time; /* when it was noticed; ns, monotonic */
};

struct stop_timers; /* stop_timer.h */
struct poller;      /* monitor/timer/stop/poller.h */

struct tracer {
	struct traced *traced;
	struct stop_timers *timers;
	struct poller *poller;
	struct control *control;
	bool begun;      /* the target has become the program to profile */
	bool unobserved; /* count no more, only let everybody go on */

	/* Called once, at the target's exec; then it is let go where LEAVE says
	   that nothing else is to be seen.  NULL: nothing is to be done. */
	void (*at_exec)(void *arg);
	void *arg;
	bool leave;
};

/* Seizes the child that will become the target. */
int tracer_seize(struct tracer *tracer, pid_t pid, struct err *err);

/*
 * Seizes a thread that runs already; 1: it was seized already and tells of
 * itself, or is gone.  -1 with errno.
 */
int tracer_attach(struct tracer *tracer, pid_t pid, pid_t tid);

/*
 * System calls are seen only once a thread has been stopped.  Stops those that
 * run, or wait in a call that is restarted unnoticed; those that wait in
 * another, which would fail with EINTR, are left to a later call of this.
 * Returns how many.
 */
size_t tracer_engage(struct tracer *tracer);

/*
 * Handles what has come, without waiting (a SIGCHLD tells when to come again):
 * 0 when that is all, 1 when there may be more, -1 for a writer error or no
 * memory.
 */
int tracer_serve(struct tracer *tracer);

#endif
