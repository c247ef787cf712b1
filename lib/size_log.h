/*
 * size_log.h - how long a file that is only ever added to was, and when last.
 */
#ifndef CPPROF_GROWTH_H
#define CPPROF_GROWTH_H

#include <stdint.h>

struct growth {
	uint64_t time, size; /* last seen so, ns as clock_now() has it; bytes */
};

#endif
