/*
 * reports.bpf.h - what the counting object in the target has counted.
 *
 * The object is the interval timer: it says how many intervals have passed, and
 * when the next one will have, and the counters follow.
 */
#ifndef CPPROF_PERCPU_REPORTS_BPF_H
#define CPPROF_PERCPU_REPORTS_BPF_H

#include "monitor/timer/percpu/bpf/blocks.bpf.h"

/* Counter I counts what the object calls WHICH. */
static __noinline int take_report(void *ctx, struct thread_counts *t, __u32 i,
	__u32 which, const struct counting_report *report)
{
	__u64 weight = 0, weighed;
	struct counter *s;
	__u32 hits;

	if (i >= config.ncounters || i >= PERCPU_COUNTERS || which >= COUNTINGS)
		return 0;
	s = &t->counters[i];
	s->count += report->consumed[which];
	if (report->run != allocators.run) { /* another cpprof's intervals */
		if (s->count < s->next)
			return 0;
		hits = passed(s, i, &weight);
		return emit(ctx, i, PERCPU_REPORT, weight, hits);
	}
	hits = report->hits[which];
	if (!hits && !report->begins)
		return 0;
	weight = hits * config.interval[i];
	weighed = s->next - s->step + s->start + weight;
	s->step = report->step[which];
	s->next = s->count + (__u64)report->left[which] + 1;
	s->start = (__s64)(s->step - s->next + weighed);
	return hits ? emit(ctx, i, PERCPU_REPORT, weight, hits) : 0;
}

/* A thread is about to execute the first instruction of cpprof_passed(). */
SEC("kprobe")
int on_report(struct pt_regs *ctx)
{
	struct counting_report report = {0};
	struct thread_counts *t = target_thread();

	keep_own_stack();
	if (!t)
		return 0;
	if (bpf_probe_read_user(
		    &report, sizeof report, (void *)ARGUMENT_1(ctx)) < 0)
		return 0;
	if (report.run != allocators.run) /* whose numbers are not ours */
		report.block = 0;
	if (report.ended)
		return report.block ? end_block(ctx, report.block) : 0;
	t->asks = ASKS_SEEN;
	t->state = ARGUMENT_1(ctx);
	if (!shared.collecting)
		return 0;
	add(t, allocators.frees, report.frees);
	t->block = report.block;
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++) {
		if (allocators.bytes & 1u << i)
			take_report(ctx, t, i, COUNTING_BYTES, &report);
		if (allocators.requests & 1u << i)
			take_report(ctx, t, i, COUNTING_REQUESTS, &report);
	}
	t->block = 0;
	return 0;
}

/*
 * The calling thread ends: what it consumed after its last report.  Before 6.16
 * its memory is gone by now, and only what the object reports at the end of a
 * thread or program is known.
 */
SEC("tp_btf/sched_process_exit")
int on_thread_end(void *ctx)
{
	struct thread_counts *t = current_thread();
	struct counting_state state;

	if (!t || !t->state ||
		bpf_probe_read_user(&state, sizeof state, (void *)t->state) < 0)
		return 0;
	add(t, allocators.bytes,
		(__u64)(state.from[COUNTING_BYTES] -
			state.report.left[COUNTING_BYTES]));
	add(t, allocators.requests,
		(__u64)(state.from[COUNTING_REQUESTS] -
			state.report.left[COUNTING_REQUESTS]));
	add(t, allocators.frees, counting_freed(&state));
	t->state = 0;
	return 0;
}

#endif
