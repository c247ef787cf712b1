/*
 * stop_timer.h - generalized interval timers that count in the stopped thread.
 *
 * The tracer tells what happened; the timers count it, and take a sample from
 * the stopped thread when a whole interval has passed.  A thread's remainders
 * pass to its process when it ends, a process's to the run, and from there to
 * threads and processes that start: a hit falls on an event that consumes.
 */
#ifndef CPPROF_STOP_TIMER_H
#define CPPROF_STOP_TIMER_H

#include "monitor/contract/timer.h"
#include "monitor/timer/stop/exceptions.h"
#include "monitor/timer/stop/traced.h"

/* All stop timers of a run. */
struct stop_timers {
	struct traced *traced;
	struct timer *all[RESOURCES_MAX];
	size_t n;
	uint64_t total[RESOURCES_MAX];       /* by timer->index, in its units */
	int64_t left[RESOURCES_MAX];         /* of processes that have ended */
	bool off;                            /* nothing counts now */
	const struct collection *collection; /* when counting was on */
	/* by index, in the call under way: */
	uint64_t hits[RESOURCES_MAX], weight[RESOURCES_MAX];
	uint32_t block;   /* of the report at hand; 0: none */
	bool times_calls; /* some timer counts their time */
	uint64_t around;  /* of call_time_end() */
	struct exceptions exceptions;
};

/* private: struct stop_timers, to which arm() adds the timer. */
extern const struct timer_kind stop_timer;

/* Requests for memory, which the counting object reports (monitor/inprocess).
 */
extern const struct timer_kind request_timer;

/* Floating point exceptions. */
extern const struct timer_kind exception_timer;

/* Whether this user may trace at all. */
int stop_timer_can(const struct resource_request *request,
	struct timer_machine *machine, struct err *why);

/* The entry of a system call: struct tracee has its number and arguments. */
int stop_timers_enter(
	struct stop_timers *timers, struct tracee *tracee, uint64_t time);

/* The thread is about to go on from there. */
void stop_timers_go(const struct stop_timers *timers, struct tracee *tracee);

/* Its exit, with its result (negative: an error). */
int stop_timers_leave(struct stop_timers *timers, struct tracee *tracee,
	int64_t result, uint64_t time);

/* A signal is delivered. */
int stop_timers_signal(struct stop_timers *timers, struct tracee *tracee,
	int signal, uint64_t time);

/* Any stop of a thread that was to step over an exception. */
int stop_timers_stepped(
	struct stop_timers *timers, struct tracee *tracee, uint64_t time);

/* The thread ends. */
void stop_timers_exit(struct stop_timers *timers, struct tracee *tracee);

#endif
