/*
 * maps.bpf.h - the memory that system calls map.
 *
 * Address space in whole pages, as the calls grant it, also where nothing has
 * touched it yet.  What is unmapped is not taken off.
 */
#ifndef CPPROF_PERCPU_MAPS_BPF_H
#define CPPROF_PERCPU_MAPS_BPF_H

#include "monitor/timer/percpu/bpf/core.bpf.h"

#define WHOLE_PAGES(bytes)                                                     \
	(((bytes) + config.page - 1) / config.page * config.page)

/* At the entry of call NR: brk() changes the end of the heap. */
static __always_inline void note_heap_end(struct thread_counts *t, long nr)
{
	if (nr == config.brk)
		t->heap_end =
			BPF_CORE_READ(bpf_get_current_task_btf(), mm, brk);
}

/* What the call has mapped that the thread leaves with RESULT. */
static __always_inline __u64 mapped_bytes(
	struct thread_counts *t, const struct pt_regs *regs, long result)
{
	long nr = CALL_NUMBER(regs);
	__u64 was = 0, is = 0;

	if (result <= 0)
		return 0;
	if (nr == config.mmap) {
		is = ARGUMENT_2(regs);
	} else if (nr == config.mremap) {
		was = ARGUMENT_2(regs);
		is = ARGUMENT_3(regs);
	} else if (nr == config.brk) {
		was = t->heap_end;
		is = (__u64)result;
	}
	was = WHOLE_PAGES(was);
	is = WHOLE_PAGES(is);
	return is > was ? is - was : 0;
}

/* The kernel does not report what mremap() has moved. */
static __always_inline int tell_move(
	void *ctx, const struct pt_regs *regs, long result)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct percpu_sample sample = {
		.what = PERCPU_MOVED,
		.weight = ARGUMENT_1(regs),
		.below = (__u64)result,
		.hits = WHOLE_PAGES(ARGUMENT_2(regs)) / config.page,
		.block = WHOLE_PAGES(ARGUMENT_3(regs)) / config.page,
		.tid = (__u32)id,
		.pid = id >> 32,
	};
	__u32 output = PERCPU_BARE_OUTPUT(config.ncounters, 0) * config.ncpus +
		       bpf_get_smp_processor_id();

	bpf_perf_event_output(ctx, &outputs, output, &sample, sizeof sample);
	return 0;
}

#endif
