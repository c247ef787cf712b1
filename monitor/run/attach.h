/*
 * attach.h - begins to profile processes that run already.
 *
 * Threads start and end meanwhile: each list of them is read again until it has
 * nothing new.  A thread that inherits the events of a tracked one is not given
 * events of its own.
 */
#ifndef CPPROF_RUN_ATTACH
#define CPPROF_RUN_ATTACH

#include "monitor/base/proc.h"
#include "monitor/contract/family.h"
#include "monitor/timer/stop/stop.h"

/* A thread that may be making another, which the kernel does not list yet. */
struct attach_fresh {
	pid_t tid;
	uint64_t ran_ns; /* the processor time it had afterwards */
};

struct attach {
	pid_t pid;
	bool children; /* also the children it has already */
	struct sampler *sampler;
	struct perf_events *events;      /* open and started; NULL: none */
	const struct timer_group *group; /* started, or none */
	struct stop *stop;       /* traces threads; NULL: they are not traced */
	int (*sync)(void *arg);  /* handles the records of up to now */
	bool (*over)(void *arg); /* no more threads are wanted */
	void *arg;
	proc_list processes; /* tracked so far */
	VEC(int) pidfds;     /* of each process: its number is not reused */
	proc_list joined;    /* threads that have events of their own */
	VEC(struct attach_fresh) fresh; /* of those, the last to join */
	bool tells_runs; /* the kernel tells which threads have ever run */
	size_t parts;    /* threads that may lack some of their events */
	pid_t refused;   /* the thread that the kernel refused; 0: none */
};

/*
 * Whether it is possible at all: 0, or -1 with a reason that is certain: no
 * such process, a thread, a process that has ended, a part of the kernel,
 * cpprof itself, and for TRACE: traced by another, Yama forbids all tracing.
 */
int attach_check(pid_t pid, bool trace, struct err *err);

/*
 * Why the kernel refused thread TID of PID (errno ERROR): another user's,
 * privileged, traced, Yama.  Always -1.
 */
int attach_explain(
	pid_t pid, pid_t tid, int error, bool trace, struct err *err);

/*
 * Tracks all threads, or those it comes to until over() returns true.  To be
 * called once.  After a failure ERR says what was refused, unless the run
 * itself cannot go on (loop_failed()).
 */
int attach_all(struct attach *attach, struct err *err);

/* The command line of a process, to be freed by attach_free_argv(). */
char **attach_argv(pid_t pid);
void attach_free_argv(char **argv);

#endif
