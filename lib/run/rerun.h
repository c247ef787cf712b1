/*
 * rerun.h - the intervals to take where a run gave too few samples, or lost
 * many.
 *
 * Nothing here keeps state.
 */
#ifndef CPPROF_RERUN_H
#define CPPROF_RERUN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/text.h"

/* us of the program's that a probe without a sample takes, at the least */
#define RERUN_PROBE_COST 0.5

/* What a run took of one resource, and at which interval. */
struct rerun_resource {
	const char *name; /* as in -r */
	enum text_unit unit;
	uint64_t interval; /* in use; 0: none, each event is counted */
	uint64_t least;    /* interval that it may have */
	uint64_t consumed;
	uint64_t samples;
	uint64_t lost; /* samples */
	double cpu;    /* us that the program had a processor; 0: unknown */
};

/* Whether more than a twentieth of the samples was lost. */
bool rerun_is_lossy(const struct rerun_resource *resource);

/*
 * The part of the program's CPU time that its samples took, about; 0 where that
 * does not matter.
 */
double rerun_cost(const struct rerun_resource *resource);

/*
 * The interval that takes about a thousand samples where the one in use took
 * fewer than 20; where it is lossy, one at which no more samples come than
 * found room; where they cost much, one at which they take a hundredth.  It is
 * 1, 2 or 5 times a power of ten; of times none that would slow the program
 * down.  0: it took enough, or no such interval takes more. Samples of many
 * hits each are long waits, of which a smaller interval finds no more; they are
 * enough.
 */
uint64_t rerun_interval(const struct rerun_resource *resource);

/*
 * "-r cpu:100us", in new memory: those of the N resources that need another
 * interval, with it.  NULL: none needs it, or there is no memory.
 */
char *rerun_option(const struct rerun_resource *resources, size_t n);

#endif
