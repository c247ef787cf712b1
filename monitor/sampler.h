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
	const struct timer_family *family; /* who decodes outputs' samples */
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

/* A PERF_RECORD_SAMPLE from the rings.  -1: a writer error, or no memory. */
int sampler_sample(struct sampler *sampler,
	const struct perf_event_header *header, uint64_t time);

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

/*
 * The same for a sample that interrupted the thread in USER mode or not, and
 * for all timers that go by the clock of DUE's: one stack for all of them.
 * PROBE: it is known to be of what the run's probes took.
 */
int sampler_take_in_mode(struct sampler *sampler, struct due *due,
	struct snapshot *snapshot, bool user, bool probe);

/* The thread begins to wait with this stack; what the wait comes to follows. */
int sampler_keep_off_cpu(struct sampler *sampler, const struct due *due,
	struct snapshot *snapshot);

/* The wait is over; its stack is held unless its record was lost. */
int sampler_settle(struct sampler *sampler, const struct due *due);

/*
 * due->weight becomes the whole gticks of WEIGHT, which is in the units of the
 * timer's counter; what is left is kept for the next.
 */
void sampler_weigh(struct sampler *sampler, struct due *due, uint64_t weight);

/* Registers and stack of a sample; what it does not have stays empty. */
struct perf_sample;
void sampler_snapshot(
	const struct perf_sample *sample, struct snapshot *snapshot);

/* All general registers, PERF_REGS_COUNT words in perf's order. */
void sampler_set_regs(struct snapshot *snapshot, const void *regs);

#endif
