/*
 * functions.bpf.h - uprobes: calls of functions.
 */
#ifndef CPPROF_WIDE_FUNCTIONS_BPF_H
#define CPPROF_WIDE_FUNCTIONS_BPF_H

#include "monitor/timer/percpu/core.bpf.h"

/* A thread is about to execute the first instruction of a function. */
SEC("kprobe")
int on_call(void *ctx)
{
	struct thread *t = current_thread();
	__u32 slot = (__u32)bpf_get_attach_cookie(ctx);

	if (t && slot < config.nslots)
		count(ctx, t, 1u << slot, 1);
	return 0;
}

#endif
