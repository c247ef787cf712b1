/*
 * tracer.h - the target under ptrace, where a stop timer needs it.
 *
 * Its core is `while (dispatch(next_event()))`: a thread's stop is decoded once
 * into an enum trace_event, and each event has one handler, which resumes the
 * thread. Stops are read with WNOWAIT and never reaped, except that of an exec:
 * if the monitor dies in between, the kernel lets the thread go on with the
 * signal that it was about to get.
 *
 * To be used from one thread; tracing ends with that thread.  Order: seize or
 * attach..., serve...
 */
#ifndef CPPROF_STOP_TRACER_H
#define CPPROF_STOP_TRACER_H

#include "monitor/launch/control.h"
#include "monitor/timer/stop/traced.h"

enum trace_event {
	TRACE_NONE,       /* no thread has stopped */
	TRACE_SYSCALL,    /* at the entry or the exit of a system call */
	TRACE_SIGNAL,     /* a signal is about to be delivered */
	TRACE_GROUP_STOP, /* stopped by a signal; stays so, listened to */
	TRACE_STOP,       /* new, interrupted, or its group-stop is over */
	TRACE_BIRTH,   /* made a thread or a process, which stops by itself */
	TRACE_EXEC,    /* runs another program, before its first instruction */
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
	bool begun;         /* the target has become the program to profile */
	bool unobserved;    /* count no more, only let all threads go on */
	struct err refused; /* the kernel refuses to trace on: only the end of
			       the tracer's thread lets the stopped threads go
			       on; no reason: it does not */

	/* Called once, at the target's exec; then the target is released if
	   LEAVE is set.  NULL: nothing is to be done. */
	void (*at_exec)(void *arg);
	void *arg;
	bool leave;
};

/* Seizes the child that will become the target. */
int tracer_seize(struct tracer *tracer, pid_t pid, struct err *err);

/*
 * Seizes a thread that runs already; 1: it was seized already and its stops
 * tell of it, or it has ended.  -1 with errno.
 */
int tracer_attach(struct tracer *tracer, pid_t pid, pid_t tid);

/* Lets a thread go that was just seized; nothing if it is not traced. */
void tracer_leave(struct tracer *tracer, pid_t tid);

/*
 * The run is over: lets threads go that the end of the tracer's thread would
 * not leave as they were.
 */
void tracer_end(struct tracer *tracer);

/*
 * System calls are seen only once a thread has been stopped.  Stops threads
 * that run, or wait in a call that continues unnoticed.  Threads that wait in
 * another call, which would fail with EINTR, are left for later.  Returns how
 * many were not stopped before.
 */
size_t tracer_engage(struct tracer *tracer);

/*
 * Handles the stops that came, without waiting (a SIGCHLD tells when to come
 * again): 0: all, 1: there may be more, -1: the run cannot go on.  Once the
 * kernel has refused a request it does nothing.
 */
int tracer_serve(struct tracer *tracer);

#endif
