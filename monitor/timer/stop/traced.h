/*
 * traced.h - the target's threads under ptrace.
 *
 * The tracer handles their stops, the timers count at the stops, the poller
 * asks for some: all three share this.  It lives as long as they do.
 */
#ifndef CPPROF_STOP_TRACED_H
#define CPPROF_STOP_TRACED_H

#include "monitor/sample/sampler.h"
#include "monitor/timer/stop/tracee.h"

struct traced {
	struct tracees tracees;
	struct tracee_stack stack;
	struct sampler *sampler;
	bool syscalls;     /* some timer needs the stops at system calls */
	bool own_sideband; /* no records tell of tasks and mappings: the tracer
			      does */
	bool busy;         /* the last round handled a stop */
	uint64_t call_stops; /* at system calls, so far */
	unsigned given_up;   /* threads that went to a tracer of the target's */

	/* Has the stream of records catch up with now; -1: failed. */
	int (*sync)(void *arg);
	void *arg;
};

/*
 * The system call that TRACEE's number and arguments tell of has returned: it
 * may have mapped other code.
 */
void traced_call(struct tracee *tracee);

/* Has the sampler know the thread's mappings as they are now; -1: failed. */
int traced_fresh_maps(
	struct traced *traced, struct tracee *tracee, uint64_t time);

#endif
