/*
 * finer.h - the run to make where one gave too few samples.
 *
 * Nothing here keeps state.
 */
#ifndef CPPROF_FINER_H
#define CPPROF_FINER_H

#include "lib/text.h"

/* What a run took of one resource, and at which interval. */
struct finer_resource {
	const char *name; /* as in -r */
	enum text_unit unit;
	uint64_t interval, least; /* in use, and the least that it may be */
	uint64_t consumed;
	uint64_t samples;
};

/*
 * The interval that takes about a thousand samples where the one in use took
 * fewer than 20: 1, 2 or 5 times a power of ten; of times none that would slow
 * the program down.  0: it took enough, or no such interval takes more. Samples
 * of many hits each are long waits, of which a smaller interval finds no more;
 * they are enough.
 */
uint64_t finer_interval(const struct finer_resource *resource);

/*
 * "cpprof run -r cpu:10us -- prog args", in new memory: the run with finer
 * intervals for those of the N resources that need one.  ARGV ends with NULL.
 * NULL: none needs it, or there is no memory.
 */
char *finer_command(const struct finer_resource *resources, size_t n,
	const char *const *argv);

#endif
