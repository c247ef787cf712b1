/*
 * arch.bpf.h - what the BPF programs have to know about the processor.
 *
 * A processor is a folder beside this header.  Its registers.bpf.h has the
 * kernel's struct pt_regs, thread_info and thread_struct, as far as they are
 * used, and:
 *
 *     UC_STACK, UC_GOROUTINE, UC_SP   offsets in a ucontext: uc_stack.ss_sp;
 *                           the interrupted goroutine's register, and stack
 *                           pointer
 *     REGISTERS_SIZE        of all of struct pt_regs
 *     ARGUMENT_1, _2, _3    of a function that was just called
 *     CALL_NUMBER           of the system call a thread is in; -1: none
 *     CALL_IS_OVER          whether it has its result, and is on its way out
 *     STACK_POINTER         of user mode
 *     GOROUTINE             the register that has Go's goroutine
 *     IS_COMPAT             whether a task is in a call of another ABI
 *     THREAD_BLOCK          what its C library has for a thread
 *     tell_registers()      all of them, in perf's order
 */
#ifndef CPPROF_ARCH_BPF_H
#define CPPROF_ARCH_BPF_H

#include <linux/types.h>
#include <stdbool.h>

#ifdef __TARGET_ARCH_x86
#include "monitor/arch/x86_64/registers.bpf.h"
#else
#error "this processor has no registers.bpf.h"
#endif

#endif
