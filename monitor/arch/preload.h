/*
 * preload.h - what the object in the target has of each processor:
 *
 *     PRELOAD_MACHINE         e_machine of its programs
 *     PRELOAD_LINKER          the dynamic linker that they name
 *     PASSED_FUNCTION(NAME)   defines NAME, which does nothing; a probe on its
 *                             first instruction is quick
 *     STOP_FUNCTION(NAME, N)  defines NAME(P), which calls read(-1, P, N)
 *     MCOUNT_FUNCTION(F, ON, NEXT)  defines mcount and _mcount, which call
 *                             F(CALLEE, SITE, CFA, FRAME POINTER OF THE CALLER)
 *                             or jump to *NEXT while the bool ON is false
 *     PRELOAD_ALIGN_STACK     an attribute of what it calls and what calls more
 *     PRELOAD_PAUSE()         in a loop that waits for another processor
 *     PRELOAD_KEEP_VECTORS(C) does C, and leaves vectors with arguments alone
 *     preload_syscall(N, ...) a system call, without errno
 *     preload_jump_sp(BUF)    the stack pointer in a jmp_buf
 */
#ifndef CPPROF_ARCH_PRELOAD_H
#define CPPROF_ARCH_PRELOAD_H

#if defined(__x86_64__)
#include "monitor/arch/x86_64/preload.h"
#else
#error "this processor has no monitor/arch/NAME/preload.h"
#endif

#endif
