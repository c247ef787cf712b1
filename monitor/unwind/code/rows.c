/* A table of rows by address, filled on demand. */
#include "monitor/unwind/code/rows.h"

#include "lib/arch/arch.h"

void rows_fini(struct unwind_rows *rows)
{
	vec_free(&rows->made);
	hash_free(&rows->known);
}

/*
 * A thread in a system call is behind the instruction.  The stack is as before
 * it; if the instruction is the last of its function (the return from a signal
 * handler), the code that follows is another function or none.
 */
static bool is_behind_syscall(struct elf_image *image, uint64_t addr)
{
	uint8_t code[SYSCALL_LENGTH];

	return image &&
	       elf_image_read(image, addr - sizeof code, code, sizeof code) &&
	       code_is_syscall(code);
}

/* Without memory the next lookup makes the row again. */
struct unwind_row rows_make(struct unwind_rows *rows, uint64_t addr)
{
	struct row_of made = {addr, {.kind = ROW_UNKNOWN}};

	if (rows->cfi)
		made.row =
			cfi_row(rows->cfi, is_behind_syscall(rows->image, addr)
						   ? addr - SYSCALL_LENGTH
						   : addr);
	if (vec_reserve(&rows->made, rows->made.n + 1) &&
		hash_add(&rows->known, hash_mix(addr), (uint32_t)rows->made.n))
		rows->made.v[rows->made.n++] = made;
	return made.row;
}
