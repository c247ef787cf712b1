/*
 * poller.h - interval timers for time, by looking at the threads.
 *
 * For users whom the kernel gives no clock that samples what they want.  At
 * each look a thread either runs or waits.  What it has consumed since it was
 * last asked goes to its timers; where a whole interval has come together, the
 * stack it has now is the sample: of a thread that waits read without stopping
 * it (monitor/timer/stop/blocked.h), of one that runs by an instant's stop,
 * where it is traced.  So the more time a stack takes, the more looks find it.
 * What an ended thread had not been sampled for yet is [unsampled].
 *
 * Where system calls are traced, the time between a call's entry and its exit
 * is the call's, and sampled there.  Time before the entry is not: it passed
 * anywhere since the last call, and waits for a look.
 *
 * Time on a processor is the kernel's, of each thread: by /proc where the
 * thread is traced, else by the switches in the stream of records.
 */
#ifndef CPPROF_STOP_POLLER_H
#define CPPROF_STOP_POLLER_H

#include "monitor/timer/stop/blocked.h"
#include "monitor/timer/timer.h"
#include "monitor/timer/stop/traced.h"

struct collection;

/* Time of a thread that is in no sample yet, ns, by timer. */
struct poller_pool {
	uint64_t left[RESOURCES_MAX];
	uint64_t step[RESOURCES_MAX]; /* the interval in force; 0: none yet */
	/* part of waits that passed in line for a processor (untraced: after it
	   was pushed off one): to be seen where it runs, not where it sleeps */
	uint64_t queued[RESOURCES_MAX];
};

struct polled_thread {           /* of one thread, ns */
	uint64_t time;           /* until when all is accounted for, */
	struct blocked_times at; /* by when it had run and waited to */
	uint64_t seen;           /* when it was last looked at, */
	uint64_t seen_turns;     /* and, if it had not run since its last stop,
				    how many turns it had had; else 0 */
	struct poller_pool outside, inside; /* ... of traced system calls */
	uint64_t unjudged; /* run outside of calls in a mode not asked for yet
			    */
	/* what it was found to run in user and in system mode, less what
	   samples of that mode stand for */
	struct blocked_modes modes;
	int64_t user, system;
	struct taken_stack waits; /* since its turn number */
	uint64_t turns;           /* 0: there is none */
};

struct poller {
	struct timer *all[RESOURCES_MAX];
	size_t n;
	struct sampler *sampler;
	struct traced *traced;      /* NULL: running threads are not stopped */
	struct perf_events *events; /* of read_timer */
	const struct collection *collection;
	bool stops;            /* some timer wants stacks of running threads */
	bool waits;            /* ... and of waiting ones */
	bool modes;            /* ... and tells user from system mode */
	bool off;              /* nothing counts now */
	uint64_t start;        /* threads from before begin to count then */
	uint64_t period, next; /* ns: between looks, and when */
	unsigned put_off;      /* so often, in a row */
	uint64_t looked;       /* when the last one began */
	unsigned randomize;    /* percent that the period varies by */
	uint64_t total[RESOURCES_MAX]; /* ns, by timer->index */
	uint64_t before; /* ns of CPU time that was consumed by then */
	struct tracee_stack stack;

	/* Has the stream of records catch up with now; -1: failed. */
	int (*sync)(void *arg);
	void *arg;
};

/* Times of all kinds by looking and stopping; private: struct poller. */
extern const struct timer_kind poller_timer;

/* Real and blocked time without stops: what runs, perf's clock tells. */
extern const struct timer_kind read_timer;

/*
 * Counting begins at TIME, for the threads there are; at the first call alone.
 * -1: no memory.
 */
int poller_start(struct poller *poller, uint64_t time);

/*
 * Looks at all threads if that is due, or if it is the LAST time.  -1: a writer
 * error, or no memory.
 */
int poller_poll(struct poller *poller, bool last);

/* Collecting begins or stops. */
int poller_collect(struct poller *poller, bool on);

/*
 * A traced thread is stopped: because it was to be for a look, or at a system
 * call, where system calls are traced anyway.  Takes its samples.
 */
enum poller_stop { POLLER_LOOK, POLLER_ENTRY, POLLER_EXIT };
int poller_stopped(struct poller *poller, struct tracee *tracee,
	enum poller_stop stop, uint64_t time);

/* Of what a thread consumed, what is in no sample: gticks of a timer. */
uint64_t poller_left(const struct thread *thread, const struct timer *timer);

/* The thread ends: counts what it has consumed to the last. */
void poller_ended(struct poller *poller, struct thread *thread, uint64_t time);

void poller_fini(struct poller *poller);

#endif
