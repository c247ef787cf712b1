/*
 * preload.h - what the object in the target has of each processor:
 *
 *     PRELOAD_MACHINE         e_machine of its programs
 *     PRELOAD_LINKER          the dynamic linker that they name
 *     PASSED_FUNCTION(NAME)   defines NAME, which does nothing; a probe on its
 *                             first instruction is quick
 *     STOP_FUNCTION(NAME, N)  defines NAME(P), which calls read(-1, P, N)
 */
#ifndef CPPROF_ARCH_PRELOAD_H
#define CPPROF_ARCH_PRELOAD_H

#if defined(__x86_64__)
#include "monitor/arch/x86_64/preload.h"
#else
#error "this processor has no monitor/arch/NAME/preload.h"
#endif

#endif
