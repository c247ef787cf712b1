/* registers.bpf.h - what monitor/arch/arch.bpf.h promises, for x86-64. */
#ifndef CPPROF_MONITOR_ARCH_X86_64_REGISTERS_BPF_H
#define CPPROF_MONITOR_ARCH_X86_64_REGISTERS_BPF_H

#pragma clang attribute push(                                                  \
	__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	__u32 status;
};

struct thread_struct {
	unsigned long fsbase;
};

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip, sp;
};

#pragma clang attribute pop

#define TS_COMPAT 2 /* thread_info.status: in a 32-bit system call */

#define NO_RESULT (-38) /* ENOSYS: the kernel's, at the entry */

#define UC_STACK 16
#define UC_GOROUTINE 88
#define UC_SP 160

#define REGISTERS_SIZE 168

#define ARGUMENT_1(regs) ((regs)->di)
#define RETURNED(regs) ((regs)->ax)
#define ARGUMENT_2(regs) ((regs)->si)
#define ARGUMENT_3(regs) ((regs)->dx)
#define CALL_NUMBER(regs) ((long)(regs)->orig_ax)
#define CALL_IS_OVER(regs) ((long)(regs)->ax != NO_RESULT)
#define STACK_POINTER(regs) ((regs)->sp)
#define GOROUTINE(regs) ((regs)->r14)
#define IS_COMPAT(task) ((task)->thread_info.status & TS_COMPAT)
#define THREAD_BLOCK(task) ((task)->thread.fsbase)

static inline __attribute__((always_inline)) void tell_registers(
	const struct pt_regs *r, __u64 *regs)
{
	*regs++ = r->ax;
	*regs++ = r->bx;
	*regs++ = r->cx;
	*regs++ = r->dx;
	*regs++ = r->si;
	*regs++ = r->di;
	*regs++ = r->bp;
	*regs++ = r->sp;
	*regs++ = r->ip;
	*regs++ = r->r8;
	*regs++ = r->r9;
	*regs++ = r->r10;
	*regs++ = r->r11;
	*regs++ = r->r12;
	*regs++ = r->r13;
	*regs++ = r->r14;
	*regs = r->r15;
}

#endif
