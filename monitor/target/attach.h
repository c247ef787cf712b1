/*
 * attach.h - begins to watch processes that run already.
 *
 * Threads are born and die meanwhile: each list of them is read again until
 * nothing in it is new, and what is inherited from a thread that is watched
 * already is not watched twice.
 */
#ifndef CPPROF_TARGET_ATTACH_H
#define CPPROF_TARGET_ATTACH_H

#include "monitor/target/proc.h"
#include "monitor/timer/family.h"
#include "monitor/timer/stop.h"

struct attach {
	pid_t pid;
	bool children; /* those it has already as well */
	struct sampler *sampler;
	struct perf_events *events;      /* open and started; NULL: none */
	const struct timer_group *group; /* started, or none */
	struct stop *stop;               /* traces; NULL: nobody does */
	int (*sync)(void *arg);          /* handles the records of up to now */
	bool (*over)(void *arg);         /* no more threads are wanted */
	void *arg;
	proc_list processes; /* that are watched */
	VEC(int) pidfds;     /* of each: it is no other's number */
	proc_list joined;    /* threads that have events of their own */
	pid_t refused;       /* the thread that could not be watched; 0: none */
};

/*
 * Whether it may be done at all: 0, or -1 with a reason that is certain: no
 * such process, a thread, one that has ended, a part of the kernel, cpprof
 * itself, and to TRACE: traced by another, Yama forbids all tracing.
 */
int attach_check(pid_t pid, bool trace, struct err *err);

/*
 * Why the kernel would not let thread TID of PID be watched (errno ERROR):
 * another's, privileged, traced, Yama.  Always -1.
 */
int attach_explain(
	pid_t pid, pid_t tid, int error, bool trace, struct err *err);

/*
 * Watches and introduces all threads, or those it comes to until over() says
 * so.  To be called once.
 */
int attach_all(struct attach *attach, struct err *err);

/* The command line of a process, to be freed by attach_free_argv(). */
char **attach_argv(pid_t pid);
void attach_free_argv(char **argv);

#endif
