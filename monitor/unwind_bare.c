#include "unwind.h"

#include <string.h>
#include <sys/uio.h>

#define LONGEST_CALL 7

/* The bytes before a return address; false where they cannot be had. */
static bool code_before(const struct snapshot *snapshot,
	const struct mapping *mapping, uint64_t addr, uint8_t *bytes)
{
	struct iovec local = {bytes, LONGEST_CALL};
	struct iovec remote = {
		(void *)(uintptr_t)(addr - LONGEST_CALL), LONGEST_CALL};

	if (addr - mapping->start < LONGEST_CALL)
		return false;
	if (mapping->module->image)
		return elf_image_read(mapping->module->image,
			addr - mapping->bias - LONGEST_CALL, bytes,
			LONGEST_CALL);
	return process_vm_readv(snapshot->pid, &local, 1, &remote, 1, 0) ==
	       LONGEST_CALL;
}

/*
 * Whether the bytes end in a call: E8 rel32, or FF /2 with one of the ModRM
 * forms (Intel SDM volume 2, CALL).
 */
static bool ends_in_call(const uint8_t *bytes)
{
	const uint8_t *end = bytes + LONGEST_CALL;

	if (end[-5] == 0xe8)
		return true;
	for (int length = 2; length <= LONGEST_CALL; length++) {
		const uint8_t *at = end - length;
		unsigned mod = at[1] >> 6, rm = at[1] & 7;
		int want = 2;

		if (at[0] != 0xff || ((at[1] >> 3) & 7) != 2)
			continue;
		if (mod != 3 && rm == 4)
			want++; /* SIB */
		if (mod == 1)
			want += 1;
		else if (mod == 2 || (mod == 0 && rm == 5))
			want += 4;
		else if (mod == 0 && rm == 4 && length > 2 && (at[2] & 7) == 5)
			want += 4;
		if (want == length)
			return true;
	}
	return false;
}

static bool is_return_address(const struct snapshot *snapshot,
	const struct space *space, uint64_t addr)
{
	const struct mapping *mapping = space_find(space, addr - 1);
	uint8_t bytes[LONGEST_CALL];

	return mapping && code_before(snapshot, mapping, addr, bytes) &&
	       ends_in_call(bytes);
}

bool unwind_bare(struct snapshot *snapshot, const struct space *space,
	bool innermost, struct unwind_cursor *c)
{
	struct unwind_cursor next = {.bp = c->bp};

	if (innermost && snapshot_read(snapshot, c->sp, &next.ip) &&
		is_return_address(snapshot, space, next.ip)) {
		next.sp = c->sp + 8;
		*c = next;
		return true;
	}
	if (c->bp < c->sp || c->bp % 8 ||
		!snapshot_read(snapshot, c->bp, &next.bp) ||
		!snapshot_read(snapshot, c->bp + 8, &next.ip) ||
		!is_return_address(snapshot, space, next.ip))
		return false;
	next.sp = c->bp + 16;
	*c = next;
	return true;
}
