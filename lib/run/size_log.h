/* size_log.h - the sizes that a growing file had, with their times. */
#ifndef CPPROF_SIZE_LOG_H
#define CPPROF_SIZE_LOG_H

#include <stdint.h>

struct size_log {
	uint64_t time,
		size; /* when it was last seen, ns as clock_now(); bytes */
};

#endif
