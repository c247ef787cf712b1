/*
 * wide_events.bpf.h - perf events of the machine: faults and the like, clocks.
 */
#ifndef CPPROF_WIDE_EVENTS_BPF_H
#define CPPROF_WIDE_EVENTS_BPF_H

#include "wide_core.bpf.h"

/* An event of which each is to be counted: faults and the like. */
SEC("perf_event")
int on_event(void *ctx)
{
	struct thread *t = current_thread();
	__u32 slot;

	if (!t)
		return 0;
	slot = (__u32)bpf_get_attach_cookie(ctx);
	if (slot >= WIDE_SLOTS)
		return 0;
	t->slots[slot].count++;
	if (t->slots[slot].count >= t->slots[slot].next)
		emit_due(ctx, t, 1u << slot);
	return 0;
}

/*
 * Ticks that a processor has missed since its last one, at NOW: a virtual one
 * may have been away.  The time was the thread's all the same.
 */
static __always_inline __u32 missed_ticks(
	const struct thread *t, __u32 slot, __u64 period, __u64 now)
{
	__u64 *last = bpf_map_lookup_elem(&ticks, &slot), since;

	if (!last || !period)
		return 0;
	since = *last > t->on_since ? *last : t->on_since;
	if (!*last || !t->on_since || now < since + period * 3 / 2)
		return 0;
	return (__u32)((now - since - period / 2) / period);
}

/* A processor's clock: one sample a tick, worth the weight in the cookie. */
SEC("perf_event")
int on_clock(void *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx), weight = cookie >> 8;
	__u32 slot = (__u32)cookie & (WIDE_SLOTS - 1), hits = 1;
	struct thread *t = current_thread();
	__u64 now = counted_ns();

	if (!config.spread[slot]) {
		if (t)
			hits += missed_ticks(t, slot, weight, now);
		bpf_map_update_elem(&ticks, &slot, &now, BPF_ANY);
	}
	if (t)
		emit(ctx, slot, WIDE_DUE, hits * weight, hits);
	return 0;
}

#endif
