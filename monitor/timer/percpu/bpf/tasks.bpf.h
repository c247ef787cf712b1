/* tasks.bpf.h - threads of the target that begin and end. */
#ifndef CPPROF_PERCPU_TASKS_BPF_H
#define CPPROF_PERCPU_TASKS_BPF_H

#include "monitor/timer/percpu/bpf/time.bpf.h"

/*
 * Where in its first interval a new thread starts.  The gticks in REST (or, if
 * negative, those owed) make a sample in the thread a little more or less
 * likely, at every moment of its life alike: the range is cut short, or some
 * threads start with nothing.
 */
static __always_inline void start_counter(
	struct counter *s, __u32 i, __s64 rest)
{
	__u64 step, tilt;

	step = s->step = draw(i);
	tilt = (__u64)(rest < 0 ? -rest : rest) >> 3;
	if (tilt > step / 2)
		tilt = step / 2;
	s->start = 0;
	if (!step)
		return;
	if (rest > 0)
		s->start = tilt + below(step - tilt);
	else if (below(step) >= tilt)
		s->start = below(step);
	s->next = step - s->start;
}

/* Words between the remainders of two counters: in a leader, and in the run. */
#define LEADERS (sizeof(struct counter) / 8)
#define RUNS 1

/* T begins with the remainders of threads that have ended, STRIDE apart. */
static __always_inline int start(
	struct thread_counts *t, __s64 *rest, __s64 *clock_rest, __u32 stride)
{
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++) {
		start_counter(&t->counters[i], i, rest[i * stride]);
		t->counters[i].carry =
			__sync_lock_test_and_set(&clock_rest[i * stride], 0);
	}
	return 0;
}

/*
 * A new thread or process of the calling one.  sched_process_fork would not
 * tell of the threads that the kernel makes in a process, as io_uring has them.
 */
SEC("tp_btf/task_newtask")
int BPF_PROG(on_fork, struct task_struct *child)
{
	struct task_struct *parent = bpf_get_current_task_btf();
	struct thread_counts *p = of_task(parent), *t, *leader;

	if (!p)
		return 0;
	t = new_of_task(child);
	if (!t) {
		__sync_fetch_and_add(&shared.missed, 1);
		return 0;
	}
	interpreter_fork(parent, child);
	leader = child->tgid == parent->tgid ? of_task(child->group_leader) : 0;
	if (leader)
		start(t, &leader->counters[0].rest,
			&leader->counters[0].clock_rest, LEADERS);
	else
		start(t, shared.rest, shared.clock_rest, RUNS);
	t->settled = counted_ns();
	t->turns = shared.turns;
	begin_off(t, false, t->settled);
	t->counting = p->counting;
	if (t->counting)
		__sync_fetch_and_add(&shared.counting, 1);
	return 0;
}

/* The target's exec: from here on it counts. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	struct thread_counts *t = of_task(task);

	if (t) {
		t->interpreter_state = 0;
		t->request.ip = 0;
		t->pending.sp = 0;
		t->execs++;
		t->arcs = 0;
		t->state = 0;
		if (t->asks == ASKS_NOT_YET)
			__sync_fetch_and_add(&shared.silent, 1);
		t->asks = ASKS_NOT_YET;
	}
	if (t && !t->counting)
		begin_count(task, t);
	return 0;
}

/* Adds the thread's remainders to REST and CLOCK_REST. */
static __always_inline int hand_on(
	struct thread_counts *t, __s64 *rest, __s64 *clock_rest, __u32 stride)
{
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++) {
		struct counter *s = &t->counters[i];

		__sync_fetch_and_add(&shared.count[i], s->count);
		__sync_fetch_and_add(&rest[i * stride],
			(__s64)(s->step + s->count - s->next - s->start));
		if (config.clocks & 1u << i)
			__sync_fetch_and_add(&clock_rest[i * stride],
				(__s64)(time_of(t, i) - s->credited) +
					s->carry);
	}
	return 0;
}

static __always_inline int end_process(struct thread_counts *leader)
{
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++) {
		__sync_fetch_and_add(&shared.rest[i],
			__sync_lock_test_and_set(&leader->counters[i].rest, 0));
		__sync_fetch_and_add(&shared.clock_rest[i],
			__sync_lock_test_and_set(
				&leader->counters[i].clock_rest, 0));
	}
	return 0;
}

/* The last event of the calling thread. */
__noinline int end_thread(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread_counts *t = of_task(task);
	struct thread_counts *leader = of_task(task->group_leader);

	if (!t)
		return 0;
	__sync_fetch_and_add(&shared.on_cpu, t->on_cpu);
	__sync_fetch_and_add(&shared.on_wall, t->on_wall);
	if (leader)
		hand_on(t, &leader->counters[0].rest,
			&leader->counters[0].clock_rest, LEADERS);
	else
		hand_on(t, shared.rest, shared.clock_rest, RUNS);
	if (leader && BPF_CORE_READ(task, signal, live.counter) == 0)
		end_process(leader);
	if (t->asks == ASKS_NOT_YET)
		__sync_fetch_and_add(&shared.silent, 1);
	t->counting = 0;
	__sync_fetch_and_add(&shared.counting, -1);
	return 0;
}

#endif
