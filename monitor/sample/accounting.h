/*
 * accounting.h - compares what was consumed with what was sampled, to the last
 * gtick.
 *
 * When the run is over, each resource's exact total (the kernel's counter) is
 * written, and the losses that make up the difference to the samples' weight,
 * each under its name (cpprofdata.h).  Losses are never spread over functions.
 */
#ifndef CPPROF_SAMPLE_ACCOUNTING
#define CPPROF_SAMPLE_ACCOUNTING

#include <sys/resource.h>

#include "monitor/sample/sampler.h"

/* What the kernel says of the target, apart from its perf counters. */
struct accounting_evidence {
	struct rusage usage;  /* of the target and its awaited descendants */
	struct rusage before; /* part of that: before the target's exec */
	bool partly;          /* usage has more than what was to be counted */
	bool cut;             /* rings were not read to their end */
	uint64_t cpu_before;  /* ns, likewise: of threads that are polled,
				 before counting began */
};

/*
 * Time on processors that a thread had and no sample has: [unsampled] under the
 * thread's name.  Samples of other threads can have too much, and all together
 * must not exceed the total.  So it is kept to the end, if there are not too
 * many threads; else it is written as far as the threads that have ended make
 * up for each other.
 */
#define UNPLACED_MOST 4096
struct unplaced {
	uint32_t thread; /* id in the file */
	uint32_t timer;  /* index */
	uint64_t gticks;
};

struct account { /* of one timer, gticks */
	uint64_t total, lost, kernel, setuid, probes, before;
	uint64_t rest;  /* [unsampled] that is not written yet */
	uint64_t doubt; /* an estimated total is within that, at 95 % */
	uint64_t lost_samples, probe_samples;
	uint64_t uncounted; /* in so many processes a set-uid exec ended the
			       counting, and the amount is not known: then nor
			       is the total */
};

struct accounting {
	struct sampler *sampler;
	VEC(struct unplaced) unplaced;
	struct {
		int64_t left;     /* what it knows of threads that have ended,
				     less their samples */
		uint64_t written; /* as [unsampled] */
	} named[RESOURCES_MAX];   /* by timer */
	/* its part in threads that ended before their timer fired */
	uint64_t unfired[RESOURCES_MAX];
	uint64_t cpu; /* CPU time of the run, once it is known */
	bool cpu_known;
};

void accounting_init(struct accounting *accounting, struct sampler *sampler);
void accounting_fini(struct accounting *accounting);

/* The thread has ended: keeps its time that no sample has. */
void accounting_ended(
	struct accounting *accounting, const struct thread *thread);

/*
 * Reads the timers and writes totals and losses.  ACCOUNTS has one element per
 * timer.  To be called when the rings are drained and the tasks finished.
 */
int accounting_close(struct accounting *accounting,
	const struct accounting_evidence *evidence, struct account *accounts,
	struct err *err);

#endif
