/*
 * stack.bpf.h - how much of a thread's stack a sample needs.
 *
 * Perf's copy has a size that is fixed when the event is opened, so there are a
 * few outputs, and a sample takes the one whose copy is the smallest that holds
 * the stack to its end.  Where none does, the stack's outermost bytes follow;
 * where the thread works for a goroutine, the stack which that has left.
 *
 * Part of monitor/timer/percpu/bpf/core.bpf.h.
 */
#ifndef CPPROF_PERCPU_STACK_BPF_H
#define CPPROF_PERCPU_STACK_BPF_H

#define GOROUTINE_READ(arg, to, n, addr)                                       \
	bpf_probe_read_user(to, n, (void *)(addr))
#include "monitor/stack/left_goroutine.h"

#define FARTHEST (1ull << 30) /* from the stack pointer to the stack's end */

#define GOROUTINE_LEAST 2048
#define GOROUTINE_MOST FARTHEST

/*
 * The end of the goroutine stack that SP is in, if a Go runtime's g is at G: it
 * begins with the bounds of the goroutine's stack, whose size is a power of two
 * (runtime/stack.go).  0: it is none.
 */
static __always_inline __u64 goroutine_end(__u64 g, __u64 sp)
{
	__u64 stack[2], size;

	if (bpf_probe_read_user(stack, sizeof stack, (void *)g))
		return 0;
	size = stack[1] - stack[0];
	if (sp - stack[0] >= size || size < GOROUTINE_LEAST ||
		size > GOROUTINE_MOST || size & (size - 1))
		return 0;
	shared.goroutines = 1;
	return stack[1];
}

/*
 * Where the stack of SP ends: at the arguments of the process; at the thread's
 * control block, which its library puts there and which begins with its own
 * address (System V ABI); or where a goroutine's stack does: Go's code keeps
 * its g in R14, and before the control block (src/cmd/compile/abi-internal.md,
 * runtime/asm_amd64.s).  0: unknown.
 */
static __always_inline __u64 stack_end(
	struct task_struct *task, __u64 sp, __u64 goroutine)
{
	__u64 end = BPF_CORE_READ(task, mm, start_stack) + 64,
	      block = THREAD_BLOCK(task);
	__u64 self;

	if (block - sp < FARTHEST &&
		bpf_probe_read_user(&self, sizeof self, (void *)block) == 0 &&
		self == block)
		return block;
	if (end - sp < FARTHEST)
		return end;
	end = goroutine_end(goroutine, sp);
	if (!end && bpf_probe_read_user(
			    &self, sizeof self, (void *)(block - 8)) == 0)
		end = goroutine_end(self, sp);
	return end;
}

static __always_inline __u64 own_stack_pointer(void)
{
	return STACK_POINTER(
		(struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()));
}

/* The end of the calling thread's stack; 0: unknown, or not its own. */
static __always_inline __u64 own_stack_end(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	__u64 sp = STACK_POINTER(regs);

	if (sp - task->sas_ss_sp < task->sas_ss_size)
		return 0;
	return stack_end(task, sp, GOROUTINE(regs));
}

struct tail_room {
	__u32 used;
	struct percpu_tailed tailed;
};

ROOM(tail_room);

/*
 * Takes the room and fills in a stack's outermost bytes, before LEFT's end.
 * False: another program is using it, which this one interrupted or which lost
 * the processor.
 */
static __always_inline bool take_tail(const struct left_goroutine *left)
{
	struct tail_room *room = tail_room();
	__u32 n = 0;

	if (!room || __sync_lock_test_and_set(&room->used, 1))
		return false;
	for (__u32 i = 1; i <= PERCPU_TAIL / PERCPU_PIECE; i++) {
		if (bpf_probe_read_user(
			    room->tailed.tail + PERCPU_TAIL - i * PERCPU_PIECE,
			    PERCPU_PIECE,
			    (void *)(left->end - i * PERCPU_PIECE)))
			break;
		n += PERCPU_PIECE;
	}
	room->tailed.size = n;
	room->tailed.end = left->end;
	room->tailed.left_sp = left->sp;
	room->tailed.left_ip = left->ip;
	return true;
}

/* Whether the calling thread has left a goroutine's stack; LEFT's end is where
   the tail ends then: of a longer stack it has the innermost bytes. */
static __always_inline bool has_left(struct left_goroutine *left)
{
	__u64 block = THREAD_BLOCK(bpf_get_current_task_btf());

	if (!shared.goroutines ||
		!goroutine_left(0, block, own_stack_pointer(), left))
		return false;
	if (left->sp && left->end - left->sp > PERCPU_TAIL)
		left->end = left->sp + PERCPU_TAIL;
	return true;
}

#define PLAN_WHOLE (1ull << 32)
#define PLAN_TAIL (1ull << 33)

/*
 * How a sample of COUNTER is emitted: the smallest copy that holds the stack,
 * 0 where none does, and flags.  With PLAN_TAIL the room is taken.  (The
 * verifier goes through a function that is not static once, and not at each
 * call.)
 */
__noinline __u64 plan_sample(__u32 counter)
{
	__u64 end = own_stack_end(), size = end - own_stack_pointer();
	struct left_goroutine left;
	bool apart = has_left(&left);
	__u64 plan;

	if (counter >= PERCPU_COUNTERS || (!end && !apart))
		return 0;
	plan = end && size <= shared.stack[counter][0] ? PLAN_WHOLE : 0;
	for (__u32 i = PERCPU_COPIES; --i && end;)
		if (size <= shared.stack[counter][i])
			plan = PLAN_WHOLE | i;
	if (!apart && plan & PLAN_WHOLE)
		return plan;
	if (!apart)
		left = (struct left_goroutine){.end = end};
	if (!take_tail(&left))
		return plan;
	if (!apart && size <= shared.stack[counter][0] + PERCPU_TAIL)
		plan = PLAN_WHOLE;
	return plan | PLAN_TAIL;
}

/* Emits SAMPLE from the room, which is free then. */
static __always_inline long emit_tailed(
	void *ctx, const struct percpu_sample *sample, __u32 output)
{
	struct tail_room *room = tail_room();
	long failed;

	if (!room)
		return -1;
	room->tailed.sample = *sample;
	failed = bpf_perf_event_output(
		ctx, &outputs, output, &room->tailed, sizeof room->tailed);
	room->used = 0;
	return failed;
}

/*
 * The word below the calling thread's stack pointer: OCaml's runtime pops its
 * return address, and unwind information names the place that it was in.
 */
static __always_inline __u64 word_below(void)
{
	__u64 word = 0;

	bpf_probe_read_user(
		&word, sizeof word, (void *)(own_stack_pointer() - 8));
	return word;
}

#endif
