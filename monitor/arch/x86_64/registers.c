/* The registers of x86-64, of samples and of stopped threads. */
#include "monitor/arch/arch.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#define CPUID_HYPERVISOR (1u << 31) /* of the leaf of features, ecx */

bool machine_is_virtual(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & CPUID_HYPERVISOR);
}

void registers_of_sample(const uint8_t *words, uint64_t regs[SNAPSHOT_REGS])
{
	/* the kernel's order (asm/perf_regs.h) as DWARF numbers */
	static const uint8_t dwarf_of[PERF_REGS_COUNT] = {REG_AX_, REG_BX_,
		REG_CX_, REG_DX_, REG_SI_, REG_DI_, REG_FP_, REG_SP_, REG_IP_,
		REG_R8_, REG_R8_ + 1, REG_R8_ + 2, REG_R8_ + 3, REG_R8_ + 4,
		REG_R8_ + 5, REG_R8_ + 6, REG_R15_};

	for (size_t i = 0; i < PERF_REGS_COUNT; i++)
		memcpy(&regs[dwarf_of[i]], words + i * sizeof *regs,
			sizeof *regs);
}

bool registers_of_tracee(pid_t tid, uint64_t regs[SNAPSHOT_REGS])
{
	struct user_regs_struct from;
	struct iovec iov = {&from, sizeof from};

	/* a 32-bit program answers with fewer bytes */
	if (ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_PRSTATUS,
		    &iov) != 0 ||
		iov.iov_len != sizeof from)
		return false;
	memcpy(regs,
		(const uint64_t[SNAPSHOT_REGS]){from.rax, from.rdx, from.rcx,
			from.rbx, from.rsi, from.rdi, from.rbp, from.rsp,
			from.r8, from.r9, from.r10, from.r11, from.r12,
			from.r13, from.r14, from.r15, from.rip},
		SNAPSHOT_REGS * sizeof *regs);
	return true;
}

void registers_in_call(const uint64_t arguments[6], uint64_t sp, uint64_t ip,
	uint64_t regs[SNAPSHOT_REGS])
{
	static const uint8_t order[] = {
		REG_DI_, REG_SI_, REG_DX_, REG_R8_ + 2, REG_R8_, REG_R8_ + 1};

	memset(regs, 0, SNAPSHOT_REGS * sizeof *regs);
	for (size_t i = 0; i < sizeof order; i++)
		regs[order[i]] = arguments[i];
	regs[REG_SP_] = sp;
	regs[REG_IP_] = regs[REG_CX_] = ip;
	/* as the kernel keeps it in a call */
	regs[REG_AX_] = (uint64_t)-ENOSYS;
}

static bool peek(pid_t tid, size_t offset, int64_t *value)
{
	errno = 0;
	*value = ptrace(PTRACE_PEEKUSER, tid, (void *)offset, NULL);
	return errno == 0;
}

bool thread_block_of_tracee(pid_t tid, uint64_t *block)
{
	int64_t value;

	if (!peek(tid, offsetof(struct user_regs_struct, fs_base), &value))
		return false;
	*block = (uint64_t)value;
	return true;
}

bool tracee_result(pid_t tid, int64_t *result)
{
	return peek(tid, offsetof(struct user_regs_struct, rax), result) &&
	       *result != -ENOSYS; /* as it is at the entry */
}

bool tracee_in_call(pid_t tid, uint64_t *nr, uint64_t *arg2)
{
	int64_t value, second;

	if (!peek(tid, offsetof(struct user_regs_struct, orig_rax), &value) ||
		value < 0 ||
		!peek(tid, offsetof(struct user_regs_struct, rsi), &second))
		return false;
	*nr = (uint64_t)value;
	*arg2 = (uint64_t)second;
	return true;
}

bool call_is_native(uint32_t audit_arch)
{
	return audit_arch == AUDIT_ARCH_X86_64;
}

bool registers_are_new(const uint64_t regs[SNAPSHOT_REGS])
{
	return !regs[REG_AX_];
}

uint64_t registers_given_sp(const uint64_t regs[SNAPSHOT_REGS])
{
	return regs[REG_SI_];
}

const struct thread_start thread_starts[] = {
	/* mov $56, %eax; syscall: then test %rax, %rax; jl; je */
	{7, {0xb8, 0x38, 0, 0, 0, 0x0f, 0x05}, 5, .given_sp = true},
	/* mov $435, %eax; syscall: then the same */
	{7, {0xb8, 0xb3, 1, 0, 0, 0x0f, 0x05}, 5, .called = false},
	/* mov %rcx, (%rsi); syscall: then test %eax, %eax; jne; xor; pop;
	   call */
	{5, {0x48, 0x89, 0x0e, 0x0f, 0x05}, 7, .given_sp = true},
	/* xor %ebp, %ebp; pop %rdi; call *%r9 */
	{6, {0x31, 0xed, 0x5f, 0x41, 0xff, 0xd1}, 0, .called = true},
};

const size_t nthread_starts = sizeof thread_starts / sizeof *thread_starts;
