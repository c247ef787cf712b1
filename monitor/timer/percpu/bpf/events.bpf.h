/*
 * events.bpf.h - perf events of the machine: faults and the like, clocks.
 */
#ifndef CPPROF_PERCPU_EVENTS_BPF_H
#define CPPROF_PERCPU_EVENTS_BPF_H

#include "monitor/timer/percpu/bpf/functions.bpf.h"
#include "monitor/timer/percpu/bpf/time.bpf.h"

static __always_inline __u64 user_ip(struct task_struct *task)
{
	return ((struct pt_regs *)bpf_task_pt_regs(task))->ip;
}

/*
 * Programs of perf events do not interrupt each other: a clock's tick that
 * comes while a sample is made here is dropped, or held up until the program
 * has ended.  So how long that takes is kept, see probe_hits().
 */
static __always_inline void emit_deaf(
	void *ctx, struct thread_counts *t, __u32 counter, __u32 what)
{
	__u64 since = bpf_ktime_get_ns(), ns;

	emit_counter(ctx, t, counter, what);
	if (!config.clocks)
		return;
	ns = bpf_ktime_get_ns() - since;
	t->event_ip = user_ip(bpf_get_current_task_btf());
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++)
		t->counters[i].deaf += ns;
}

/* Of memory, where an event is; 0: none.  CTX is a struct bpf_perf_event_data:
   the registers, the period, and this. */
static __always_inline __u64 event_address(const void *ctx)
{
	return *(const __u64 *)(ctx + REGISTERS_SIZE + sizeof(__u64));
}

/* The kernel comes to a tracepoint on a thread's behalf. */
SEC("tracepoint")
int on_tracepoint(void *ctx)
{
	struct thread_counts *t = current_thread();
	__u64 amount = bpf_get_attach_cookie(ctx), word = 1;
	__u32 counter = AMOUNT_COUNTER(amount);

	barrier_var(counter); /* see on_event() */
	if (!t || counter >= config.ncounters)
		return 0;
	if (AMOUNT_PLACE(amount)) {
		word = 0;
		bpf_probe_read_kernel(
			&word, sizeof word, ctx + (__u32)AMOUNT_OFFSET(amount));
		word = cut(word, amount);
	}
	t->counters[counter].count += word;
	if (t->counters[counter].count >= t->counters[counter].next)
		emit_deaf(ctx, t, counter, PERCPU_DUE);
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
	const struct thread_counts *t, __u32 counter, __u64 weight)
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
	return config.uprobes && BPF_CORE_READ(task, utask, active_uprobe);
}

/*
 * How many of a tick's HITS are due to samples of events: no more than those
 * took, and only those that are made up for, or that find the thread where it
 * had the last such event.
 */
static __always_inline __u32 probe_hits(struct task_struct *task,
	struct thread_counts *t, __u32 counter, __u64 weight, __u32 hits)
{
	struct counter *s = &t->counters[counter];
	__u32 most = hits - (user_ip(task) != t->event_ip);
	__u64 n = s->deaf / weight;

	if (n > most)
		n = most;
	s->deaf -= n * weight;
	return (__u32)n;
}

/* Each of these events counts: faults and the like. */
static __always_inline void on_one(
	void *ctx, struct thread_counts *t, __u32 counter)
{
	t->counters[counter].count++;
	if (t->counters[counter].count < t->counters[counter].next)
		return;
	t->address = event_address(ctx);
	emit_deaf(ctx, t, counter, t->address ? PERCPU_FAULT : PERCPU_DUE);
}

/* A tick of a processor's clock is worth WEIGHT. */
static __always_inline void on_tick(
	void *ctx, struct thread_counts *t, __u32 counter, __u64 weight)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 hits, own;

	use_processor();
	look_ahead(task, t, 2 * weight);
	hits = tick_hits(t, counter, weight);
	if (!hits)
		return;
	t->counters[counter].credited += hits * weight;
	if (t->emitting || steps_over_probe(task))
		own = hits;
	else
		own = probe_hits(task, t, counter, weight, hits);
	if (own)
		emit_bare(ctx, task, counter, PERCPU_PROBE, own * weight, own);
	hits -= own;
	if (hits)
		emit(ctx, counter, PERCPU_DUE, hits * weight, hits);
}

/*
 * What perf counts.  One program for both: the kernel verifies what makes
 * samples in each anew.
 */
SEC("perf_event")
int on_event(void *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx), weight = cookie >> 8;
	struct thread_counts *t = current_thread();
	__u32 counter = (__u8)cookie;

	/* what is compared is what indexes: clang 19 would make it again of the
	 * cookie, of which the kernel's verifier knows no bound */
	barrier_var(counter);
	if (!t || counter >= config.ncounters)
		return 0;
	if (weight)
		on_tick(ctx, t, counter, weight);
	else
		on_one(ctx, t, counter);
	return 0;
}

#endif
