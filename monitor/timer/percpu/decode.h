/*
 * decode.h - from the output of the BPF programs to calls of the sampler.
 *
 * Such a sample has a struct percpu_sample (abi.h) beside registers and
 * stack.  Its length is checked.
 */
#ifndef CPPROF_PERCPU_DECODE_H
#define CPPROF_PERCPU_DECODE_H

#include "monitor/sample/sampler.h"
#include "monitor/timer/percpu/abi.h"

/* As timer_family.decode. */
int percpu_decode(struct sampler *sampler, const struct perf_sample *sample,
	bool user, struct due *due);

#endif
