/*
 * maps.bpf.h - the memory that system calls map.
 *
 * Address space in whole pages, as the calls grant it, also where nothing has
 * touched it yet.  What is unmapped is not taken off.
 */
#ifndef CPPROF_PERCPU_MAPS_BPF_H
#define CPPROF_PERCPU_MAPS_BPF_H

#include "monitor/timer/percpu/core.bpf.h"

#define WHOLE_PAGES(bytes)                                                     \
	(((bytes) + config.page - 1) / config.page * config.page)

static __always_inline bool is_map_call(__u32 call, long nr)
{
	return config.map_calls[call] == nr && !is_compat();
}

/* The end of the heap, before brk() changes it. */
SEC("tp_btf/sys_enter")
int BPF_PROG(on_break, struct pt_regs *regs, long nr)
{
	struct thread_counts *t = target_thread();
	struct mm_struct *mm = bpf_get_current_task_btf()->mm;

	if (t && mm && is_map_call(PERCPU_BRK, nr))
		t->heap_end = mm->brk;
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_map, struct pt_regs *regs, long result)
{
	struct thread_counts *t = current_thread();
	__u64 was = 0, is = 0;
	long nr;

	if (!t || result <= 0)
		return 0;
	nr = CALL_NUMBER(regs);
	if (is_map_call(PERCPU_MMAP, nr)) {
		is = ARGUMENT_2(regs);
	} else if (is_map_call(PERCPU_MREMAP, nr)) {
		was = ARGUMENT_2(regs);
		is = ARGUMENT_3(regs);
	} else if (is_map_call(PERCPU_BRK, nr)) {
		was = t->heap_end;
		is = (__u64)result;
	}
	was = WHOLE_PAGES(was);
	is = WHOLE_PAGES(is);
	if (is > was)
		count(ctx, t, config.maps, is - was);
	return 0;
}

#endif
