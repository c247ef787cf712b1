/*
 * core.bpf.h - the common part of all BPF programs of the per-CPU timers: which
 * threads are the target's, their counts, and the samples.
 *
 * A program asks for current_thread() and calls count() with the counters and
 * the amount; that emits the samples that are due.
 */
#ifndef CPPROF_PERCPU_CORE_BPF_H
#define CPPROF_PERCPU_CORE_BPF_H

#include "monitor/timer/percpu/bpf/kernel_types.h"

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "monitor/timer/percpu/abi.h"

const volatile struct percpu_config config SEC(".rodata.config") = {0};
struct percpu_shared shared SEC(".data.shared") = {0};

struct counter {
	__u64 count;      /* consumed, in all */
	__u64 next;       /* a sample is due when count gets there */
	__u64 step;       /* the interval in force */
	__u64 weight;     /* of those that passed last */
	__s64 start;      /* its first count: part of an interval, on account */
	__u64 credited;   /* clocks: weight of all samples, ns */
	__s64 carry;      /* clocks: owed by threads before it, ns */
	__u64 deaf;       /* clocks: ns in which no tick was heard */
	__u64 due_weight; /* waits: to be emitted at the call's end */
	__u32 due_hits;
	__s64 rest;       /* leaders: left by threads that have ended */
	__s64 clock_rest; /* the same of their clocks */
};

/* The thread's last request to an allocator, at its first instruction. */
struct request {
	__u64 ip, sp, back; /* back: its return address */
	__u64 size, first;  /* first: the first argument */
	__u32 point;
};

/* A request that has not returned, where ends of blocks count. */
struct pending {
	__u64 sp;    /* as at its first and last instruction; 0: none */
	__u64 first; /* its first argument */
	__u32 what;  /* enum allocation */
	__u32 old;   /* the block at `first`, which it will end; 0: none */
	__u32 due;   /* counters that have samples due */
};

/* Whether a program has called an allocator with probes. */
enum asks {
	ASKS_UNKNOWN, /* it ran before, or is a fork of one that did */
	ASKS_NOT_YET, /* none since its exec */
	ASKS_SEEN,
};

struct thread_counts {
	__u32 counting;
	__u32 due;          /* counters with something to emit */
	__u32 running;      /* on a processor, as far as the kernel told */
	__u32 turns;        /* shared.turns when it was settled */
	__u64 settled;      /* when its time on a processor was added up,
			       counted_ns() */
	__u64 runtime;      /* the kernel's count of it then, ns */
	__u64 on_cpu;       /* of that count, ns in all */
	__u64 ahead;        /* it has probably consumed that much more, ns */
	__u64 on_wall;      /* on a processor by the clock, ns in all */
	__u64 off_since;    /* off its processor since */
	__u64 ready_since;  /* of that time, in line for one since; 0: not */
	__u64 waited;       /* ns of a time off it that is over, and not counted
			       yet: until the event, */
	__u64 queued;       /* and in line */
	__u32 off_cpu_sent; /* the wait's stack is with the monitor */
	__u32 emitting;     /* a sample is being made */
	__u64 event_ip;     /* of the last event that made a sample */
	__u64 address;      /* of memory, of the last PERCPU_FAULT */
	__u64 io_since;     /* in a call that moves bytes, since */
	__u64 heap_end;     /* in brk(): before it */
	__u64 freed;        /* the block last freed, until the next request */
	struct request request;
	struct pending pending;
	__u64 state; /* of the counting object, in the process; 0: none */
	__u64 interpreter_state; /* its interpreter's, as it last was; 0 */
	__u32 block;             /* of the report at hand */
	__u32 asks;              /* leaders: enum asks */
	__u32 execs;             /* leaders */
	__u16 frames;            /* number of what it last told of them */
	__u32 waits;             /* counters that the wait is for */
	__u32 arcs;              /* its number in arcs; 0: none yet */
	struct counter counters[PERCPU_COUNTERS]; /* config.ncounters of them */
};

/*
 * A fork pays for each byte, since the kernel has only some KiB ready for new
 * ones.  So of these maps the one whose threads have just enough counters is
 * used.
 */
#define THREADS(n)                                                             \
	struct thread_of_##n {                                                 \
		__u8 head[__builtin_offsetof(struct thread_counts, counters)]; \
		struct counter counters[n];                                    \
	};                                                                     \
	struct {                                                               \
		__uint(type, BPF_MAP_TYPE_TASK_STORAGE);                       \
		__uint(map_flags, BPF_F_NO_PREALLOC);                          \
		__type(key, int);                                              \
		__type(value, struct thread_of_##n);                           \
	} threads_##n SEC(".maps")

THREADS(2);
THREADS(5);
THREADS(16);

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} outputs SEC(".maps");

static __always_inline struct thread_counts *thread_storage(
	struct task_struct *task, __u64 flags)
{
	if (config.ncounters <= 2)
		return bpf_task_storage_get(&threads_2, task, 0, flags);
	if (config.ncounters <= 5)
		return bpf_task_storage_get(&threads_5, task, 0, flags);
	return bpf_task_storage_get(&threads_16, task, 0, flags);
}

static __always_inline struct thread_counts *of_task(struct task_struct *task)
{
	return thread_storage(task, 0);
}

static __always_inline struct thread_counts *new_of_task(
	struct task_struct *task)
{
	return thread_storage(task, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* The calling thread, if it is the target's. */
static __always_inline struct thread_counts *target_thread(void)
{
	struct thread_counts *t = of_task(bpf_get_current_task_btf());

	return t && t->counting ? t : 0;
}

/* The same, if it counts now. */
static __always_inline struct thread_counts *current_thread(void)
{
	struct thread_counts *t = target_thread();

	return t && shared.collecting ? t : 0;
}

/*
 * For programs at uprobes: they stay on the kernel's stack of their thread.
 * Linux 6.13 and later give large frames a memory of the processor's, but at an
 * uprobe a thread can lose the processor to another, which then writes over it.
 * Programs with a tail call are exempt; the kernel sees that this one is never
 * reached.
 */
static __always_inline void keep_own_stack(void)
{
	if (!config.ncpus)
		asm volatile("call %0"
			     :
			     : "i"(BPF_FUNC_tail_call)
			     : "r0", "r1", "r2", "r3", "r4", "r5", "memory");
}

/* Whether it is in a system call of another ABI. */
static __always_inline bool is_compat(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return IS_COMPAT(task);
}

/*
 * A clock that stands still while nothing counts: the time between two of its
 * readings was all collected.
 */
static __always_inline __u64 counted_ns(void)
{
	return shared.collecting ? bpf_ktime_get_ns() - shared.skipped
				 : shared.stopped;
}

/* It can seem to run backwards by the time it takes to stop it. */
static __always_inline __u64 passed_ns(__u64 since, __u64 now)
{
	return now > since ? now - since : 0;
}

/* The system call that TASK is in, as syscall_place() has it; 0: none. */
static __always_inline __u32 call_of(struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	long nr = CALL_NUMBER(regs);

	if (nr < 0 || nr >= PERCPU_CALLS || IS_COMPAT(task))
		return 0;
	return (nr + 1) | (ARGUMENT_2(regs) & 0xffff) << 16;
}

/* A processor's room for a struct NAME; NAME() is where it is. */
#define ROOM(name)                                                             \
	struct {                                                               \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                       \
		__uint(max_entries, 1);                                        \
		__type(key, __u32);                                            \
		__type(value, struct name);                                    \
	} name##s SEC(".maps");                                                \
	static __always_inline struct name *name(void)                         \
	{                                                                      \
		__u32 first = 0;                                               \
                                                                               \
		return bpf_map_lookup_elem(&name##s, &first);                  \
	}

#define read_anew(of) (*(volatile __typeof__(of) *)&(of))

#include "monitor/timer/percpu/bpf/stack.bpf.h"
#include "monitor/timer/percpu/bpf/interpreters.bpf.h"

static __always_inline int emit_with_stack(void *ctx, __u32 counter, __u32 what,
	__u64 weight, __u32 hits, struct thread_counts *t, __u16 frames)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct percpu_sample sample = {
		.what = what,
		.weight = weight,
		.hits = hits,
		.counter = counter,
		.tid = (__u32)id,
		.pid = id >> 32,
		.frames = frames,
	};
	__u64 plan = plan_sample(counter);
	__u32 output;
	long failed;

	if (counter >= PERCPU_COUNTERS)
		return 0;
	sample.whole = (plan & PLAN_WHOLE) != 0;
	sample.gone = !BPF_CORE_READ(bpf_get_current_task_btf(), mm);
	sample.below = word_below();
	sample.block = t->block;
	if (what == PERCPU_FAULT) {
		sample.what = PERCPU_FAULT;
		sample.tid = (__u32)t->address;
		sample.pid = t->address >> 32;
	}
	sample.call = call_of(bpf_get_current_task_btf());
	output = PERCPU_OUTPUT(counter, (__u32)plan) * config.ncpus +
		 bpf_get_smp_processor_id();
	if (weight)
		__sync_fetch_and_add(&shared.emitted[counter], weight);
	failed = plan & PLAN_TAIL ? emit_tailed(ctx, &sample, output)
				  : bpf_perf_event_output(ctx, &outputs, output,
					    &sample, sizeof sample);
	if (!failed)
		return 0;
	__sync_fetch_and_add(&shared.lost[counter], 1);
	__sync_fetch_and_add(&shared.lost_weight[counter], weight);
	return 0;
}

/*
 * Emits a sample of the calling thread.  If a clock ticks meanwhile, it finds
 * the programs at work and not the thread.
 */
static __noinline int emit(
	void *ctx, __u32 counter, __u32 what, __u64 weight, __u32 hits)
{
	struct thread_counts *t = target_thread();

	if (!t)
		return 0;
	read_anew(t->emitting) = 1;
	emit_with_stack(ctx, counter, what, weight, hits, t, tell_frames(ctx));
	read_anew(t->emitting) = 0;
	return 0;
}

static __always_inline int send_bare(
	void *ctx, const struct percpu_sample *sample)
{
	__u32 counter = sample->counter;
	__u32 output =
		PERCPU_BARE_OUTPUT(config.ncounters, counter) * config.ncpus +
		bpf_get_smp_processor_id();

	if (counter >= PERCPU_COUNTERS)
		return 0;
	__sync_fetch_and_add(&shared.emitted[counter], sample->weight);
	if (bpf_perf_event_output(
		    ctx, &outputs, output, (void *)sample, sizeof *sample) == 0)
		return 0;
	__sync_fetch_and_add(&shared.lost[counter], 1);
	__sync_fetch_and_add(&shared.lost_weight[counter], sample->weight);
	return 0;
}

/*
 * Emits a sample without a stack: for the wait of TASK, which runs again and
 * whose stack the monitor has; or for time in the programs.
 */
static __always_inline void emit_bare(void *ctx, struct task_struct *task,
	__u32 counter, __u32 what, __u64 weight, __u32 hits)
{
	struct percpu_sample sample = {
		.what = what,
		.weight = weight,
		.hits = hits,
		.counter = counter,
		.tid = task->pid,
		.pid = task->tgid,
	};

	send_bare(ctx, &sample);
}

/* A random number below N, which is not 0. */
static __always_inline __u64 below(__u64 n)
{
	__u64 chance = bpf_get_prandom_u32();

	if (n > ~0u) /* an interval of 4.3 s has more ns */
		chance = chance << 32 | bpf_get_prandom_u32();
	return chance % n;
}

/* The next interval: the counter's own, or a random one around it. */
static __always_inline __u64 draw(__u32 i)
{
	__u64 interval = config.interval[i], spread = config.spread[i];
	__u64 range = interval * spread / 1024;

	if (!range)
		return interval;
	return interval - range + below(2 * range + 1);
}

/* So many means of what an event passes are drawn: each has half of one. */
#define DRAWN 2
#define DRAWS (2 * DRAWN + 2)

/*
 * The number of whole intervals that have passed, and their weight in S: the
 * one in force, mean ones, and as many as have room in the last ones.  What
 * comes after a large event has its share only if the end of an interval is as
 * likely there as anywhere.  (The verifier goes through a function that is not
 * static once, and not at each call.)
 */
__noinline __u32 pass(struct counter *s, __u32 i)
{
	__u64 interval, over, more;

	if (!s || i >= PERCPU_COUNTERS)
		return 0;
	interval = config.interval[i] ? config.interval[i] : 1;
	over = s->count - s->next;
	more = over / interval;
	if (config.spread[i])
		more -= more < DRAWN ? more : DRAWN;
	over -= more * interval;
	s->weight = s->step + more * interval;
	s->step = draw(i);
	for (__u32 k = 0; k < DRAWS && s->step <= over; k++) {
		over -= s->step;
		s->weight += s->step;
		more++;
		s->step = draw(i);
	}
	if (s->step <= over)
		s->step = over + 1;
	s->next = s->count - over + s->step;
	return more < ~0u ? 1 + (__u32)more : ~0u;
}

static __always_inline __u32 passed(struct counter *s, __u32 i, __u64 *weight)
{
	__u32 hits = pass(s, i);

	*weight = s->weight;
	return hits;
}

/* Emits the sample of counter I, which is due. */
static __noinline int emit_counter(
	void *ctx, struct thread_counts *t, __u32 i, __u32 what)
{
	__u64 weight;
	__u32 hits;

	if (!t || i >= config.ncounters || i >= PERCPU_COUNTERS)
		return 0;
	hits = passed(&t->counters[i], i, &weight);
	return emit(ctx, i, what, weight, hits);
}

/*
 * Adds AMOUNT to COUNTERS; returns those that are now due.  Without a branch:
 * the verifier would follow each of 65536 sets by itself, and give up.
 */
static __always_inline __u32 add(
	struct thread_counts *t, __u32 counters, __u64 amount)
{
	struct counter *s;
	__u32 due = 0;

	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++) {
		if (!(counters & (1u << i)))
			continue;
		s = &t->counters[i];
		s->count += amount;
		due |= (__u32)((s->next - s->count - 1) >> 63) << i;
	}
	return due;
}

/* Emits the samples of the counters DUE. */
static __always_inline int emit_due(
	void *ctx, struct thread_counts *t, __u32 due)
{
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++)
		if (due & 1u << i)
			emit_counter(ctx, t, i,
				config.maps & 1u << i ? PERCPU_FAULT
						      : PERCPU_DUE);
	return 0;
}

static __always_inline void count(
	void *ctx, struct thread_counts *t, __u32 counters, __u64 amount)
{
	__u32 due = add(t, counters, amount);

	if (due)
		emit_due(ctx, t, due);
}

#endif
