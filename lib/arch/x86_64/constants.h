/* constants.h - the constants of lib/arch/arch.h, for x86-64. */
#ifndef CPPROF_ARCH_X86_64_CONSTANTS_H
#define CPPROF_ARCH_X86_64_CONSTANTS_H

#include <elf.h>

#define PAGE_BYTES 4096ul

#define ARCH_NAME "x86-64"
#define ARCH_MACHINE EM_X86_64
#define ARCH_RELATIVE R_X86_64_RELATIVE
#define ARCH_IRELATIVE R_X86_64_IRELATIVE
#define ARCH_GLOB_DAT R_X86_64_GLOB_DAT
#define ARCH_JUMP_SLOT R_X86_64_JUMP_SLOT
#define ARCH_ABS64 R_X86_64_64

/* System V ABI for x86-64, figure 3.36 */
#define DWARF_FP 6
#define DWARF_SP 7
#define DWARF_RA 16

#define WORD_BYTES 8ul
#define RETURN_FROM_CFA (-8)
#define FRAME_RETURN 8
#define FRAME_CFA 16

#define CALL_LONGEST 7
#define CALL_DIRECT 5
#define CALL_KNOWN 6
#define STUB_BYTES 16
#define BREAKPOINT_BYTE 0xcc /* int3 */
#define SYSCALL_LENGTH 2
#define SYSCALL_BY_SHORT 7
#define SYSCALL_BY_NUMBER 9

/* src/hotspot/cpu/x86/frame_x86.hpp */
#define HOTSPOT_SENDER (-8)
#define HOTSPOT_VARIABLES (-56)

#endif
