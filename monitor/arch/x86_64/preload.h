/* preload.h - the counting object's part of x86-64. */
#ifndef CPPROF_ARCH_X86_64_PRELOAD_H
#define CPPROF_ARCH_X86_64_PRELOAD_H

#include <elf.h>

#define PRELOAD_MACHINE EM_X86_64
#define PRELOAD_LINKER "/lib64/ld-linux-x86-64.so.2"

/*
 * The kernel emulates a push, where other instructions need a single step.  A
 * 5-byte nop must not be here: Linux 6.18 loses the hits of forked children.
 */
#define PASSED_FUNCTION(name)                                                  \
	__asm__(".pushsection .text\n"                                         \
		".globl " name "\n"                                            \
		".type " name ", @function\n" name ":\n"                       \
		".cfi_startproc\n"                                             \
		"push %rax\n"                                                  \
		".cfi_adjust_cfa_offset 8\n"                                   \
		"pop %rax\n"                                                   \
		".cfi_adjust_cfa_offset -8\n"                                  \
		"ret\n"                                                        \
		".cfi_endproc\n"                                               \
		".size " name ", .-" name "\n"                                 \
		".popsection\n")

#define STOP_FUNCTION(name, n) STOP_FUNCTION_(name, n)
#define STOP_FUNCTION_(name, n)                                                \
	__asm__(".pushsection .text\n"                                         \
		".hidden " name "\n"                                           \
		".globl " name "\n"                                            \
		".type " name ", @function\n" name ":\n"                       \
		".cfi_startproc\n"                                             \
		"mov %rdi, %rsi\n"                                             \
		"mov $-1, %rdi\n"                                              \
		"mov $" #n ", %edx\n"                                          \
		"xor %eax, %eax\n"                                             \
		"syscall\n"                                                    \
		"ret\n"                                                        \
		".cfi_endproc\n"                                               \
		".size " name ", .-" name "\n"                                 \
		".popsection\n")

#endif
