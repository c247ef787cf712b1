/*
 * wide_calls.bpf.h - system calls, the bytes they move and the time they take;
 * signals.
 */
#ifndef CPPROF_WIDE_CALLS_BPF_H
#define CPPROF_WIDE_CALLS_BPF_H

#include "wide_processors.bpf.h"

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

#endif
