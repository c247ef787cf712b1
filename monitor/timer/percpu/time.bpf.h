/*
 * time.bpf.h - how long threads were on a processor.
 *
 * The kernel counts it itself (sum_exec_runtime: what getrusage(2) tells, the
 * time that a virtual processor is away not among it) and always rightly, but
 * for a thread that runs only at the scheduler's ticks and switches.  That
 * count is taken.  Its lag is made up for by the clock: what has passed since
 * the thread was last looked at, until the count is seen to have moved on.
 *
 * So it costs no truth if a switch is not told, as happens in some guests: it
 * is found out at the next that is, or at the next tick of a perf clock.  A
 * wait that ended so lasted as long as the thread did not run since.
 */
#ifndef CPPROF_PERCPU_TIME_BPF_H
#define CPPROF_PERCPU_TIME_BPF_H

#include "monitor/timer/percpu/core.bpf.h"

/*
 * What the kernel has counted since the thread was settled.  Of a time in which
 * collecting stood still for a while it can be no more than the counted time
 * that has passed.
 */
static __always_inline __u64 run_since(
	struct task_struct *task, const struct thread *t, __u64 now)
{
	__u64 ran = passed_ns(t->runtime, task->se.sum_exec_runtime);
	__u64 passed = passed_ns(t->settled, now);

	if ((t->turns != shared.turns || !shared.collecting) && ran > passed)
		return passed;
	return ran;
}

/* Adds what has been counted to its time; that. */
static __always_inline __u64 account(
	struct task_struct *task, struct thread *t, __u64 now)
{
	__u64 ran = run_since(task, t, now);

	if (t->runtime < task->se.sum_exec_runtime)
		t->runtime = task->se.sum_exec_runtime;
	t->on_cpu += ran;
	t->ahead = 0;
	t->settled = now;
	t->turns = shared.turns;
	return ran;
}

/* A thread that is on a processor, or is just leaving it: all of its time. */
static __always_inline __u64 settle(
	struct task_struct *task, struct thread *t, __u64 now)
{
	__u64 passed = passed_ns(t->settled, now);
	__u64 ran = account(task, t, now);

	if (!t->running && t->off_since) {
		t->late = passed_ns(t->off_since + ran, now);
		t->off_since = 0;
	}
	t->on_wall += t->running ? passed : ran;
	t->running = 1;
	return ran;
}

/*
 * The same, and what it has probably consumed that the kernel has not counted
 * yet: a count that has changed since the last look is no older than that.  Of
 * the time since then at most MOST is believed before it is counted.
 */
static __always_inline void look_ahead(
	struct task_struct *task, struct thread *t, __u64 most)
{
	__u64 now = counted_ns(), passed = passed_ns(t->settled, now), ran;
	__u64 ahead = t->ahead;
	bool told = t->running;

	ran = settle(task, t, now);
	if (!told)
		return;
	if (passed > most)
		passed = most;
	ahead += passed;
	ahead = ahead > ran ? ahead - ran : 0;
	t->ahead = ran && ahead > passed ? passed : ahead;
}

/* All that was before does not count. */
static __always_inline void begin_count(
	struct task_struct *task, struct thread *t)
{
	__u64 now = counted_ns();

	if (t->running)
		t->runtime += passed_ns(t->settled, now);
	if (t->runtime < task->se.sum_exec_runtime)
		t->runtime = task->se.sum_exec_runtime;
	t->settled = now;
	t->turns = shared.turns;
	t->on_cpu = t->ahead = t->on_wall = 0;
	t->off_since = t->late = 0;
	t->running = 1;
	t->counting = 1;
}

/* What a clock of counter I goes by: with the waits it is all of wall time. */
static __always_inline __u64 time_of(const struct thread *t, __u32 i)
{
	return config.waits & 1u << i ? t->on_wall : t->on_cpu + t->ahead;
}

#endif
