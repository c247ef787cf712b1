/*
 * arcs.h - calls that the kernel counts by function and return address.
 *
 * The first call of each such arc is told in the stream of records, when the
 * process has both mapped: then its stack of two becomes a node.  When the
 * thread ends its arcs are written, each as one sample with all of its calls.
 */
#ifndef CPPROF_SAMPLE_ARCS
#define CPPROF_SAMPLE_ARCS

#include "monitor/sample/sampler.h"

struct arc_key {       /* of the family */
	uint64_t back; /* where the function returns to */
	uint32_t point, thread;
};

struct arc {
	struct arc_key key;
	struct timer *timer;
	uint32_t node;
	uint32_t next; /* of its thread; 1 + its index; 0: none */
};

struct arcs {
	VEC(struct arc) all;
	uint32_t unused; /* as next: of ended threads */
};

/*
 * DUE's thread has called for the first time from there, when it was at IP.  -1
 * as all calls of the sampler.
 */
int arcs_begin(struct sampler *sampler, const struct due *due,
	const struct arc_key *key, uint64_t ip);

/*
 * The thread ends: writes its arcs.  An error of the writer's stays, and ends
 * the run.
 */
void arcs_end(struct sampler *sampler, struct thread *thread, uint64_t time);

void arcs_fini(struct arcs *arcs);

#endif
