/*
 * events.bpf.h - perf events of the machine: faults and the like, clocks.
 */
#ifndef CPPROF_PERCPU_EVENTS_BPF_H
#define CPPROF_PERCPU_EVENTS_BPF_H

#include "monitor/timer/percpu/time.bpf.h"

/* An event of which each is to be counted: faults and the like. */
SEC("perf_event")
int on_event(void *ctx)
{
	struct thread *t = current_thread();
	__u32 counter;

	if (!t)
		return 0;
	counter = (__u32)bpf_get_attach_cookie(ctx);
	if (counter >= config.ncounters)
		return 0;
	t->counters[counter].count++;
	if (t->counters[counter].count >= t->counters[counter].next)
		emit_due(ctx, t, 1u << counter);
	return 0;
}

/*
 * How many of a clock's intervals a tick in thread T stands for.  In the long
 * run one, but not each time: ticks come in step with the scheduler's own and
 * so more often at the end of a thread's turn than is just, and a virtual
 * processor misses those while it is away.  The thread's own time says what it
 * is owed; a tick counts for nothing, or for several, where it has got half an
 * interval too much, or is left with one and a half too little.  While it runs
 * its time is the kernel's count, which lags by up to a scheduler's tick, and
 * what it has probably consumed since.
 */
static __always_inline __u32 tick_hits(
	const struct thread *t, __u32 counter, __u64 weight)
{
	const struct counter *s = &t->counters[counter];
	__u64 interval = config.interval[counter];
	__u64 used = time_of(t, counter);
	__s64 owed;

	if (!weight)
		return 0;
	owed = (__s64)(used - s->credited) + s->carry;
	if (owed < -(__s64)(interval / 2))
		return 0;
	if (owed < (__s64)(2 * interval + interval / 2))
		return 1;
	return (__u32)((__u64)owed / weight);
}

/*
 * Whether the thread is where only a probe brings it: the kernel makes a copy
 * of the instruction, has it executed as a single step, and has its trap, by
 * which time the registers are the next instruction's (of a return the
 * caller's).  Until it is done with that, the uprobe is active.
 */
static __always_inline bool steps_over_probe(struct task_struct *task)
{
	return config.uprobes && task->utask && task->utask->active_uprobe;
}

/* A processor's clock: a tick is worth the weight in the cookie. */
SEC("perf_event")
int on_clock(void *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx), weight = cookie >> 8;
	__u32 counter = (__u8)cookie, hits;
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = current_thread();

	if (!t || counter >= config.ncounters)
		return 0;
	look_ahead(task, t, 2 * weight);
	hits = tick_hits(t, counter, weight);
	if (!hits)
		return 0;
	t->counters[counter].credited += hits * weight;
	if (t->emitting || steps_over_probe(task))
		emit_bare(
			ctx, task, counter, PERCPU_PROBE, hits * weight, hits);
	else
		emit(ctx, counter, PERCPU_DUE, hits * weight, hits);
	return 0;
}

#endif
