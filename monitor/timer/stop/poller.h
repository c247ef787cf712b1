/*
 * poller.h - interval timers for time, by polling the threads.
 *
 * For users who may not have the kernel clock that they need.  At each poll a
 * thread either runs or waits.  The time that it has consumed since the last
 * poll goes to its timers; when they have a whole interval, its present stack
 * is the sample.  The stack of a thread that waits is read without stopping it
 * (monitor/timer/stop/blocked.h); a thread that runs is stopped for an instant,
 * if it is traced.  So the more time a stack takes, the more polls find it.  A
 * traced thread that is in line for a processor is a sample of that time alone.
 * Time of an ended thread that no sample has is [unsampled].
 *
 * Where system calls are traced, the time between a call's entry and its exit
 * is the call's, and sampled there.  Time before the entry is not: it passed
 * anywhere since the last call, and waits for a poll.
 *
 * Time on a processor is the kernel's, for each thread: from /proc if the
 * thread is traced, else from the switches in the stream of records.
 */
#ifndef CPPROF_STOP_POLLER_H
#define CPPROF_STOP_POLLER_H

#include "monitor/timer/stop/blocked.h"
#include "monitor/contract/timer.h"
#include "monitor/timer/stop/traced.h"

struct collection;

/* Time of a thread that is in no sample yet, ns, by timer. */
struct poller_pool {
	uint64_t left[RESOURCES_MAX];
	uint64_t step[RESOURCES_MAX]; /* the interval in force; 0: none yet */
	/* of time in line for a processor what is sampled where the thread
	   runs, not where it sleeps (untraced: after another thread took it) */
	uint64_t queued[RESOURCES_MAX];
};

struct polled_thread {              /* of one thread, ns */
	uint64_t time;              /* all is accounted for up to then, */
	struct thread_times at;     /* when it had these times */
	uint64_t seen;              /* when it was last polled, */
	struct thread_times polled; /* when it was last found to run, */
	uint32_t call;          /* and stopped for that in a call; 0: in none */
	uint64_t sleeps, stops; /* that it was known to have had, and since */
	struct poller_pool outside, inside; /* ... of traced system calls */
	uint64_t unjudged; /* time outside of calls whose mode was not asked for
			      yet */
	/* time that it was found to run in user and in system mode, less what
	   samples of that mode stand for */
	struct thread_modes modes;
	int64_t user, system;
	struct taken_stack waits; /* valid while it has had that many turns */
	uint64_t turns;           /* 0: invalid */
};

struct poller {
	struct timer *all[RESOURCES_MAX];
	size_t n;
	struct sampler *sampler;
	struct traced *traced;      /* NULL: running threads are not stopped,
				       and records tell what runs */
	struct perf_events *events; /* of read_timer */
	const struct collection *collection;
	bool traces;           /* its timers are of the kind that traces */
	bool stops;            /* some timer wants stacks of running threads */
	bool waits;            /* ... and of waiting ones */
	bool modes;            /* ... and tells user from system mode */
	bool off;              /* nothing counts now */
	uint64_t start;        /* threads from before begin to count then */
	uint64_t period, next; /* ns: between polls, and when */
	unsigned delays;       /* so often, in a row */
	uint64_t polled;       /* when the last poll began */
	uint64_t interrupted;  /* when it did a thread that has not stopped */
	unsigned randomize;    /* percent that the period varies by */
	uint64_t total[RESOURCES_MAX]; /* ns, by timer->index */
	uint64_t before; /* ns of CPU time that threads had consumed by then */
	struct tracee_stack stack;

	/* Has the stream of records catch up with now; -1: failed. */
	int (*sync)(void *arg);
	void *arg;
};

/* Times of all kinds by polling and stopping; private: struct poller. */
extern const struct timer_kind poller_timer;

/* Real and blocked time without stops: perf's clock counts what runs. */
extern const struct timer_kind read_timer;

/*
 * Begins to count at TIME, for the threads there are; later calls do nothing.
 */
int poller_start(struct poller *poller, uint64_t time);

/*
 * Polls all threads if that is due, or if it is the LAST time.
 */
int poller_poll(struct poller *poller, bool last);

/* Collecting begins or stops. */
int poller_collect(struct poller *poller, bool on);

/*
 * A traced thread is stopped: for a poll, or at a system call, if those are
 * traced for others.  Takes its samples.
 */
enum poller_stop { POLLER_POLL, POLLER_ENTRY, POLLER_EXIT };
int poller_stopped(struct poller *poller, struct tracee *tracee,
	enum poller_stop stop, uint64_t time);

/*
 * A thread that nothing stops was found to run: DUE, a sample of its stack,
 * also stands for the time that it was in line for a processor before.
 */
void poller_ran(struct poller *poller, struct due *due);

/* What a thread consumed and no sample has: gticks of a timer. */
int64_t poller_left(const struct timer *timer, const struct thread *thread);

/* The thread ends: counts what it has consumed to the last. */
void poller_ended(struct poller *poller, struct thread *thread, uint64_t time);

#endif
