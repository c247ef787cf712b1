/*
 * sampler.h - from records and stops to samples in the file.
 *
 * Whatever a timer is made of, its samples end here: the stack is unwound
 * against the mappings of its moment, becomes a node of the call tree, and is
 * written with its hits.  The sampler also keeps what the books need.
 */
#ifndef CPPROF_SAMPLER_H
#define CPPROF_SAMPLER_H

#include "lib/cpprofdata/writer.h"
#include "monitor/perf/events.h"
#include "monitor/probe/cost.h"
#include "monitor/space/space.h"
#include "monitor/stack/thread_stack.h"
#include "monitor/timer/timer.h"
#include "monitor/unwind/unwind.h"

struct tally {                          /* of one timer */
	uint64_t samples, hits, weight; /* written */
	uint64_t truncated, read_later; /* samples under [truncated], ... */
	uint64_t user, system;  /* hits by the mode they interrupted, of all
				   samples of the timer's clock */
	uint64_t part;          /* of a gtick, not yet in weight */
	uint64_t probes;        /* weight of those at the run's own probes, */
	uint64_t probe_samples; /* which are not in what is above */
	uint64_t lost_records;  /* by PERF_RECORD_LOST, for old kernels */
};

struct sampler_exit {
	pid_t pid, tid;
	uint64_t time;
};

struct sampler {
	struct cpd_writer *writer;
	struct perf_events *events;
	struct modules modules;
	struct task_table tasks;
	struct timer *timers;
	size_t ntimers;
	struct tally tally[RESOURCES_MAX];
	struct probe_cost *probes; /* the caller's; NULL: none */
	pid_t root; /* side records of the whole machine: whose exec is the
		       target's first; 0: it was */
	bool late;  /* samples may come after their thread's exit */
	VEC(struct sampler_exit) exits; /* that wait for them, by time */
	uint64_t throttled;             /* PERF_RECORD_THROTTLE seen */
	uint64_t lost_sideband; /* records of the side rings, by RECORD_LOST */
	struct stack_taker taker;
	uint64_t last_time; /* of the last record */
};

int sampler_init(struct sampler *sampler, struct cpd_writer *writer,
	struct perf_events *events, struct timer *timers, size_t ntimers);
void sampler_fini(struct sampler *sampler);

/* One record from the rings.  -1: a writer error, or no memory. */
int sampler_record(struct sampler *sampler,
	const struct perf_event_header *header, uint64_t time);

/*
 * A thread of TIMER's resource waits still at TIME, when collecting is over.
 * The stack of a system call is read from the live thread.
 */
struct percpu_waiting;
int sampler_waiting(struct sampler *sampler, struct timer *timer,
	const struct percpu_waiting *said, uint64_t time);

/* To be called when there are no more records. */
int sampler_finish(struct sampler *sampler);

/* A sample that is due in THREAD. */
struct due {
	struct timer *timer;
	struct thread *thread;
	uint64_t time;
	uint32_t hits;
	uint64_t weight; /* gticks */
};
/*
 * Unwinds SNAPSHOT and writes the sample.  What its stack lacks is read from
 * the live process as live.h says, unless it brings a `beyond` of its own.
 */
int sampler_take(struct sampler *sampler, const struct due *due,
	struct snapshot *snapshot);

/* The two halves of it, for a stack that is the sample of several timers. */
int sampler_unwind(struct sampler *sampler, struct thread *thread,
	struct snapshot *snapshot, struct taken_stack *stack);
int sampler_put(struct sampler *sampler, const struct due *due,
	const struct taken_stack *stack);

#endif
