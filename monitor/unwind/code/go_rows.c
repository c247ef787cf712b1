/* Turns the entries of Go's table into rows. */
#include "monitor/unwind/code/go_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/arch/arch.h"
#include "lib/elf/go_table.h"
#include "monitor/unwind/code/code_analysis.h"

struct go_rows {
	struct elf_image *image;
	struct go_table table;
};

struct go_rows *go_rows_open(struct elf_image *image)
{
	struct go_rows *go = calloc(1, sizeof *go);

	if (!go)
		return NULL;
	go->image = image;
	if (go_table_open(&go->table, image))
		return go;
	free(go);
	return NULL;
}

void go_rows_close(struct go_rows *go)
{
	if (go)
		go_table_close(&go->table);
	free(go);
}

static bool is_among(
	const struct go_function *f, const char *const *names, size_t n)
{
	for (size_t i = 0; f->name && i < n; i++)
		if (strcmp(f->name, names[i]) == 0)
			return true;
	return false;
}

/* The row of F, which has switched stacks; that to call the vDSO keeps the
   frame pointer. */
static struct unwind_row row_of_switched(const struct go_function *f)
{
	static const char *const for_goroutine[] = {"runtime.systemstack",
		"runtime.morestack", "runtime.asmcgocall"};
	static const char *const to_vdso[] = {"runtime.nanotime1",
		"runtime.walltime", "time.now", "runtime.vgetrandom1"};
	struct unwind_row row = {.kind = ROW_END};

	if (is_among(f, for_goroutine,
		    sizeof for_goroutine / sizeof *for_goroutine))
		row.cfa = ROW_FROM_GOROUTINE;
	else if (is_among(f, to_vdso, sizeof to_vdso / sizeof *to_vdso))
		row.cfa = ROW_FROM_FRAME;
	return row;
}

/*
 * The row at ADDR of a function that switches stacks.  ADDR is an instruction's
 * address, or a return address less 1, which is none.
 */
static struct unwind_row row_of_switch(
	struct go_rows *go, const struct go_function *f, uint64_t addr)
{
	const struct code_analysis_code code = {code_of_image, go->image};
	struct unwind_row row;

	if (code_analysis_from_entry(&code, f->lo, addr, false, &row) ||
		code_analysis_from_entry(&code, f->lo, addr + 1, false, &row))
		return row;
	return row_of_switched(f);
}

/* The kernel calls it: its caller is a signal frame. */
static bool is_handler(const struct go_function *f)
{
	return f->name && (strcmp(f->name, "runtime.sigtramp") == 0 ||
				  strcmp(f->name, "runtime.cgoSigtramp") == 0);
}

/* The kernel starts the program there; a library's "..._lib" is called. */
static bool is_start(const struct go_function *f)
{
	size_t n = f->name ? strlen(f->name) : 0;

	return n > 4 && strncmp(f->name, "_rt0_", 5) == 0 &&
	       strcmp(f->name + n - 4, "_lib") != 0;
}

/*
 * Whether ADDR is in runtime.clone in the new thread, whose stack begins there.
 * Both threads run the two instructions before it, behind the system call; they
 * count as the old one's.
 */
static bool is_new_thread(
	struct go_rows *go, const struct go_function *f, uint64_t addr)
{
	uint8_t code[256];
	size_t n, at;

	if (!f->name || strcmp(f->name, "runtime.clone") != 0)
		return false;
	n = f->hi - f->lo < sizeof code ? f->hi - f->lo : sizeof code;
	n = elf_image_read_some(go->image, f->lo, code, n);
	at = code_go_new_thread(code, n);
	return at && addr >= f->lo + at;
}

bool go_rows_function(const struct go_rows *go, uint64_t addr, uint64_t *start)
{
	struct go_function f;

	if (!go || !go_table_find(&go->table, addr, &f))
		return false;
	*start = f.lo;
	return true;
}

bool go_rows_stands_for_call(const struct go_rows *go, uint64_t addr)
{
	struct go_function f;

	return go && go_table_find(&go->table, addr, &f) && f.name &&
	       strcmp(f.name, "runtime.systemstack_switch") == 0;
}

bool go_rows_get(struct go_rows *go, uint64_t addr, struct unwind_row *row)
{
	struct go_function f;
	unsigned flags;
	int64_t moved;

	if (!go || !go_table_find(&go->table, addr, &f))
		return false;
	flags = go_table_flags(&go->table, &f);
	if ((flags & GO_OUTERMOST && !is_handler(&f)) || is_start(&f) ||
		is_new_thread(go, &f, addr)) {
		*row = (struct unwind_row){.kind = ROW_END};
		return true;
	}
	if (flags & GO_SWITCHES) {
		*row = row_of_switch(go, &f, addr);
		return true;
	}
	if (!go_table_moved(&go->table, &f, addr, &moved) || moved < 0 ||
		moved > INT32_MAX - 8)
		return false;
	*row = (struct unwind_row){
		.kind = ROW_SP, .fp = ROW_FP_SAME, .cfa = (int32_t)moved + 8};
	return true;
}
