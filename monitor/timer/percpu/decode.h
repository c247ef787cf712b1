/*
 * decode.h - from the output of the BPF programs to calls of the sampler.
 *
 * Such a sample has a struct percpu_sample (abi.h) beside registers and
 * stack.  Its length is checked.
 */
#ifndef CPPROF_PERCPU_DECODE_H
#define CPPROF_PERCPU_DECODE_H

#include "monitor/sample/sampler.h"
#include "monitor/timer/percpu/percpu.h"

/* As timer_family.decode. */
int percpu_decode(struct sampler *sampler, const struct perf_sample *sample,
	bool user, struct due *due);

/*
 * As timer_family.end_waits: the stack of a thread that waits in a system call
 * is read from the live thread.
 */
int percpu_decode_waits(
	struct percpu *percpu, struct sampler *sampler, uint64_t time);

#endif
