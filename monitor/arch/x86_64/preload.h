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

/* A function with -pg has a frame pointer, and calls mcount with the stack at
   any multiple of 8. */
#define MCOUNT_FUNCTION(f, on, next)                                           \
	__asm__(".pushsection .text\n"                                         \
		".globl mcount, _mcount\n"                                     \
		".type mcount, @function\n"                                    \
		".type _mcount, @function\n"                                   \
		"mcount:\n_mcount:\n"                                          \
		".cfi_startproc\n"                                             \
		"cmpb $0, " on "(%rip)\n"                                      \
		"je 1f\n"                                                      \
		"push %rax\npush %rcx\npush %rdx\npush %rsi\npush %rdi\n"      \
		"push %r8\npush %r9\n"                                         \
		".cfi_adjust_cfa_offset 56\n"                                  \
		"mov 56(%rsp), %rdi\n"                                         \
		"mov 8(%rbp), %rsi\n"                                          \
		"lea 16(%rbp), %rdx\n"                                         \
		"mov (%rbp), %rcx\n"                                           \
		"call " f "\n"                                                 \
		"pop %r9\npop %r8\n"                                           \
		"pop %rdi\npop %rsi\npop %rdx\npop %rcx\npop %rax\n"           \
		".cfi_adjust_cfa_offset -56\n"                                 \
		"ret\n"                                                        \
		"1: jmp *" next "(%rip)\n"                                     \
		".cfi_endproc\n"                                               \
		".size mcount, .-mcount\n"                                     \
		".size _mcount, .-_mcount\n"                                   \
		".popsection\n")

#define PRELOAD_ALIGN_STACK __attribute__((force_align_arg_pointer))

#define PRELOAD_PAUSE() __asm__ volatile("pause")

#define PRELOAD_KEEP_VECTORS(call)                                             \
	do {                                                                   \
		char kept_[512] __attribute__((aligned(16)));                  \
                                                                               \
		__asm__ volatile("fxsave64 %0" : "=m"(kept_));                 \
		call;                                                          \
		__asm__ volatile("fxrstor64 %0" ::"m"(kept_));                 \
	} while (0)

static inline long preload_syscall(
	long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "+a"(n)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return n;
}

/* Glibc's setjmp keeps it in the seventh word, mangled (PTR_MANGLE). */
static inline unsigned long preload_jump_sp(const long *words)
{
	unsigned long sp = (unsigned long)words[6];

	__asm__("ror $17, %0\nxor %%fs:0x30, %0" : "+r"(sp));
	return sp;
}

#endif
