/* constants.h - what lib/arch/arch.h promises, for x86-64. */
#ifndef CPPROF_ARCH_X86_64_CONSTANTS_H
#define CPPROF_ARCH_X86_64_CONSTANTS_H

#define PAGE_BYTES 4096ul

#endif
