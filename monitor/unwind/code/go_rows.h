/*
 * go_rows.h - rows for Go code, from the table that Go's runtime uses itself.
 *
 * For each instruction Go keeps how far the stack pointer has moved
 * (go_table.h). That is right at every one: its profiler and its garbage
 * collector rely on it. It also marks the functions that have no caller
 * (goexit, mstart, rt0_go) and those that set the stack pointer (systemstack,
 * mcall, morestack, asmcgocall).  The callers of the latter lie on another
 * stack, a goroutine's.  So a stack ends there, except at an instruction that
 * comes before any change of the stack pointer; the row tells where the
 * goroutine's function is (left_goroutine.h), if this one works for it.
 */
#ifndef CPPROF_UNWIND_GO_ROWS_H
#define CPPROF_UNWIND_GO_ROWS_H

#include "lib/elf/elf_image.h"
#include "monitor/unwind/code/row.h"

struct go_rows;

/* NULL: IMAGE is no Go program, or no memory.  Borrows IMAGE. */
struct go_rows *go_rows_open(struct elf_image *image);
void go_rows_close(struct go_rows *go);

/*
 * The row at ADDR.  False, and ROW is unchanged, where the table has none; GO
 * may be NULL.
 */
bool go_rows_get(struct go_rows *go, uint64_t addr, struct unwind_row *row);

/* Where the function that holds ADDR begins; false and NULL as above. */
bool go_rows_function(const struct go_rows *go, uint64_t addr, uint64_t *start);

/* As cfi_stands_for_call(). */
bool go_rows_stands_for_call(const struct go_rows *go, uint64_t addr);

#endif
