/* A table of rows by address, filled on demand. */
#include "monitor/unwind/code/rows.h"

#include <string.h>

#include "lib/arch/arch.h"

void rows_fini(struct unwind_rows *rows)
{
	hash_free(&rows->known);
}

/*
 * A thread in a system call is behind the instruction.  The stack is as before
 * it; if the instruction is the last of its function (the return from a signal
 * handler), the code that follows is another function or none.  Only there the
 * file is read, whose code is larger than what is kept of it.
 */
static bool is_behind_syscall(const struct unwind_rows *rows, uint64_t addr)
{
	struct elf_image *image = rows->image;
	uint8_t code[SYSCALL_LENGTH];
	uint64_t start;

	if (cfi_function(rows->cfi, addr, &start) && start != addr)
		return false;
	return image &&
	       elf_image_read(image, addr - sizeof code, code, sizeof code) &&
	       code_is_syscall(code);
}

static bool fits(uint64_t addr, struct unwind_row row)
{
	struct unwind_row back = row_unpack(row_pack(row));

	return !(addr >> 32) && row.cfa < ROW_CFA_MOST - 8 &&
	       row.cfa >= -ROW_CFA_MOST && !memcmp(&row, &back, sizeof row);
}

/* Without memory the next lookup makes the row again. */
struct unwind_row rows_make(struct unwind_rows *rows, uint64_t addr)
{
	struct unwind_row row = {.kind = ROW_UNKNOWN};

	if (rows->cfi)
		row = cfi_row(rows->cfi, is_behind_syscall(rows, addr)
						 ? addr - SYSCALL_LENGTH
						 : addr);
	if (fits(addr, row))
		hash_add(&rows->known, row_hash(addr), row_pack(row));
	return row;
}
