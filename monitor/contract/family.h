/*
 * family.h - what the timers of some kinds share: programs in the kernel that
 * count for all of them.
 *
 * A family is one row of functions.  A run has one group of such timers, or
 * none.  In this order: open; each timer's arm(), with group->impl as its impl;
 * load; start, once the perf events are open; collect; track; end_waits; note;
 * close.
 */
#ifndef CPPROF_CONTRACT_FAMILY
#define CPPROF_CONTRACT_FAMILY

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

struct arc_key;
struct cpd_writer;
struct due;
struct interpreter_place;
struct perf_events;
struct perf_sample;
struct sampler;
struct timer_machine;

struct timer_family {
	/* NULL with the reason in ERR.  MACHINE outlives it, and has what the
	   kernel refuses from load() and start() on. */
	void *(*open)(struct timer_machine *machine, struct err *err);
	/* Asks the kernel for everything that it may refuse, while other kinds
	 * can still take over.  NTIMERS, of all kinds, will need descriptors.
	 */
	int (*load)(void *impl, size_t ntimers, struct err *err);
	/* Connects them with EVENTS (open, not started). */
	int (*start)(void *impl, struct perf_events *events, struct err *err);
	/*
	 * All threads of process PID, and all they make from now on, are the
	 * target's, if it began by BEGUN (clock_now()): the number of one that
	 * has ended may be another's by now.  ARMED: they count from the
	 * process's next exec on.  How many threads there were; -1 with errno.
	 */
	int (*track)(void *impl, pid_t pid, uint64_t begun, bool armed);
	/* Counts, or not (the threads are tracked all the same). */
	void (*collect)(void *impl, bool on);
	/* A sample of an output: decodes it for the sampler.  DUE
	   has its time and its timer.  As all calls of the run it fails
	   with -1 and the error of the tasks. */
	int (*decode)(struct sampler *sampler, const struct perf_sample *sample,
		bool user, struct due *due);
	/* The calls of an arc so far, of a thread that has ended or while
	   nothing counts; it is forgotten. */
	uint64_t (*take_arc)(void *impl, const struct arc_key *key);
	/* Leaves functions alone that are called too often, and processors
	   on which the target does not run. */
	void (*watch)(void *impl, uint64_t now);
	/* What can be read when that is to be done at once; -1: nothing. */
	int (*bell)(const void *impl);
	/* Process PID has mapped an interpreter, or (NULL) has ended or runs
	   another program. */
	void (*interpret)(
		void *impl, pid_t pid, const struct interpreter_place *place);
	/* Threads that still wait at TIME are credited their wait. */
	int (*end_waits)(void *impl, struct sampler *sampler, uint64_t time);
	/* Writes notes to the file. */
	int (*note)(const void *impl, struct cpd_writer *writer);
	void (*close)(void *impl);
};

struct timer_group {
	const struct timer_family *family; /* NULL: the run has none */
	void *impl;
};

/* These do nothing where there is none. */
void timer_group_collect(const struct timer_group *group, bool on);
void timer_group_interpret(const struct timer_group *group, pid_t pid,
	const struct interpreter_place *place);
void timer_group_watch(const struct timer_group *group, uint64_t now);
int timer_group_bell(const struct timer_group *group); /* then -1 */
void timer_group_close(struct timer_group *group);

#endif
