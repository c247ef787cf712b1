/*
 * functions.bpf.h - uprobes: calls of functions.
 */
#ifndef CPPROF_PERCPU_FUNCTIONS_BPF_H
#define CPPROF_PERCPU_FUNCTIONS_BPF_H

#include "monitor/timer/percpu/core.bpf.h"

/* A thread is about to execute a function's first instruction. */
SEC("kprobe")
int on_call(void *ctx)
{
	struct thread_counts *t = current_thread();
	__u32 counter = (__u32)bpf_get_attach_cookie(ctx);

	if (!t || counter >= config.ncounters || counter >= PERCPU_COUNTERS)
		return 0;
	if (++t->counters[counter].count >= t->counters[counter].next)
		emit_counter(ctx, t, counter);
	return 0;
}

#endif
