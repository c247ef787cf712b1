/*
 * start.c - what the C library's start code calls.
 *
 * Programs of a distribution have no symbol for main, but the code at their
 * entry point is the C library's crt1.o, which puts main's address into rdi,
 * the first argument of __libc_start_main, and calls it at once:
 *
 *     48 8d 3d rel32     lea main(%rip),%rdi              (-pie)
 *     48 8b 3d rel32     mov main@GOTPCREL(%rip),%rdi     (-pie, unrelaxed)
 *     48 c7 c7 imm32     mov $main,%rdi                   (-no-pie)
 *     ff 15 rel32 | e8 rel32 | 67 e8 rel32    call __libc_start_main
 *
 * musl's _start is `xor %rbp,%rbp; mov %rsp,%rdi; lea _DYNAMIC(%rip),%rsi; and
 * $-16,%rsp; call _start_c`, and _start_c is C: main goes into rdi in the same
 * ways (or `mov $main,%edi`) some instructions before a call or jump.
 */
#include "config.h"

#include <string.h>

#include "analyzer/symbol/table.h"

#define START_BYTES 96

struct code {
	uint64_t addr;
	unsigned char bytes[START_BYTES];
	size_t n;
};

static bool read_code(
	const struct image *image, uint64_t addr, struct code *code)
{
	uint64_t avail;
	const unsigned char *p = image_at(image, addr, &avail);

	if (!p || !image_code(image, addr))
		return false;
	code->addr = addr;
	code->n = avail < START_BYTES ? (size_t)avail : START_BYTES;
	memcpy(code->bytes, p, code->n);
	return true;
}

static int32_t rel32(const unsigned char *p)
{
	int32_t value;

	memcpy(&value, p, sizeof value);
	return value;
}

static bool has(const struct code *code, size_t at, const char *bytes, size_t n)
{
	return at + n <= code->n && memcmp(code->bytes + at, bytes, n) == 0;
}

/*
 * If the instruction at AT loads an address into rdi: its length, and the
 * address in *TARGET (0 if it cannot be known).
 */
static size_t loads_rdi(const struct image *image, const struct code *code,
	size_t at, uint64_t *target)
{
	const unsigned char *p = code->bytes + at;
	const char *symbol;
	uint64_t slot;

	if (at + 7 > code->n)
		return 0;
	*target = code->addr + at + 7 + (uint64_t)(int64_t)rel32(p + 3);
	if (memcmp(p, "\x48\x8d\x3d", 3) == 0)
		return 7;
	if (memcmp(p, "\x48\x8b\x3d", 3) == 0) {
		slot = *target;
		if (image_slot(image, slot, target, &symbol) == SLOT_UNKNOWN &&
			!image_read(image, slot, target, sizeof *target))
			*target = 0;
		return 7;
	}
	*target = (uint64_t)(int64_t)rel32(p + 3);
	if (memcmp(p, "\x48\xc7\xc7", 3) == 0)
		return 7;
	*target = (uint32_t)rel32(p + 1);
	return p[0] == 0xbf ? 5 : 0;
}

static bool calls(const struct code *code, size_t at)
{
	return has(code, at, "\xe8", 1) || has(code, at, "\xff\x15", 2) ||
	       has(code, at, "\x67\xe8", 2);
}

static uint64_t glibc_main(const struct image *image, const struct code *code)
{
	for (size_t at = 0; at < code->n; at++) {
		uint64_t target;
		size_t len = loads_rdi(image, code, at, &target);

		if (len == 7 && calls(code, at + len))
			return target;
	}
	return 0;
}

/* Offset of the call in musl's _start, which has no unwind entry; 0: another.
 */
static size_t musl_call(const struct code *start)
{
	const size_t call = 17;

	return has(start, 0, "\x48\x31\xed\x48\x89\xe7\x48\x8d\x35", 9) &&
			       has(start, 13, "\x48\x83\xe4\xf0\xe8", 5) &&
			       start->n >= call + 5
		       ? call
		       : 0;
}

static uint64_t musl_main(const struct image *image, const struct code *start)
{
	size_t call = musl_call(start);
	struct code code;

	if (!call || !read_code(image,
			     start->addr + call + 5 +
				     (uint64_t)(int64_t)rel32(
					     start->bytes + call + 1),
			     &code))
		return 0;
	for (size_t at = 0; at < code.n; at++) {
		uint64_t target;

		if (loads_rdi(image, &code, at, &target) &&
			image_code(image, target))
			return target;
	}
	return 0;
}

uint64_t sym_start_main(const struct image *image)
{
	struct code code;
	uint64_t target;

	if (!image->native || !image->executable ||
		!read_code(image, image->entry, &code))
		return 0;
	target = musl_main(image, &code);
	if (!target)
		target = glibc_main(image, &code);
	return target && image_code(image, target) ? target : 0;
}

/* The loader starts with `mov %rsp,%rdi; call _dl_start`. */
uint64_t sym_start_size(const struct image *image)
{
	struct code code;
	size_t call;

	if (!image->native || !image->entry ||
		!read_code(image, image->entry, &code))
		return 0;
	call = musl_call(&code);
	if (call)
		return call + 5;
	if (has(&code, 0, "\x48\x89\xe7\xe8", 4))
		return 8;
	return image->executable;
}
