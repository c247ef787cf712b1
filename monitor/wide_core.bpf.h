/*
 * wide_core.bpf.h - what all BPF programs of the wide arrangement share: which
 * threads are the target's, their counts, and the samples.
 *
 * A program asks for current_thread() and calls count() with the slots and the
 * amount; whatever is due then is emitted.
 */
#ifndef CPPROF_WIDE_CORE_BPF_H
#define CPPROF_WIDE_CORE_BPF_H

#include "wide_kernel.h"

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "wide_abi.h"

const volatile struct wide_config config SEC(".rodata.config") = {0};
struct wide_shared shared SEC(".data.shared") = {0};

struct slot {
	__u64 count;      /* consumed, in all */
	__u64 next;       /* a sample is due when count gets there */
	__u64 step;       /* the interval in force */
	__s64 start;      /* what it started with on account */
	__u64 due_weight; /* waits: to be paid at the call's end */
	__u32 due_hits;
};

struct thread {
	__u32 counting;
	__u32 due;       /* slots with something to be paid */
	__u64 on_since;  /* on a processor since; 0: unknown, or not */
	__u64 off_since; /* waiting since */
	__u32 held;      /* the wait's stack is with the monitor */
	__u64 io_since;  /* in a call that moves bytes, since */
	__u64 on_cpu;    /* ns in all */
	struct slot slots[WIDE_SLOTS];
	__s64 rest[WIDE_SLOTS]; /* leaders: left by threads that have ended */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} outputs SEC(".maps");

struct { /* when a slot's clock ticked last on each processor */
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIDE_SLOTS);
	__type(key, __u32);
	__type(value, __u64);
} ticks SEC(".maps");

static __always_inline struct thread *of_task(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, task, 0, 0);
}

/* The calling thread, if it is the target's. */
static __always_inline struct thread *target_thread(void)
{
	struct thread *t = of_task(bpf_get_current_task_btf());

	return t && t->counting ? t : 0;
}

/* And if what it does now is to be counted. */
static __always_inline struct thread *current_thread(void)
{
	struct thread *t = target_thread();

	return t && shared.collecting ? t : 0;
}

/*
 * A clock that stands still while nothing counts: what lies between two of its
 * times has all been collected.
 */
static __always_inline __u64 counted_ns(void)
{
	return shared.collecting ? bpf_ktime_get_ns() - shared.skipped
				 : shared.stopped;
}

/* It can seem to go back by the moment it takes to be stopped. */
static __always_inline __u64 passed_ns(__u64 since, __u64 now)
{
	return now > since ? now - since : 0;
}

static __noinline int emit(
	void *ctx, __u32 slot, __u32 what, __u64 weight, __u32 hits)
{
	struct wide_sample sample = {
		.what = what,
		.weight = weight,
		.hits = hits,
		.slot = slot,
	};
	__u32 output = slot * config.ncpus + bpf_get_smp_processor_id();

	if (slot >= WIDE_SLOTS)
		return 0;
	if (weight)
		__sync_fetch_and_add(&shared.emitted[slot], weight);
	if (bpf_perf_event_output(
		    ctx, &outputs, output, &sample, sizeof sample) == 0)
		return 0;
	__sync_fetch_and_add(&shared.lost[slot], 1);
	__sync_fetch_and_add(&shared.lost_weight[slot], weight);
	return 0;
}

/* What the wait of a thread that runs again comes to; its stack is held. */
static __noinline int emit_paid(void *ctx, struct task_struct *task, __u32 slot,
	__u64 weight, __u32 hits)
{
	struct wide_sample sample = {
		.what = WIDE_PAID,
		.weight = weight,
		.hits = hits,
		.slot = slot,
		.tid = task->pid,
		.pid = task->tgid,
	};
	__u32 output = (config.nslots + slot) * config.ncpus +
		       bpf_get_smp_processor_id();

	if (slot >= WIDE_SLOTS)
		return 0;
	__sync_fetch_and_add(&shared.emitted[slot], weight);
	if (bpf_perf_event_output(
		    ctx, &outputs, output, &sample, sizeof sample) == 0)
		return 0;
	__sync_fetch_and_add(&shared.lost[slot], 1);
	__sync_fetch_and_add(&shared.lost_weight[slot], weight);
	return 0;
}

/* The next interval: the slot's own, or around it. */
static __always_inline __u64 draw(__u32 i)
{
	__u64 interval = config.interval[i], spread = config.spread[i];
	__u64 range = interval * spread / 1024;

	if (!range)
		return interval;
	return interval - range + bpf_get_prandom_u32() % (2 * range + 1);
}

/*
 * The whole intervals that have passed: how many, and their weight in *WEIGHT.
 * The first is the one in force; of more than one, the others are mean ones.
 */
static __always_inline __u32 passed(struct slot *s, __u32 i, __u64 *weight)
{
	__u64 interval = config.interval[i] ? config.interval[i] : 1;
	__u64 over = s->count - s->next;
	__u64 more = over / interval;

	*weight = s->step + more * interval;
	s->step = draw(i);
	s->next = s->count - (over - more * interval) + s->step;
	return 1 + (__u32)more;
}

static __noinline int cross(void *ctx, struct thread *t, __u32 i)
{
	__u64 weight;
	__u32 hits;

	if (i >= WIDE_SLOTS || !t)
		return 0;
	hits = passed(&t->slots[i], i, &weight);
	return emit(ctx, i, WIDE_DUE, weight, hits);
}

static __always_inline void count(
	void *ctx, struct thread *t, __u32 slots, __u64 amount)
{
	for (__u32 i = 0; i < WIDE_SLOTS; i++) {
		if (i >= config.nslots)
			break;
		if (!(slots & (1u << i)))
			continue;
		t->slots[i].count += amount;
		if (t->slots[i].count >= t->slots[i].next)
			cross(ctx, t, i);
	}
}

#endif
