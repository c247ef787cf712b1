/* own.bpf.h - programs that the monitor runs itself, over all tasks. */
#ifndef CPPROF_PERCPU_OWN_BPF_H
#define CPPROF_PERCPU_OWN_BPF_H

#include "monitor/timer/percpu/bpf/time.bpf.h"

static __always_inline void track_existing(struct task_struct *task)
{
	struct thread_counts *t = of_task(task);

	if (t)
		return;
	t = new_of_task(task);
	if (!t) {
		__sync_fetch_and_add(&shared.missed, 1);
		return;
	}
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++)
		t->counters[i].step = t->counters[i].next = draw(i);
	t->settled = counted_ns();
	t->runtime = task->se.sum_exec_runtime;
	t->turns = shared.turns;
	t->running = !!task->on_cpu;
	if (!t->running)
		begin_off(t, task->__state != 0, t->settled);
	t->counting = !shared.track_armed;
	if (t->counting)
		__sync_fetch_and_add(&shared.counting, 1);
	shared.tracked++;
}

/*
 * Tracks all threads of the process shared.track_existing.  A first thread that
 * has ended stays in the list as long as others live: it neither waits nor will
 * have a last event.
 */
SEC("iter/task")
int track_process(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task && (__u32)task->tgid == shared.track_existing &&
		!task->exit_state &&
		BPF_CORE_READ(task, group_leader, start_time) <=
			shared.track_begun)
		track_existing(task);
	return 0;
}

/* Adds the processor time of a thread, which may run meanwhile. */
static __always_inline void add_time(
	struct task_struct *task, const struct thread_counts *t)
{
	__u64 now = counted_ns(), runtime = run_since(task, t, now);
	__u64 ahead = t->ahead, wall = 0;

	if (t->running && task->on_cpu) {
		wall = passed_ns(t->settled, now);
		ahead += wall;
	}
	shared.living_on_cpu += t->on_cpu + (runtime > ahead ? runtime : ahead);
	shared.living_on_wall += t->on_wall + (t->running ? wall : runtime);
}

/* What counter I counts of a time off the processor that goes on. */
static __always_inline __u64 passed_of(
	const struct thread_counts *t, __u32 i, __u64 now)
{
	__u64 ready = t->ready_since ? t->ready_since : now;

	return (config.events & 1u << i ? passed_ns(t->off_since, ready) : 0) +
	       (config.queues & 1u << i ? passed_ns(ready, now) : 0);
}

/* Adds up what the living threads have consumed. */
SEC("iter/task")
int add_living(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread_counts *t = task ? of_task(task) : 0;

	if (!t || !t->counting)
		return 0;
	shared.living_counting++;
	add_time(task, t);
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++) {
		shared.living[i] += t->counters[i].count;
		if (t->waits & 1u << i && t->off_since && !task->on_cpu)
			shared.living[i] += passed_of(t, i, counted_ns());
	}
	return 0;
}

/*
 * When collecting is over: writes a struct percpu_waiting for each wait that
 * has not ended and each counter with whole intervals of it.
 */
SEC("iter/task")
int end_waits(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread_counts *t = task ? of_task(task) : 0;
	struct percpu_waiting said = {0};
	__u64 now;

	if (!t || !t->counting || !t->off_since || task->on_cpu)
		return 0;
	now = counted_ns();
	said.pid = task->tgid;
	said.tid = task->pid;
	said.off_cpu_sent = t->off_cpu_sent;
	said.call = call_of(task);
	tell_registers((struct pt_regs *)bpf_task_pt_regs(task), said.regs);
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++) {
		struct counter *s = &t->counters[i];

		if (!(t->waits & 1u << i))
			continue;
		s->count += passed_of(t, i, now);
		said.counter = i;
		said.hits = s->due_hits;
		said.weight = s->due_weight;
		if (s->count >= s->next) {
			__u64 weight;

			said.hits += passed(s, i, &weight);
			said.weight += weight;
		}
		/* what was due before is emitted with it, and not again */
		s->due_hits = 0;
		s->due_weight = 0;
		t->due &= ~(1u << i);
		if (!said.hits)
			continue;
		__sync_fetch_and_add(&shared.emitted[i], said.weight);
		bpf_seq_write(ctx->meta->seq, &said, sizeof said);
	}
	t->off_since = now;
	if (t->ready_since)
		t->ready_since = now;
	return 0;
}

#endif
