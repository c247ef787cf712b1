/*
 * random.h - random numbers, for intervals that vary and for draws.
 *
 * They are the kernel's, 300 ns each.  Not for secrets.
 */
#ifndef CPPROF_SYS_RANDOM_H
#define CPPROF_SYS_RANDOM_H

#include <stdint.h>

/* Each of 0 to N - 1 equally often, for every N of 64 bits; N 0: any number. */
uint64_t random_below(uint64_t n);

/* Each of MEAN - SPREAD to MEAN + SPREAD equally often; SPREAD <= MEAN. */
uint64_t random_around(uint64_t mean, uint64_t spread);

#endif
