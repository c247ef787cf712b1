/*
 * time.bpf.h - how long threads were on a processor.
 *
 * The kernel's own count (sum_exec_runtime: as getrusage(2), without the time
 * that a virtual processor is away) is always right, but for a running thread
 * it moves only at the scheduler's ticks and switches.  That count is used.
 * The clock makes up for its lag: it adds the time since the thread was last
 * read, until the count has moved.
 *
 * So a switch that is not told, as in some guests, does no harm: the next one
 * that is, or the next tick of a perf clock, shows it.  A wait that ended that
 * way lasted as long as the thread did not run.
 */
#ifndef CPPROF_PERCPU_TIME_BPF_H
#define CPPROF_PERCPU_TIME_BPF_H

#include "monitor/timer/percpu/bpf/core.bpf.h"

/*
 * The kernel's count since the thread was settled.  If collecting was off
 * meanwhile, at most the counted time that has passed.
 */
static __always_inline __u64 run_since(
	struct task_struct *task, const struct thread_counts *t, __u64 now)
{
	__u64 ran = passed_ns(t->runtime, task->se.sum_exec_runtime);
	__u64 passed = passed_ns(t->settled, now);

	if ((t->turns != shared.turns || !shared.collecting) && ran > passed)
		return passed;
	return ran;
}

/* Adds the kernel's count to its time; returns what was added. */
static __always_inline __u64 account(
	struct task_struct *task, struct thread_counts *t, __u64 now)
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

/* What the time off its processor was, of which T ran for RAN after all. */
static __always_inline void part(struct thread_counts *t, __u64 ran, __u64 now)
{
	__u64 since = t->ready_since;

	t->queued = since ? passed_ns(since + ran, now) : 0;
	t->waited = passed_ns(t->off_since + ran, now) - t->queued;
	t->off_since = t->ready_since = 0;
}

/* Adds all time of a thread that is on a processor, or just leaves it. */
static __always_inline __u64 settle(
	struct task_struct *task, struct thread_counts *t, __u64 now)
{
	__u64 passed = passed_ns(t->settled, now);
	__u64 ran = account(task, t, now);

	if (!t->running && t->off_since)
		part(t, ran, now);
	t->on_wall += t->running ? passed : ran;
	t->running = 1;
	return ran;
}

/*
 * The same, and the time that it has probably consumed and the kernel has not
 * counted yet: a count that has changed since the last read is no older than
 * that. Of the time since then at most MOST counts in advance.
 */
static __always_inline void look_ahead(
	struct task_struct *task, struct thread_counts *t, __u64 most)
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

/* Wakes the monitor; what is in it says nothing. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, PERCPU_PAGE);
} bell SEC(".maps");

/* The target runs on this processor, whose clocks may rest (clocks.c). */
static __always_inline void use_processor(void)
{
	struct percpu_use *use =
		&shared.uses[bpf_get_smp_processor_id() % PERCPU_USES];
	__u32 called = PERCPU_CALLED;

	if (!use->used)
		read_anew(use->used) = 1;
	if (read_anew(use->rests) != PERCPU_RESTS)
		return;
	read_anew(use->rests) = called;
	bpf_ringbuf_output(&bell, &called, sizeof called, BPF_RB_FORCE_WAKEUP);
}

/*
 * T is off its processor since NOW; if it could run, it is in line for one, and
 * waits for no event.
 */
static __always_inline void begin_off(
	struct thread_counts *t, bool voluntary, __u64 now)
{
	t->waits = voluntary ? config.waits : config.queues;
	t->off_since = t->waits ? now : 0;
	t->ready_since = voluntary ? 0 : t->off_since;
}

/* From now on: all that was before does not count. */
static __always_inline void begin_count(
	struct task_struct *task, struct thread_counts *t)
{
	__u64 now = counted_ns();

	if (t->running)
		t->runtime += passed_ns(t->settled, now);
	if (t->runtime < task->se.sum_exec_runtime)
		t->runtime = task->se.sum_exec_runtime;
	t->settled = now;
	t->turns = shared.turns;
	t->on_cpu = t->ahead = t->on_wall = 0;
	t->off_since = t->ready_since = t->waited = t->queued = 0;
	t->running = 1;
	t->counting = 1;
	__sync_fetch_and_add(&shared.counting, 1);
}

/*
 * The time that a clock of counter I counts: with the waits it is all of wall
 * time.
 */
static __always_inline __u64 time_of(const struct thread_counts *t, __u32 i)
{
	return config.waits & 1u << i ? t->on_wall : t->on_cpu + t->ahead;
}

#endif
