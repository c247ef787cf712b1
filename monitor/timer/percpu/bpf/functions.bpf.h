/*
 * functions.bpf.h - uprobes: calls of functions.
 */
#ifndef CPPROF_PERCPU_FUNCTIONS_BPF_H
#define CPPROF_PERCPU_FUNCTIONS_BPF_H

#include "monitor/arch/amount.h"
#include "monitor/timer/percpu/bpf/core.bpf.h"

/* A number of AMOUNT's size from the lowest bytes of WORD; 0: less than none.
 */
static __always_inline __u64 cut(__u64 word, __u64 amount)
{
	__u64 above = (64 - 8 * AMOUNT_SIZE(amount)) & 63;
	__s64 number = (__s64)(word << above) >> above;

	if (!AMOUNT_SIGNED(amount))
		return word << above >> above;
	return number < 0 ? 0 : (__u64)number;
}

static __always_inline __u64 register_of(void *ctx, __u64 number)
{
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof word, ctx + number * sizeof word);
	return word;
}

/* The number at a probe, by the registers in CTX. */
static __always_inline __u64 number_at(void *ctx, __u64 amount)
{
	__u64 word = (__u64)(__s64)AMOUNT_OFFSET(amount), size;
	__u64 index = AMOUNT_INDEX(amount);

	if (AMOUNT_PLACE(amount) != AMOUNT_CONSTANT)
		word += register_of(ctx, AMOUNT_BASE(amount));
	if (index)
		word += register_of(ctx, index - 1) << AMOUNT_SHIFT(amount);
	if (AMOUNT_PLACE(amount) == AMOUNT_MEMORY) {
		__u64 at = word;

		size = AMOUNT_SIZE(amount);
		word = 0;
		if (size > sizeof word ||
			bpf_probe_read_user(&word, size, (void *)at))
			__sync_fetch_and_add(&shared.unread, 1);
	}
	return cut(word, amount);
}

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* PERCPU_ARCS, where they are counted */
	__type(key, struct percpu_arc);
	__type(value, __u64); /* calls */
} arcs SEC(".maps");

/* The monitor has to know of an arc while the code is mapped that it is in. */
static __always_inline bool begin_arc(
	struct pt_regs *ctx, const struct percpu_arc *arc, __u32 counter)
{
	__u64 id = bpf_get_current_pid_tgid(), first = 1;
	struct percpu_sample sample = {
		.what = PERCPU_ARC_BEGINS,
		.weight = arc->back,
		.below = ctx->ip,
		.hits = arc->thread,
		.block = arc->point,
		.counter = counter,
		.tid = (__u32)id,
		.pid = id >> 32,
	};
	__u32 output =
		PERCPU_BARE_OUTPUT(config.ncounters, counter) * config.ncpus +
		bpf_get_smp_processor_id();

	if (bpf_map_update_elem(&arcs, arc, &first, BPF_ANY))
		return false;
	if (bpf_perf_event_output(
		    ctx, &outputs, output, &sample, sizeof sample) == 0)
		return true;
	bpf_map_delete_elem(&arcs, arc);
	return false;
}

/* One call; only its own thread counts in an entry of the map. */
static __always_inline void count_arc(struct pt_regs *ctx,
	struct thread_counts *t, __u32 counter, __u64 cookie)
{
	struct percpu_arc arc = {.point = PERCPU_ARC_POINT(cookie)};
	__u64 *calls, sp = STACK_POINTER(ctx) + PERCPU_ARC_DEPTH(cookie);

	if (!t->arcs)
		t->arcs = __sync_fetch_and_add(&shared.arc_threads, 1) + 1;
	arc.thread = t->arcs;
	bpf_probe_read_user(&arc.back, sizeof arc.back, (void *)sp);
	t->counters[counter].count++;
	calls = bpf_map_lookup_elem(&arcs, &arc);
	if (calls) {
		++*calls;
	} else if (!begin_arc(ctx, &arc, counter)) {
		__sync_fetch_and_add(&shared.lost[counter], 1);
		__sync_fetch_and_add(&shared.lost_weight[counter], 1);
	}
}

/*
 * A thread is about to execute a function's first instruction, or one that the
 * program has for tracers.
 */
SEC("kprobe")
int on_call(void *ctx)
{
	struct thread_counts *t = current_thread();
	__u64 amount = bpf_get_attach_cookie(ctx);
	__u32 counter = AMOUNT_COUNTER(amount);

	keep_own_stack();
	barrier_var(counter); /* see on_event() */
	if (!t || counter >= config.ncounters || counter >= PERCPU_COUNTERS)
		return 0;
	if (config.arcs >> counter & 1) {
		count_arc(ctx, t, counter, amount);
		return 0;
	}
	t->counters[counter].count +=
		AMOUNT_PLACE(amount) ? number_at(ctx, amount) : 1;
	if (t->counters[counter].count >= t->counters[counter].next)
		emit_counter(ctx, t, counter, PERCPU_DUE);
	return 0;
}

#endif
