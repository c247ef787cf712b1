/*
 * sampler.h - from records and stops to samples in the file.
 *
 * The samples of all timers end here: the stack is unwound with the mappings of
 * its moment, becomes a node of the call tree, and is written with its hits.
 * The sampler also keeps the sums that accounting.h needs.
 */
#ifndef CPPROF_SAMPLE_SAMPLER
#define CPPROF_SAMPLE_SAMPLER

#include "lib/cpprofdata/writer.h"
#include "monitor/perf/events.h"
#include "monitor/probe/cost.h"
#include "monitor/sample/no_code.h"
#include "monitor/tasks/task_table.h"
#include "monitor/stack/thread_stack.h"
#include "monitor/contract/timer.h"
#include "monitor/unwind/unwind.h"

struct tally {                          /* of one timer */
	uint64_t samples, hits, weight; /* written */
	uint64_t truncated, read_later; /* samples under [truncated], ... */
	uint64_t user, system; /* hits by the mode they interrupted, of all
				  samples of the timer's clock */
	uint64_t part;         /* of a gtick, not yet in weight */
	uint64_t probes;       /* weight of samples at the run's own probes, */
	uint64_t
		probe_samples; /* and their number: they are not in the above */
	uint64_t unfollowed;   /* samples whose block's end will not be told to
				  this timer */
	uint64_t lost_records; /* by PERF_RECORD_LOST, for old kernels */
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
	const struct timer_family *family; /* decodes samples of outputs */
	struct tally tally[RESOURCES_MAX];
	struct probe_cost *probes; /* the caller's; NULL: none */
	pid_t root;  /* with side records of the whole machine: the target's
			first exec is that of this process; 0: it was */
	bool awaits; /* the stacks have who awaits their tasks, too */
	bool late;   /* samples may come after their thread's exit */
	VEC(struct sampler_exit)
	exits;                  /* they wait for such samples, by time */
	uint64_t throttled;     /* PERF_RECORD_THROTTLE seen */
	uint64_t lost_sideband; /* records of the side rings, by RECORD_LOST */
	struct stack_taker taker;
	struct interpreters interpreters;
	struct no_code calls, memory;
	struct objects objects; /* that processes have mapped */
	struct arcs *arcs;      /* the caller's */
	uint64_t last_time;     /* of the last record */
};

void sampler_init(struct sampler *sampler, struct cpd_writer *writer,
	struct perf_events *events, struct timer *timers, size_t ntimers);
void sampler_fini(struct sampler *sampler);

/* A PERF_RECORD_SAMPLE from the rings. */
int sampler_sample(struct sampler *sampler,
	const struct perf_event_header *header, uint64_t time);

/* Frames of its interpreter, which THREAD tells of before it is sampled. */
int sampler_tell(struct sampler *sampler, struct thread *thread,
	const struct told_part *part);

/* SNAPSHOT has the frames that THREAD told with that NUMBER; 0: none. */
int sampler_interpret(struct sampler *sampler, struct thread *thread,
	uint16_t number, struct snapshot *snapshot);

/* A sample that is due in THREAD. */
struct due {
	struct timer *timer;
	struct thread *thread;
	uint64_t time;
	uint32_t hits;
	uint64_t weight; /* gticks */
	uint32_t block;  /* the process's number for what it allocated, whose
			    end will be told; 0: it will not */
};
/*
 * Unwinds SNAPSHOT and writes the sample.  Missing parts of the stack are read
 * from the live process (live.h), unless the snapshot has a `read_memory` of
 * its own.
 */
int sampler_take(struct sampler *sampler, const struct due *due,
	struct snapshot *snapshot);

/*
 * Whether the timer counts what goes on, or may, while the kernel is at work on
 * a probe: time, events of the processor, its loss.  A thread loses it there as
 * often as the probes' part of its processor time says, and so their part of
 * its waits in line is their doing.
 */
bool sampler_can_see_probes(const struct timer *timer);

/* The two halves of sampler_take(), for a stack that several timers sample. */
int sampler_unwind(struct sampler *sampler, struct thread *thread,
	struct snapshot *snapshot, struct taken_stack *stack);
int sampler_put(struct sampler *sampler, const struct due *due,
	const struct taken_stack *stack);

/* Writes a sample of TIMER's that is complete. */
int sampler_record(struct sampler *sampler, const struct timer *timer,
	const struct cpd_sample *sample);

/*
 * As sampler_take(), for a sample that interrupted the thread in USER mode or
 * not, and for all timers that share the clock of DUE's: one stack for all of
 * them.  PROBE: the run's probes took that time.
 */
int sampler_take_in_mode(struct sampler *sampler, struct due *due,
	struct snapshot *snapshot, bool user, bool probe);

/* Writes the sample, with the stack of NODE and its PAGE of memory; 0: none. */
int sampler_write(struct sampler *sampler, const struct due *due, uint32_t node,
	uint64_t page, bool read_later);

/* The thread begins to wait with this stack; sampler_settle() ends the wait. */
int sampler_keep_off_cpu(struct sampler *sampler, const struct due *due,
	struct snapshot *snapshot);

/*
 * The wait is over: writes it with the stack that was kept, unless its record
 * was lost.
 */
int sampler_settle(struct sampler *sampler, const struct due *due);

/*
 * BLOCK of DUE's process has ended: writes what the sample stood for that was
 * taken when it began.
 */
int sampler_end(struct sampler *sampler, struct due *due, uint32_t block);

/*
 * due->weight becomes the whole gticks of WEIGHT, which is in the units of the
 * timer's counter; the rest is kept for the next.
 */
void sampler_weigh(struct sampler *sampler, struct due *due, uint64_t weight);

/* Registers and stack of a sample; what it lacks stays empty. */
struct perf_sample;
void sampler_snapshot(
	const struct perf_sample *sample, struct snapshot *snapshot);

/* All general registers, PERF_REGS_COUNT words in perf's order. */
void sampler_set_regs(struct snapshot *snapshot, const void *regs);

#endif
