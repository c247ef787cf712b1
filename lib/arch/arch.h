/*
 * arch.h - what the program has to know about the processor.
 *
 * A processor is a folder beside this header with a constants.h of its own.
 *
 *     PAGE_BYTES    the size of a page of memory
 */
#ifndef CPPROF_ARCH_ARCH_H
#define CPPROF_ARCH_ARCH_H

#ifdef __x86_64__
#include "lib/arch/x86_64/constants.h"
#else
#error "this processor has no folder in lib/arch/"
#endif

#endif
