/*
 * wide_own.bpf.h - programs that the monitor runs itself, over all tasks.
 */
#ifndef CPPROF_WIDE_OWN_BPF_H
#define CPPROF_WIDE_OWN_BPF_H

#include "wide_core.bpf.h"

static __always_inline void adopt(struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, 0, 0);

	if (t)
		return;
	t = bpf_task_storage_get(
		&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		__sync_fetch_and_add(&shared.missed, 1);
		return;
	}
	for (__u32 i = 0; i < WIDE_SLOTS; i++) {
		if (i >= config.nslots)
			break;
		t->slots[i].step = t->slots[i].next = draw(i);
	}
	if (task->on_cpu)
		t->on_since = counted_ns();
	else
		t->off_since = counted_ns();
	t->counting = !shared.adopt_armed;
	shared.adopted++;
}

/* Takes in all threads of the process shared.adopt. */
SEC("iter/task")
int adopt_process(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task && (__u32)task->tgid == shared.adopt)
		adopt(task);
	return 0;
}

/* Adds up what the threads that still live have consumed. */
SEC("iter/task")
int add_living(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t = task ? of_task(task) : 0;

	if (!t || !t->counting)
		return 0;
	shared.living_on_cpu += t->on_cpu;
	if (t->on_since && task->on_cpu)
		shared.living_on_cpu += passed_ns(t->on_since, counted_ns());
	for (__u32 i = 0; i < WIDE_SLOTS; i++) {
		if (i >= config.nslots)
			break;
		shared.living[i] += t->slots[i].count;
		if (config.waits & 1u << i && t->off_since && !task->on_cpu)
			shared.living[i] +=
				passed_ns(t->off_since, counted_ns());
	}
	return 0;
}

#endif
