/*
 * processors.bpf.h - threads that get and lose a processor: switches, and the
 * time in between.
 */
#ifndef CPPROF_PERCPU_PROCESSORS_BPF_H
#define CPPROF_PERCPU_PROCESSORS_BPF_H

#include "monitor/timer/percpu/bpf/tasks.bpf.h"

static __always_inline int send_off_cpu(void *ctx, __u32 waits)
{
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++)
		if (waits & 1u << i)
			emit(ctx, i, PERCPU_OFF_CPU, 0, 0);
	return 0;
}

/*
 * A wait is credited to the stack at its beginning, but its length is known at
 * its end.  In a system call the thread still has the same registers and stack
 * when the call is over: the sample is taken then.  Elsewhere (page faults,
 * loss of the processor, which is mostly on the way out of a call) the stack is
 * sent to the monitor now, and the length of the wait when the thread runs
 * again.
 */
static __always_inline void begin_wait(void *ctx, struct task_struct *task,
	struct thread_counts *t, bool voluntary, __u64 now)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	begin_off(t, voluntary, now);
	t->off_cpu_sent = CALL_NUMBER(regs) == -1 || CALL_IS_OVER(regs);
	/* a stack that is not sent now cannot be when collecting begins
	   meanwhile */
	if (t->off_cpu_sent && !shared.collecting)
		t->off_since = 0;
	if (t->off_cpu_sent && t->off_since)
		send_off_cpu(ctx, t->waits);
}

/* What counter I counts of the time that is over. */
static __always_inline __u64 counted_of(const struct thread_counts *t, __u32 i)
{
	return (config.events & 1u << i ? t->waited : 0) +
	       (config.queues & 1u << i ? t->queued : 0);
}

static __noinline int end_wait(
	void *ctx, struct task_struct *task, struct thread_counts *t)
{
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters && t;
		i++) {
		struct counter *s = &t->counters[i];
		__u64 weight;
		__u32 hits;

		if (!(t->waits & 1u << i))
			continue;
		s->count += counted_of(t, i);
		if (s->count < s->next)
			continue;
		hits = passed(s, i, &weight);
		if (t->off_cpu_sent) {
			emit_bare(ctx, task, i, PERCPU_SETTLE, weight, hits);
			continue;
		}
		s->due_hits += hits;
		s->due_weight += weight;
		t->due |= 1u << i;
	}
	if (t)
		t->waited = t->queued = 0;
	return 0;
}

/* Ends a wait whose end the kernel did not tell. */
static __always_inline void end_late(
	void *ctx, struct task_struct *task, struct thread_counts *t)
{
	if (t->waited | t->queued)
		end_wait(ctx, task, t);
}

/* At the end of a system call: the waits in it. */
static __always_inline int settle_wait(void *ctx, struct thread_counts *t)
{
	__u32 due = t ? t->due : 0;

	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters && t;
		i++) {
		struct counter *s = &t->counters[i];

		if (!(due & 1u << i))
			continue;
		emit(ctx, i, PERCPU_DUE, s->due_weight, s->due_hits);
		s->due_weight = 0;
		s->due_hits = 0;
	}
	if (t)
		t->due = 0;
	return 0;
}

static __always_inline void leave(void *ctx, struct task_struct *task,
	struct thread_counts *t, __u32 voluntary, __u64 now)
{
	settle(task, t, now);
	t->running = 0;
	if (config.waits) {
		end_late(ctx, task, t);
		begin_wait(ctx, task, t, voluntary, now);
	}
	if (shared.collecting)
		count(ctx, t, voluntary ? config.voluntary : config.involuntary,
			1);
}

static __always_inline void come(
	void *ctx, struct task_struct *task, struct thread_counts *t, __u64 now)
{
	__u64 ran =
		account(task, t, now); /* it ran, and the kernel did not tell */

	if (config.clocks)
		use_processor();
	t->on_wall += ran;
	t->running = 1;
	if (config.waits && t->off_since) {
		part(t, ran, now);
		end_wait(ctx, task, t);
	}
}

static __always_inline void change(void *ctx, bool preempt,
	struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	struct thread_counts *t = of_task(prev);

	if (t && !t->counting) {
		t->running = 0;
	} else if (t) {
		if (state & TASK_DEAD) {
			settle(prev, t, counted_ns());
			end_thread();
		} else {
			leave(ctx, prev, t, !preempt && state, counted_ns());
		}
	}
	t = of_task(next);
	if (t && t->counting) {
		come(ctx, next, t, counted_ns());
	} else if (t) {
		account(next, t, counted_ns());
		t->running = 1;
	}
}

/* What the task waited for has come: from now on it is in line. */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	struct thread_counts *t = of_task(task);

	if (t && t->off_since && !t->ready_since)
		t->ready_since = counted_ns();
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev,
	struct task_struct *next, unsigned int state)
{
	change(ctx, preempt, prev, next, state);
	return 0;
}

/*
 * Before 5.18 the tracepoint does not tell the state.  The task's own is the
 * same unless a signal has come: then it does not wait, and the switch counts
 * as involuntary.
 */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_stateless_switch, bool preempt, struct task_struct *prev,
	struct task_struct *next)
{
	change(ctx, preempt, prev, next, prev->__state);
	return 0;
}

#endif
