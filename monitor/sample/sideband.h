/*
 * sideband.h - the records beside the samples.
 *
 * Mappings, names, births, ends and switches of threads, and losses: they keep
 * the sampler's tasks as they are at the moment of each sample.  Records of the
 * whole machine that are not the target's are ignored.
 */
#ifndef CPPROF_SAMPLE_SIDEBAND
#define CPPROF_SAMPLE_SIDEBAND

#include "monitor/sample/sampler.h"

/* One record that is no sample. */
int sideband_take(struct sampler *sampler,
	const struct perf_event_header *header, uint64_t time);

/* There are no more: ends the threads whose end was delayed. */
void sideband_finish(struct sampler *sampler);

#endif
