/* registers.h - the constants of monitor/arch/arch.h, for x86-64. */
#ifndef CPPROF_MONITOR_ARCH_X86_64_REGISTERS_H
#define CPPROF_MONITOR_ARCH_X86_64_REGISTERS_H

/* DWARF numbers of the x86-64 registers (System V ABI, figure 3.36). */
enum {
	REG_AX_,
	REG_DX_,
	REG_CX_,
	REG_BX_,
	REG_SI_,
	REG_DI_,
	REG_FP_,
	REG_SP_,
	REG_R8_,
	REG_R13_ = REG_R8_ + 5,
	REG_R15_ = REG_R8_ + 7,
	REG_IP_,
	SNAPSHOT_REGS,
};

/* HotSpot's interpreter has the return address of a method's entry here. */
#define REG_ENTRY_RETURN_ REG_AX_
/* And its caller's stack pointer here. */
#define REG_ENTRY_SENDER_ REG_R13_

/* Offsets in the ucontext that a signal frame's rsp points to. */
enum { UCONTEXT_FP = 120, UCONTEXT_SP = 160, UCONTEXT_IP = 168 };

/* All general registers, in the kernel's order (asm/perf_regs.h). */
#define PERF_REGS_MASK 0xff01ffull
#define PERF_REGS_COUNT 17

/* A page of the process's own at the end of its addresses. */
#define PROBE_COPIES 0x7fffffffe000u
#define PROBE_COPIES_END 0x7ffffffff000u

#endif
