/*
 * events.bpf.h - perf events of the machine: faults and the like, clocks.
 */
#ifndef CPPROF_WIDE_EVENTS_BPF_H
#define CPPROF_WIDE_EVENTS_BPF_H

#include "monitor/timer/percpu/time.bpf.h"

/* An event of which each is to be counted: faults and the like. */
SEC("perf_event")
int on_event(void *ctx)
{
	struct thread *t = current_thread();
	__u32 slot;

	if (!t)
		return 0;
	slot = (__u32)bpf_get_attach_cookie(ctx);
	if (slot >= config.nslots)
		return 0;
	t->slots[slot].count++;
	if (t->slots[slot].count >= t->slots[slot].next)
		emit_due(ctx, t, 1u << slot);
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
	const struct thread *t, __u32 slot, __u64 weight)
{
	const struct slot *s = &t->slots[slot];
	__u64 interval = config.interval[slot];
	__u64 used = time_of(t, slot);
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

/* A processor's clock: a tick is worth the weight in the cookie. */
SEC("perf_event")
int on_clock(void *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx), weight = cookie >> 8;
	__u32 slot = (__u8)cookie, hits;
	struct thread *t = current_thread();

	if (!t || slot >= config.nslots)
		return 0;
	look_ahead(bpf_get_current_task_btf(), t, 2 * weight);
	hits = tick_hits(t, slot, weight);
	if (!hits)
		return 0;
	t->slots[slot].credited += hits * weight;
	emit(ctx, slot, WIDE_DUE, hits * weight, hits);
	return 0;
}

#endif
