/*
 * size_log.h - how long a file that is only ever added to was, and when last.
 */
#ifndef CPPROF_SIZE_LOG_H
#define CPPROF_SIZE_LOG_H

#include <stdint.h>

struct size_log {
	uint64_t time, size; /* last seen so, ns as clock_now() has it; bytes */
};

#endif
