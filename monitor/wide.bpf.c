/*
 * The BPF programs of the wide arrangement (wide.h says what that is).
 *
 * Whatever belongs to the target has a struct thread in its task storage;
 * nothing else has, and costs one lookup.  A new thread gets its own from the
 * thread that makes it.  Each slot counts in the thread and is due when `next`
 * is reached.
 *
 * A new thread starts anywhere in its first interval, on account; what it
 * leaves when it ends, less than an interval, goes to its process and what a
 * process leaves to the run, the account settled.  What has come together there
 * makes samples in the next threads more likely, what is owed less.  So many
 * threads that each consume too little are sampled as one that consumes as
 * much, to within a few intervals, and not in step with what they all do.
 */
#include "wide_kernel.h"

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "wide_abi.h"

char LICENSE[] SEC("license") = "GPL";

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

/* --- samples --- */

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

/* --- threads that come and go --- */

/*
 * Where in its first interval a new thread starts.  As many gticks as REST has
 * (or, negative, owes) make a sample in the thread a little more or less likely
 * without preferring any moment of its life: the range is cut short, or some
 * threads start with nothing.
 */
static __always_inline void start_slot(struct slot *s, __u32 i, __s64 rest)
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
		s->start = tilt + bpf_get_prandom_u32() % (step - tilt);
	else if (bpf_get_prandom_u32() % step >= tilt)
		s->start = bpf_get_prandom_u32() % step;
	s->next = step - s->start;
}

static __noinline int start(struct thread *t, __s64 *rest)
{
	for (__u32 i = 0; i < WIDE_SLOTS; i++) {
		if (i >= config.nslots)
			break;
		start_slot(&t->slots[i], i, rest[i]);
	}
	return 0;
}

/* A new thread or process of PARENT. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct thread *p = of_task(parent), *t, *leader;

	if (!p)
		return 0;
	t = bpf_task_storage_get(
		&threads, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		__sync_fetch_and_add(&shared.missed, 1);
		return 0;
	}
	leader = child->tgid == parent->tgid ? of_task(child->group_leader) : 0;
	if (leader)
		start(t, leader->rest);
	else
		start(t, shared.rest);
	t->counting = p->counting;
	return 0;
}

/* The target's exec: from here on it counts. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	struct thread *t = of_task(task);

	if (t && !t->counting) {
		t->on_since = counted_ns();
		t->counting = 1;
	}
	return 0;
}

/* What the thread leaves, to REST. */
static __noinline int hand_on(struct thread *t, __s64 *rest)
{
	for (__u32 i = 0; i < WIDE_SLOTS; i++) {
		struct slot *s = &t->slots[i];

		if (i >= config.nslots)
			break;
		__sync_fetch_and_add(&shared.count[i], s->count);
		__sync_fetch_and_add(&rest[i],
			(__s64)(s->step + s->count - s->next - s->start));
	}
	return 0;
}

static __noinline int end_process(struct thread *leader)
{
	for (__u32 i = 0; i < WIDE_SLOTS; i++) {
		if (i >= config.nslots)
			break;
		__sync_fetch_and_add(&shared.rest[i],
			__sync_lock_test_and_set(&leader->rest[i], 0));
	}
	return 0;
}

/* The last that is seen of a thread. */
static __always_inline void on_end(struct task_struct *task, struct thread *t)
{
	struct thread *leader = of_task(task->group_leader);

	__sync_fetch_and_add(&shared.on_cpu, t->on_cpu);
	if (leader)
		hand_on(t, leader->rest);
	else
		hand_on(t, shared.rest);
	if (leader && task->signal->live.counter == 0)
		end_process(leader);
	t->counting = 0;
}

/* --- processors --- */

/*
 * A wait is credited to the stack at its beginning, but what it comes to is
 * known at its end.  In a system call the thread still has the same registers
 * and stack when the call is over: the sample is taken then.  Elsewhere (page
 * faults, loss of the processor) the stack goes to the monitor now, and what it
 * comes to when the thread runs again.
 */
static __always_inline void begin_wait(
	void *ctx, struct task_struct *task, struct thread *t, __u64 now)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	t->held = (long)regs->orig_ax == -1;
	/* what is not held now cannot be when collecting begins meanwhile */
	t->off_since = t->held && !shared.collecting ? 0 : now;
	for (__u32 i = 0; t->held && t->off_since && i < WIDE_SLOTS; i++) {
		if (i >= config.nslots)
			break;
		if (config.waits & 1u << i)
			emit(ctx, i, WIDE_HELD, 0, 0);
	}
}

static __always_inline void end_wait(
	void *ctx, struct task_struct *task, struct thread *t, __u64 waited)
{
	for (__u32 i = 0; i < WIDE_SLOTS; i++) {
		struct slot *s = &t->slots[i];
		__u64 weight;
		__u32 hits;

		if (i >= config.nslots)
			break;
		if (!(config.waits & 1u << i))
			continue;
		s->count += waited;
		if (s->count < s->next)
			continue;
		hits = passed(s, i, &weight);
		if (t->held) {
			emit_paid(ctx, task, i, weight, hits);
			continue;
		}
		s->due_hits += hits;
		s->due_weight += weight;
		t->due |= 1u << i;
	}
}

/* At the end of a system call: the waits in it. */
static __noinline int pay(void *ctx, struct thread *t)
{
	for (__u32 i = 0; i < WIDE_SLOTS; i++) {
		struct slot *s = &t->slots[i];

		if (i >= config.nslots)
			break;
		if (!(t->due & 1u << i))
			continue;
		emit(ctx, i, WIDE_DUE, s->due_weight, s->due_hits);
		s->due_weight = 0;
		s->due_hits = 0;
	}
	t->due = 0;
	return 0;
}

static __always_inline void leave(void *ctx, struct task_struct *task,
	struct thread *t, __u32 voluntary, __u64 now)
{
	if (t->on_since)
		t->on_cpu += passed_ns(t->on_since, now);
	t->on_since = 0;
	if (config.waits)
		begin_wait(ctx, task, t, now);
	if (shared.collecting)
		count(ctx, t, voluntary ? config.voluntary : config.involuntary,
			1);
}

static __always_inline void come(
	void *ctx, struct task_struct *task, struct thread *t, __u64 now)
{
	t->on_since = now;
	if (config.waits && t->off_since)
		end_wait(ctx, task, t, passed_ns(t->off_since, now));
	t->off_since = 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev,
	struct task_struct *next, unsigned int state)
{
	struct thread *t = of_task(prev);

	if (t && t->counting) {
		if (state & TASK_DEAD) {
			if (t->on_since)
				t->on_cpu +=
					passed_ns(t->on_since, counted_ns());
			on_end(prev, t);
		} else {
			leave(ctx, prev, t, !preempt && state, counted_ns());
		}
	}
	t = of_task(next);
	if (t && t->counting)
		come(ctx, next, t, counted_ns());
	return 0;
}

/* --- system calls --- */

static __always_inline bool is_compat(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return task->thread_info.status & TS_COMPAT;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long nr)
{
	struct thread *t = target_thread();

	if (t && !shared.collecting) {
		t->io_since = 0;
		return 0;
	}
	if (!t || (unsigned long)nr >= WIDE_CALLS || is_compat())
		return 0;
	if (config.io_time)
		t->io_since = config.transfer[nr & (WIDE_CALLS - 1)]
				      ? counted_ns()
				      : 0;
	if (config.call_slots[nr & (WIDE_CALLS - 1)])
		count(ctx, t, config.call_slots[nr & (WIDE_CALLS - 1)], 1);
	return 0;
}

/* The sum of msg_len in an array of N struct mmsghdr. */
static __noinline long message_bytes(__u64 messages, __u64 n)
{
	__u64 sum = 0;

	for (__u32 i = 0; i < WIDE_MESSAGES; i++) {
		__u32 len;

		if (i >= n)
			break;
		if (bpf_probe_read_user(&len, sizeof len,
			    (void *)(messages + i * 64 + 56))) {
			__sync_fetch_and_add(&shared.unread, 1);
			break;
		}
		sum += len;
	}
	return (long)sum;
}

/* Whether the calling thread's descriptor FD is open for writing. */
static __noinline int is_writing_end(__u64 fd)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd), *file = 0;

	bpf_probe_read_kernel(&file, sizeof file, files + (__u32)fd);
	return file && BPF_CORE_READ(file, f_mode) & FMODE_WRITE;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result)
{
	struct thread *t = target_thread();
	__u32 transfer, slots;
	__u64 nr;

	if (!t)
		return 0;
	if (config.waits && t->due)
		pay(ctx, t);
	if (!shared.collecting)
		return 0;
	nr = regs->orig_ax;
	if (nr >= WIDE_CALLS)
		return 0;
	transfer = config.transfer[nr & (WIDE_CALLS - 1)];
	if (!transfer || is_compat())
		return 0;
	if (config.io_time && t->io_since) {
		count(ctx, t, config.io_time,
			passed_ns(t->io_since, counted_ns()));
		t->io_since = 0;
	}
	if (result <= 0)
		return 0;
	slots = config.reads | config.writes;
	switch (transfer) {
	case WIDE_TRANSFER_READ_MESSAGES:
		result = message_bytes(regs->si, (__u64)result);
		slots = config.reads;
		break;
	case WIDE_TRANSFER_WRITE_MESSAGES:
		result = message_bytes(regs->si, (__u64)result);
		slots = config.writes;
		break;
	case WIDE_TRANSFER_READ:
		slots = config.reads;
		break;
	case WIDE_TRANSFER_WRITE:
		slots = config.writes;
		break;
	case WIDE_TRANSFER_PAGES:
		slots = is_writing_end(regs->di) ? config.writes : config.reads;
		break;
	}
	if (slots && result)
		count(ctx, t, slots, (__u64)result);
	return 0;
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(on_signal, int signal)
{
	struct thread *t = current_thread();
	__u64 n = (__u32)signal;

	/* one register, so that the kernel sees what bounds the index */
	asm volatile("" : "+r"(n));
	if (t && n < WIDE_SIGNALS)
		count(ctx, t, config.signal_slots[n], 1);
	return 0;
}

/* --- perf events --- */

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
		cross(ctx, t, slot);
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

/* --- the monitor's own --- */

static __always_inline void adopt(struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, 0, 0);

	if (t)
		return;
	t = bpf_task_storage_get(
		&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		__sync_fetch_and_add(&shared.missed, 1);
		return;
	}
	for (__u32 i = 0; i < WIDE_SLOTS; i++) {
		if (i >= config.nslots)
			break;
		t->slots[i].step = t->slots[i].next = draw(i);
	}
	if (task->on_cpu)
		t->on_since = counted_ns();
	else
		t->off_since = counted_ns();
	t->counting = !shared.adopt_armed;
	shared.adopted++;
}

/* Takes in all threads of the process shared.adopt. */
SEC("iter/task")
int adopt_process(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task && (__u32)task->tgid == shared.adopt)
		adopt(task);
	return 0;
}

/* Adds up what the threads that still live have consumed. */
SEC("iter/task")
int add_living(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t = task ? of_task(task) : 0;

	if (!t || !t->counting)
		return 0;
	shared.living_on_cpu += t->on_cpu;
	if (t->on_since && task->on_cpu)
		shared.living_on_cpu += passed_ns(t->on_since, counted_ns());
	for (__u32 i = 0; i < WIDE_SLOTS; i++) {
		if (i >= config.nslots)
			break;
		shared.living[i] += t->slots[i].count;
		if (config.waits & 1u << i && t->off_since && !task->on_cpu)
			shared.living[i] +=
				passed_ns(t->off_since, counted_ns());
	}
	return 0;
}
