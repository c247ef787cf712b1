/*
 * stack.bpf.h - how much of a thread's stack a sample needs.
 *
 * Perf's copy has a size that is fixed when the event is opened, so there are a
 * few outputs, and a sample takes the one whose copy is the smallest that holds
 * the stack to its end.
 *
 * Part of monitor/timer/percpu/core.bpf.h.
 */
#ifndef CPPROF_PERCPU_STACK_BPF_H
#define CPPROF_PERCPU_STACK_BPF_H

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
	return sp - stack[0] < size && size >= GOROUTINE_LEAST &&
			       size <= GOROUTINE_MOST && !(size & (size - 1))
		       ? stack[1]
		       : 0;
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
	__u64 end = task->mm->start_stack + 64, block = THREAD_BLOCK(task);
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

/*
 * The smallest copy of COUNTER that holds the calling thread's stack to its
 * end; 0 if none does or the end is unknown.  (The verifier goes through a
 * function that is not static once, and not at each call.)
 */
__noinline int choose_copy(__u32 counter)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	__u64 sp = STACK_POINTER(regs), end;
	__u32 copy = 0;

	if (counter >= PERCPU_COUNTERS ||
		sp - task->sas_ss_sp < task->sas_ss_size)
		return 0;
	end = stack_end(task, sp, GOROUTINE(regs));
	for (__u32 i = 1; i < PERCPU_COPIES; i++)
		if (end && !copy && end - sp <= shared.stack[counter][i])
			copy = i;
	return copy == PERCPU_COPIES - 1 && end - sp <= shared.stack[counter][0]
		       ? 0
		       : (int)copy;
}

/*
 * The word below the calling thread's stack pointer: OCaml's runtime pops its
 * return address, and unwind information names the place that it was in.
 */
static __always_inline __u64 word_below(void)
{
	struct pt_regs *regs =
		(struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	__u64 word = 0;

	bpf_probe_read_user(
		&word, sizeof word, (void *)(STACK_POINTER(regs) - 8));
	return word;
}

#endif
