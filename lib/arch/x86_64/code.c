/* The forms are those of the Intel SDM, volume 2. */
#include "lib/arch/arch.h"
#include "lib/arch/x86_64/operand.h"

#include <string.h>

enum { CALL = 0xe8, JUMP = 0xe9, JUMP_SHORT = 0xeb, GROUP_5 = 0xff };

static uint64_t signed_32(const uint8_t *p)
{
	int32_t value;

	memcpy(&value, p, sizeof value);
	return (uint64_t)(int64_t)value;
}

static uint32_t unsigned_32(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof value);
	return value;
}

static bool begins(const uint8_t *code, size_t n, const char *with, size_t size)
{
	return n >= size && memcmp(code, with, size) == 0;
}

size_t x86_operand_length(const uint8_t *modrm, const uint8_t *end)
{
	unsigned mod = *modrm >> 6, rm = *modrm & 7;
	size_t n = 1;

	if (mod != 3 && rm == 4)
		n++; /* SIB */
	if (mod == 1)
		n += 1;
	else if (mod == 2 || (mod == 0 && rm == 5))
		n += 4;
	else if (mod == 0 && rm == 4 && modrm + 1 < end && (modrm[1] & 7) == 5)
		n += 4;
	return n;
}

struct code_call code_call_before(
	const uint8_t *end, size_t n, uint64_t returns)
{
	if (n >= CALL_DIRECT && end[-CALL_DIRECT] == CALL)
		return (struct code_call){
			CALL_OF_TARGET, returns + signed_32(end - 4)};
	if (n >= 6 && end[-6] == GROUP_5 && end[-5] == 0x15)
		return (struct code_call){
			CALL_BY_POINTER, returns + signed_32(end - 4)};
	for (size_t length = 2; length <= CALL_LONGEST && length <= n;
		length++) {
		const uint8_t *at = end - length;

		if (at[0] == GROUP_5 && (at[1] >> 3 & 7) == 2 &&
			1 + x86_operand_length(at + 1, end) == length)
			return (struct code_call){.kind = CALL_OF_UNKNOWN};
	}
	return (struct code_call){.kind = NO_CALL};
}

/*
 * call rel32; call *pointer(%rip), also with the prefix that makes it 6 bytes
 */
bool code_is_call(const uint8_t *code, size_t n)
{
	return begins(code, n, "\xe8", 1) || begins(code, n, "\xff\x15", 2) ||
	       begins(code, n, "\x67\xe8", 2);
}

bool code_is_syscall(const uint8_t *code)
{
	return code[0] == 0x0f && code[1] == 0x05;
}

/*
 * jmp rel32; jcc rel32.  Of the places that hold neither one in 2^30 looks like
 * a jump into a function of 1 KiB.
 */
bool code_jumps_into(
	const uint8_t *code, size_t n, uint64_t addr, uint64_t lo, uint64_t hi)
{
	for (size_t size = 5; size <= 6 && n >= size; size++)
		for (const uint8_t *at = code, *last = code + n - size;
			at <= last && (at = memchr(at, size == 5 ? JUMP : 0x0f,
					       (size_t)(last - at) + 1));
			at++)
			if ((size == 5 || (at[1] & 0xf0) == 0x80) &&
				addr + (uint64_t)(at - code) + size +
						signed_32(at + size - 4) - lo <
					hi - lo)
				return true;
	return false;
}

bool code_jumps_short(const uint8_t *code, size_t n, uint64_t addr, uint64_t to)
{
	for (size_t i = 0; i + 2 <= n; i++)
		if (code[i] == JUMP_SHORT &&
			addr + i + 2 + (uint64_t)(int8_t)code[i + 1] == to)
			return true;
	return false;
}

/* mov $NR, %eax or %rax; syscall */
size_t code_syscall_of(const uint8_t *code, size_t n, unsigned nr)
{
	size_t set = 0;

	if (begins(code, n, "\xb8", 1))
		set = 5;
	else if (begins(code, n, "\x48\xc7\xc0", 3))
		set = 7;
	if (!set || n < set + SYSCALL_LENGTH ||
		unsigned_32(code + set - 4) != nr ||
		!code_is_syscall(code + set))
		return 0;
	return set + SYSCALL_LENGTH;
}

/*
 * System V ABI, x86-64 supplement, 5.2 and its IBT variant:
 *
 *     [f3 0f 1e fa] [f2] ff 25 rel32    [endbr64] jmp *slot(%rip)
 *     f3 0f 1e fa 68 imm32 [f2] e9      endbr64; push $index; jmp .plt
 */
enum stub_kind code_stub(
	const uint8_t *code, size_t n, uint64_t addr, uint64_t *value)
{
	size_t at = 0;

	if (n >= 16 && begins(code, n, "\xf3\x0f\x1e\xfa\x68", 5)) {
		*value = unsigned_32(code + 5);
		return STUB_OF_INDEX;
	}
	if (begins(code, n, "\xf3\x0f\x1e\xfa", 4))
		at = 4;
	if (at < n && code[at] == 0xf2)
		at++;
	if (n < at + 6 || !begins(code + at, n - at, "\xff\x25", 2))
		return NO_STUB;
	*value = addr + at + 6 + signed_32(code + at + 2);
	return STUB_OF_SLOT;
}

void code_addresses(const uint8_t *code, size_t n, uint64_t addr,
	void (*see)(void *arg, bool called, uint64_t value), void *arg)
{
	for (const uint8_t *p = code; p < code + n; p++, addr++)
		if (p[0] == CALL)
			see(arg, true, addr + 5 + signed_32(p + 1));
		else if ((p[0] & 0xf8) == 0xb8 || p[0] == 0x68)
			/* mov imm32, %reg; push imm32 */
			see(arg, false, unsigned_32(p + 1));
		else if ((p[0] & 0xfb) == 0x48 && p[1] == 0x8d &&
			 (p[2] & 0xc7) == 0x05) /* lea rel32(%rip), %reg */
			see(arg, false, addr + 7 + signed_32(p + 3));
		else if (p[0] == 0xc7 && (p[1] & 0xf8) == 0xc0)
			/* mov simm32, %reg */
			see(arg, false, unsigned_32(p + 2));
}

bool code_each_target(const uint8_t *code, size_t n, uint64_t addr,
	bool (*see)(void *arg, uint64_t target), void *arg)
{
	for (size_t i = 0; i + 5 <= n; i++) {
		bool conditional =
			i && code[i - 1] == 0x0f && (code[i] & 0xf0) == 0x80;

		if (code[i] != CALL && code[i] != JUMP && !conditional)
			continue;
		if (see(arg, addr + i + 5 + signed_32(code + i + 1)))
			return true;
	}
	return false;
}

/*
 *     48 8d 3d rel32     lea value(%rip),%rdi
 *     48 8b 3d rel32     mov value(%rip),%rdi
 *     48 c7 c7 imm32     mov $value,%rdi
 *     bf imm32           mov $value,%edi
 */
size_t code_loads_argument(const uint8_t *code, size_t n, uint64_t addr,
	struct code_argument *argument)
{
	if (n < 7)
		return 0;
	argument->whole = true;
	argument->in_memory = begins(code, n, "\x48\x8b\x3d", 3);
	argument->value = addr + 7 + signed_32(code + 3);
	if (argument->in_memory || begins(code, n, "\x48\x8d\x3d", 3))
		return 7;
	argument->value = signed_32(code + 3);
	if (begins(code, n, "\x48\xc7\xc7", 3))
		return 7;
	argument->whole = false;
	argument->value = unsigned_32(code + 1);
	return code[0] == 0xbf ? 5 : 0;
}

/*
 * xor %rbp,%rbp; mov %rsp,%rdi; lea _DYNAMIC(%rip),%rsi; and $-16,%rsp; call
 */
size_t code_musl_start(
	const uint8_t *code, size_t n, uint64_t addr, uint64_t *target)
{
	const size_t size = 22;

	if (n < size ||
		!begins(code, n, "\x48\x31\xed\x48\x89\xe7\x48\x8d\x35", 9) ||
		!begins(code + 13, n - 13, "\x48\x83\xe4\xf0\xe8", 5))
		return 0;
	*target = addr + size + signed_32(code + size - 4);
	return size;
}

/* mov %rsp,%rdi; call _dl_start */
size_t code_loader_start(const uint8_t *code, size_t n)
{
	return begins(code, n, "\x48\x89\xe7\xe8", 4) ? 8 : 0;
}

/* nop; call; nop */
bool code_is_goexit(const uint8_t code[GOEXIT_BYTES])
{
	return code[0] == 0x90 && code[1] == CALL && code[6] == 0x90;
}

/* syscall; cmp $0, %rax; je */
size_t code_go_new_thread(const uint8_t *code, size_t n)
{
	static const char branch[] = "\x0f\x05\x48\x83\xf8\x00\x74";
	const size_t size = sizeof branch - 1;

	for (size_t i = 0; i + size < n; i++)
		if (begins(code + i, n - i, branch, size))
			return i + size + 1 + code[i + size];
	return 0;
}

/* mov %eax, -N(%rsp); push %rbp; sub $..., %rsp
   (MacroAssembler::verified_entry) */
bool code_is_hotspot_entry(const uint8_t code[HOTSPOT_ENTRY])
{
	return code[0] == 0x89 && code[1] == 0x84 && code[2] == 0x24 &&
	       code[6] == 0xff && code[7] == 0x55 && code[8] == 0x48 &&
	       (code[9] == 0x83 || code[9] == 0x81) && code[10] == 0xec;
}

bool code_is_hotspot_return(const uint8_t code[HOTSPOT_RETURN])
{
	/* mov -16(%rbp), %rsp; movq $0, -16(%rbp) */
	return !memcmp(
		code, "\x48\x8b\x65\xf0\x48\xc7\x45\xf0\0\0\0", HOTSPOT_RETURN);
}

bool code_is_push(const uint8_t *code, size_t n)
{
	bool rex = n && (code[0] & 0xf0) == 0x40;

	return n > rex && (code[rex] & 0xf8) == 0x50;
}

/* push, nop, jump, call and branch (arch/x86/kernel/uprobes.c) */
bool code_is_emulated(const uint8_t *code, size_t n)
{
	return code_is_push(code, n) ||
	       (n > 1 &&
		       (code[0] == 0x90 || code[0] == CALL || code[0] == JUMP ||
			       code[0] == 0xeb || (code[0] & 0xf0) == 0x70 ||
			       (code[0] == 0x0f && (code[1] & 0xf0) == 0x80)));
}
