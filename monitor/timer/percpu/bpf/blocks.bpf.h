/*
 * blocks.bpf.h - the ends of blocks: told by the counting object, or seen by
 * probes where allocators return and free.
 *
 * There is no probe by the kernel's means for a function's end, see
 * allocations.bpf.h: each of its return instructions has one, at which the
 * stack pointer is again what it was at the first instruction.
 */
#ifndef CPPROF_PERCPU_BLOCKS_BPF_H
#define CPPROF_PERCPU_BLOCKS_BPF_H

#include "monitor/timer/percpu/bpf/core.bpf.h"

const volatile struct percpu_allocators allocators SEC(".rodata.allocators") = {
	0};

/* Of a program: an address after an exec is another block's. */
struct block_key {
	__u64 address;
	__u32 pid, execs;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* PERCPU_BLOCKS, where they are followed */
	__type(key, struct block_key);
	__type(value, __u32);
} blocks SEC(".maps");

/* A block has ended, also while nothing counts. */
static __noinline int end_block(void *ctx, __u32 block)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct percpu_sample sample = {
		.what = PERCPU_END,
		.block = block,
		.tid = (__u32)id,
		.pid = id >> 32,
	};

	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++) {
		sample.counter = i;
		if (allocators.ends & 1u << i)
			send_bare(ctx, &sample);
	}
	return 0;
}

static __always_inline struct block_key block_at(__u64 address)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread_counts *leader = of_task(task->group_leader);

	return (struct block_key){
		address, task->tgid, leader ? leader->execs : 0};
}

/* Whether there is room for it. */
static __always_inline bool put_block(__u64 address, __u32 block)
{
	struct block_key key = block_at(address);

	return bpf_map_update_elem(&blocks, &key, &block, BPF_ANY) == 0;
}

/* The block at ADDRESS, which is forgotten; 0: none is known. */
static __always_inline __u32 take_block(__u64 address)
{
	struct block_key key = block_at(address);
	__u32 *found = bpf_map_lookup_elem(&blocks, &key), block;

	if (!found)
		return 0;
	block = *found;
	bpf_map_delete_elem(&blocks, &key);
	return block;
}

/* The samples of a request that was not seen to return are lost. */
static __always_inline void lose(struct thread_counts *t, __u32 due)
{
	for (__u32 i = 0; i < PERCPU_COUNTERS && i < config.ncounters; i++) {
		struct counter *s = &t->counters[i];
		__u64 weight = s->count - s->next + s->step;

		if (!(due & 1u << i))
			continue;
		s->next = s->count + s->step;
		__sync_fetch_and_add(&shared.emitted[i], weight);
		__sync_fetch_and_add(&shared.lost[i], 1);
		__sync_fetch_and_add(&shared.lost_weight[i], weight);
	}
}

/* A request begins, of the kind WHAT. */
static __always_inline void begin_request(
	struct thread_counts *t, const struct request *now, __u32 what)
{
	bool again =
		what == ALLOCATION_REALLOC || what == ALLOCATION_REALLOCARRAY;

	if (t->pending.due)
		lose(t, t->pending.due);
	t->freed = 0;
	t->pending.sp = now->sp;
	t->pending.due = 0;
	t->pending.what = what;
	t->pending.first = now->first;
	t->pending.old = again && now->first ? take_block(now->first) : 0;
}

/*
 * What the request at hand has got; 0: nothing, or it is not known.  calloc()
 * can end in a jump to memset(), which returns its first argument.
 */
static __always_inline __u64 result_of(
	const struct thread_counts *t, __u64 address, __u64 argument, bool tail)
{
	if (tail)
		return t->pending.what == ALLOCATION_CALLOC ? argument : 0;
	if (t->pending.what != ALLOCATION_POSIX)
		return address;
	if ((__u32)address || bpf_probe_read_user(&address, sizeof address,
				      (void *)t->pending.first) < 0)
		return 0;
	return address;
}

/*
 * A block ends, whether anybody has seen it begin or not.  An operator delete
 * calls free(): the second is no other end.
 */
static __always_inline void count_end(struct thread_counts *t, __u64 address)
{
	if (address && address != t->freed && shared.collecting)
		add(t, allocators.frees, 1);
}

/* The old block of a realloc() lives on where there is no new one. */
static __always_inline void end_old(
	void *ctx, struct thread_counts *t, __u64 address)
{
	__u32 old = t->pending.old, what = t->pending.what;
	bool ends = address || !t->request.size;

	t->pending.old = 0;
	if (old && (ends || !put_block(t->pending.first, old)))
		end_block(ctx, old);
	if (ends &&
		(what == ALLOCATION_REALLOC || what == ALLOCATION_REALLOCARRAY))
		count_end(t, t->pending.first);
}

/* The request at hand returns. */
static __always_inline int end_request(
	struct pt_regs *ctx, struct thread_counts *t, __u64 address)
{
	__u32 block, due = t->pending.due;

	t->pending.sp = t->pending.due = 0;
	end_old(ctx, t, address);
	if (!due || !shared.collecting)
		return 0;
	block = __sync_fetch_and_add(&shared.last_block, 1) + 1;
	t->block = address && put_block(address, block) ? block : 0;
	emit_due(ctx, t, due);
	t->block = 0;
	return 0;
}

/*
 * A thread is about to free a block; or to return from a function that
 * allocates, or that such a function has called.
 */
SEC("kprobe")
int on_return(struct pt_regs *ctx)
{
	struct thread_counts *t = target_thread();
	__u32 point = (__u32)bpf_get_attach_cookie(ctx), block, what;
	__u64 returned = RETURNED(ctx), argument = ARGUMENT_1(ctx);

	/* The kernel takes no register's address that depends on a branch. */
	asm volatile("" : "+r"(returned), "+r"(argument));
	if (!t || point >= ALLOCATION_POINTS)
		return 0;
	what = allocators.points[point].request;
	if (what == ALLOCATION_FREE) {
		block = take_block(argument);
		count_end(t, argument);
		t->freed = argument;
		return block ? end_block(ctx, block) : 0;
	}
	return t->pending.sp == STACK_POINTER(ctx)
		       ? end_request(ctx, t,
				 result_of(t, returned, argument,
					 what == ALLOCATION_TAIL))
		       : 0;
}

#endif
