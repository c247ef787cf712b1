/*
 * start.c - finds main through the C library's start code.
 *
 * Programs of a distribution have no symbol for main, but the code at their
 * entry point is the C library's crt1.o. It makes main's address the first
 * argument of __libc_start_main and calls that.
 *
 * musl's _start calls _start_c, which is C: there main becomes the first
 * argument in the same ways, some instructions before a call or jump.
 */

#include <string.h>

#include "analyzer/symbol/table/table.h"
#include "lib/arch/arch.h"

#define START_BYTES 96

struct start_code {
	uint64_t addr;
	unsigned char bytes[START_BYTES];
	size_t n;
};

static bool read_code(
	struct elf_image *image, uint64_t addr, struct start_code *code)
{
	uint64_t avail;
	const unsigned char *p = elf_image_at(image, addr, &avail);

	if (!p || !elf_image_code(image, addr))
		return false;
	code->addr = addr;
	code->n = avail < START_BYTES ? (size_t)avail : START_BYTES;
	memcpy(code->bytes, p, code->n);
	return true;
}

/*
 * If the instruction at AT loads an address as the first argument: returns its
 * length and sets *TARGET to the address (0 if it cannot be known), *WHOLE to
 * whether it has all bits.
 */
static size_t loads_argument(struct elf_image *image,
	const struct start_code *code, size_t at, uint64_t *target, bool *whole)
{
	struct code_argument argument = {0};
	size_t length = code_loads_argument(
		code->bytes + at, code->n - at, code->addr + at, &argument);
	const char *symbol;

	if (!length)
		return 0;
	*target = argument.value;
	*whole = argument.whole;
	if (argument.in_memory &&
		elf_image_slot(image, argument.value, target, &symbol) ==
			ELF_SLOT_UNKNOWN &&
		!elf_image_read(image, argument.value, target, sizeof *target))
		*target = 0;
	return length;
}

static uint64_t glibc_main(
	struct elf_image *image, const struct start_code *code)
{
	for (size_t at = 0; at < code->n; at++) {
		uint64_t target;
		bool whole;
		size_t len = loads_argument(image, code, at, &target, &whole);

		if (len && whole &&
			code_is_call(
				code->bytes + at + len, code->n - at - len))
			return target;
	}
	return 0;
}

static uint64_t musl_main(
	struct elf_image *image, const struct start_code *start)
{
	struct start_code code;
	uint64_t called;

	if (!code_musl_start(start->bytes, start->n, start->addr, &called) ||
		!read_code(image, called, &code))
		return 0;
	for (size_t at = 0; at < code.n; at++) {
		uint64_t target;
		bool whole;

		if (loads_argument(image, &code, at, &target, &whole) &&
			elf_image_code(image, target))
			return target;
	}
	return 0;
}

uint64_t sym_start_main(struct elf_image *image)
{
	struct start_code code;
	uint64_t target;

	if (!image->native || !elf_image_is_program(image) ||
		!read_code(image, image->entry, &code))
		return 0;
	target = musl_main(image, &code);
	if (!target)
		target = glibc_main(image, &code);
	return target && elf_image_code(image, target) ? target : 0;
}

/* Neither has an unwind entry. */
uint64_t sym_start_size(struct elf_image *image)
{
	struct start_code code;
	uint64_t called;
	size_t size;

	if (!image->native || !image->entry ||
		!read_code(image, image->entry, &code))
		return 0;
	size = code_musl_start(code.bytes, code.n, code.addr, &called);
	if (!size)
		size = code_loader_start(code.bytes, code.n);
	return size ? size : elf_image_is_program(image);
}
