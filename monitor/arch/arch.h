/*
 * arch.h - what the monitor has to know about the processor: its registers.
 *
 * A processor is a folder beside this header.  Its registers.h has the numbers
 * of the registers (DWARF's) and how many a snapshot has, the offsets in a
 * signal frame, and what perf is asked for:
 *
 *     REG_SP_, REG_IP_, REG_FP_    what each processor has
 *     REG_ENTRY_RETURN_            the return address of an entry of HotSpot's
 *                                  interpreter
 *     REG_ENTRY_SENDER_            the stack pointer of its caller
 *     SNAPSHOT_REGS                their number
 *     UCONTEXT_FP, _SP, _IP        where a signal frame keeps them, from its
 *                                  stack pointer on
 *     PERF_REGS_MASK, _COUNT       perf's mask of them, and how many it has
 *     PROBE_COPIES, _END           where instructions that uprobes have
 *                                  replaced are executed from copies
 */
#ifndef CPPROF_MONITOR_ARCH_H
#define CPPROF_MONITOR_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __x86_64__
#include "monitor/arch/x86_64/registers.h"
#else
#error "this processor has no folder in monitor/arch/"
#endif

/* From the PERF_REGS_COUNT words of a sample, in perf's order. */
void registers_of_sample(const uint8_t *words, uint64_t regs[SNAPSHOT_REGS]);

/* Of a stopped tracee; false: it is gone, or a program of another ABI. */
bool registers_of_tracee(pid_t tid, uint64_t regs[SNAPSHOT_REGS]);

/* The control block of a stopped tracee; false: it is none, or gone. */
bool thread_block_of_tracee(pid_t tid, uint64_t *block);

/*
 * Of a thread that waits in a system call: its ARGUMENTS, and stack and
 * instruction pointer.  The other registers are unknown: 0.
 */
void registers_in_call(const uint64_t arguments[6], uint64_t sp, uint64_t ip,
	uint64_t regs[SNAPSHOT_REGS]);

/*
 * The result of the call that a stopped tracee is in, or comes from; false: it
 * has none yet.
 */
bool tracee_result(pid_t tid, int64_t *result);

/* The number of the call that a stopped tracee is in, and its second argument;
   false: it is in none. */
bool tracee_in_call(pid_t tid, uint64_t *nr, uint64_t *arg2);

/* Whether a call, of an AUDIT_ARCH_..., has the numbers of syscalls.h. */
bool call_is_native(uint32_t audit_arch);

/*
 * Code before the place where a new thread starts: the system call that made
 * it, and what stands there once it has called its function.
 */
struct thread_start {
	uint8_t n, bytes[8];
	uint8_t last;  /* the bytes may be this far ahead */
	bool called;   /* the thread has called its function; else: it is new */
	bool given_sp; /* new, and a register has the stack it was given */
};

extern const struct thread_start thread_starts[];
extern const size_t nthread_starts;

/*
 * Where the operand TEXT of an instruction, as the assembler writes it, has a
 * number of SIZE bytes (amount.h).  False: it is none of registers, of memory
 * by them, or of 32 bits.
 */
bool amount_of_operand(
	const char *text, unsigned size, bool is_signed, uint64_t *amount);

/* Whether the machine is a virtual one. */
bool machine_is_virtual(void);

/* Whether REGS are a new thread's: the kernel gives it a zero as the result. */
bool registers_are_new(const uint64_t regs[SNAPSHOT_REGS]);

/* The stack that the call was given for the new thread. */
uint64_t registers_given_sp(const uint64_t regs[SNAPSHOT_REGS]);

#endif
