/*
 * aside.h - moves the monitor off the processor that the target runs on.
 *
 * With a real-time priority the monitor runs again where it ran last, even if
 * the target is there and another processor is idle; then the target waits for
 * it.  The rings tell where the target was: if one has records from the last
 * moment and another has none, the monitor moves to the other.  A shell that
 * starts 300 programs takes 264 ms with this and 294 without, at 100 us on two
 * processors (190 without cpprof); python3 168 and 178 (136).  At 1 ms there is
 * no difference.
 */
#ifndef CPPROF_RUN_ASIDE
#define CPPROF_RUN_ASIDE

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/vec.h"
#include "monitor/perf/ring.h"

#define ASIDE_PATIENCE 2 /* rounds in the target's way before it moves */

struct aside {
	VEC(uint64_t) heads; /* of each ring, when it was last read */
	VEC(uint64_t) now;
	unsigned in_the_way; /* rounds in a row */
};

/*
 * Where to move from processor HERE.  HEADS are the bytes that the sample rings
 * of the N processors CPUS have had so far, and ALLOWED is where the monitor
 * may run.  -1: it stays.  To be called once a round.
 */
int aside_where(struct aside *aside, const int *cpus, const uint64_t *heads,
	size_t n, int here, const cpu_set_t *allowed);

/*
 * Moves as aside_where() says, with the last heads of RINGS, which has some for
 * each processor in turn.
 */
void aside_go(struct aside *aside, const int *cpus, size_t n,
	struct ring *const *rings, size_t nrings);

void aside_fini(struct aside *aside);

#endif
