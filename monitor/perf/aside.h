/*
 * aside.h - the monitor off the processor that the target runs on.
 *
 * With a real-time priority the monitor goes on where it ran last, even if that
 * is where the target is and another processor is idle, and the target waits
 * for it.  The rings tell who was there: where one has records of a moment ago
 * and another has none, the monitor had better be at the other.
 */
#ifndef CPPROF_PERF_ASIDE_H
#define CPPROF_PERF_ASIDE_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/vec.h"
#include "monitor/perf/ring.h"

#define ASIDE_PATIENCE 2 /* rounds in the target's way before it goes */

struct aside {
	VEC(uint64_t) heads; /* of each ring, when it was last looked at */
	VEC(uint64_t) now;
	unsigned in_the_way; /* rounds, one after the other */
};

/*
 * Where to go from processor HERE: the sample rings of the N processors CPUS
 * have had HEADS bytes so far, and ALLOWED is where the monitor may run.  -1:
 * it stays.  To be asked once a round.
 */
int aside_where(struct aside *aside, const int *cpus, const uint64_t *heads,
	size_t n, int here, const cpu_set_t *allowed);

/*
 * Asks, by the heads that RINGS, some for each processor in turn, were last
 * seen with, and goes there.
 */
void aside_go(struct aside *aside, const int *cpus, size_t n,
	struct ring *const *rings, size_t nrings);

void aside_fini(struct aside *aside);

#endif
