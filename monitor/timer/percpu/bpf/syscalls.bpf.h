/*
 * syscalls.bpf.h - system calls, the bytes they move and map and the time they
 * take; signals.
 */
#ifndef CPPROF_PERCPU_SYSCALLS_BPF_H
#define CPPROF_PERCPU_SYSCALLS_BPF_H

#include "monitor/timer/percpu/bpf/maps.bpf.h"
#include "monitor/timer/percpu/bpf/processors.bpf.h"

/* The last place is that of all larger numbers, as in a syscall_set. */
static __always_inline __u32 place_of(unsigned long nr)
{
	return (nr < PERCPU_CALLS ? nr : PERCPU_CALLS - 1) & (PERCPU_CALLS - 1);
}

static __always_inline int enter(void *ctx, long nr)
{
	struct thread_counts *t = target_thread();
	__u32 place = place_of(nr);

	if (t && !shared.collecting) {
		t->io_since = 0;
		return 0;
	}
	if (!t || is_compat())
		return 0;
	if (config.maps)
		note_heap_end(t, nr);
	if (config.io_time)
		t->io_since = config.transfer[place] ? counted_ns() : 0;
	if (config.call_counters[place])
		count(ctx, t, config.call_counters[place], 1);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_enter, struct pt_regs *regs, long nr)
{
	return enter(ctx, nr);
}

/*
 * From Linux 7.0 on a thread can lose its processor in a program at a
 * tracepoint itself, and until it is back the kernel does not run that program
 * there for others.  It can not in one at perf's record of it.
 */
struct call_record {
	__u64 common;
	long nr, result;
};

SEC("tracepoint")
int on_enter_record(struct call_record *record)
{
	return enter(record, record->nr);
}

/* The sum of msg_len in the N struct mmsghdr at AT. */
__noinline __u64 message_bytes(__u64 at, __u64 n)
{
	__u64 sum = 0;

	for (__u32 i = 0; i < PERCPU_MESSAGES && i < n; i++) {
		__u32 len;

		if (bpf_probe_read_user(
			    &len, sizeof len, (void *)(at + i * 64 + 56))) {
			__sync_fetch_and_add(&shared.unread, 1);
			break;
		}
		sum += len;
	}
	return sum;
}

/* Whether the calling thread's descriptor FD is open for writing. */
static __always_inline int is_writing_end(__u64 fd)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd), *file = 0;

	bpf_probe_read_kernel(&file, sizeof file, files + (__u32)fd);
	return file && BPF_CORE_READ(file, f_mode) & FMODE_WRITE;
}

/* Which counters count the bytes of a call with this transfer. */
static __always_inline __u32 transfer_counters(
	__u32 transfer, const struct pt_regs *regs)
{
	switch (transfer) {
	case PERCPU_TRANSFER_READ_MESSAGES:
	case PERCPU_TRANSFER_READ:
		return config.reads;
	case PERCPU_TRANSFER_WRITE_MESSAGES:
	case PERCPU_TRANSFER_WRITE:
		return config.writes;
	case PERCPU_TRANSFER_PAGES:
		return is_writing_end(ARGUMENT_1(regs)) ? config.writes
							: config.reads;
	default:
		return config.reads | config.writes;
	}
}

static __always_inline int leave_call(void *ctx, long result)
{
	struct thread_counts *t = target_thread();
	struct pt_regs *regs =
		(struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	__u32 transfer, due = 0;

	if (!t)
		return 0;
	if (config.waits && !t->running)
		settle(bpf_get_current_task_btf(), t, counted_ns());
	if (config.waits)
		end_late(ctx, bpf_get_current_task_btf(), t);
	if (config.waits && t->due)
		settle_wait(ctx, t);
	if (!shared.collecting)
		return 0;
	transfer = config.transfer[place_of(CALL_NUMBER(regs))];
	if ((!transfer && !config.maps) || is_compat())
		return 0;
	if (config.maps) {
		__u64 bytes = mapped_bytes(t, regs, result);

		due = add(t, config.maps, bytes);
		t->address =
			CALL_NUMBER(regs) == config.mmap ? (__u64)result : 0;
		t->block = bytes / config.page;
		if (CALL_NUMBER(regs) == config.mremap && result > 0)
			tell_move(ctx, regs, result);
	}
	if (transfer && config.io_time && t->io_since) {
		due |= add(t, config.io_time,
			passed_ns(t->io_since, counted_ns()));
		t->io_since = 0;
	}
	if (transfer && result > 0 && (config.reads | config.writes)) {
		if (transfer == PERCPU_TRANSFER_READ_MESSAGES ||
			transfer == PERCPU_TRANSFER_WRITE_MESSAGES)
			result = (long)message_bytes(
				ARGUMENT_2(regs), (__u64)result);
		due |= add(t, transfer_counters(transfer, regs), (__u64)result);
	}
	if (due)
		emit_due(ctx, t, due);
	t->block = 0;
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_exit, struct pt_regs *regs, long result)
{
	return leave_call(ctx, result);
}

SEC("tracepoint")
int on_exit_record(struct call_record *record)
{
	return leave_call(record, record->result);
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(on_signal, int signal)
{
	struct thread_counts *t = current_thread();
	__u64 n = (__u32)signal;

	/* one register, so that the kernel sees what bounds the index */
	asm volatile("" : "+r"(n));
	if (t && n < PERCPU_SIGNALS)
		count(ctx, t, config.signal_counters[n], 1);
	return 0;
}

#endif
