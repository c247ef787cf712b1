/* clock.h - the clock of all records, and of everything that is timed here. */
#ifndef CPPROF_CLOCK_H
#define CPPROF_CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * ns since the machine was started, without the time it was suspended:
 * CLOCK_MONOTONIC, as perf events, BPF programs and JIT compilers' dumps are
 * told to use.
 */
static inline uint64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ns that the calling thread has had a processor; 0: unknown. */
static inline uint64_t clock_thread(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
