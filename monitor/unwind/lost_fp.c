/* The distance of fp from sp, by the instructions of a function's start. */
#include "monitor/unwind/lost_fp.h"

#include "lib/arch/arch.h"
#include "monitor/unwind/code/code.h"
#include "monitor/unwind/code/return_address.h"

/* The key of what was found about an address. */
#define BY_SP (1ull << 62)

/*
 * Makes the row at link-time ADDR by what its function pushes up to there.
 * Where that begins as a function does: a part of one that lies elsewhere
 * begins with a frame.
 */
static bool make_row(
	struct module *module, uint64_t addr, struct unwind_row *row)
{
	struct code_analysis_code source = {code_of_image, module->image};
	const struct unwind_code *code = unwind_code(module);
	struct unwind_row first;
	uint64_t start;

	if (!code || !cfi_function(code->cfi, addr - 1, &start))
		return false;
	first = unwind_row(module, start);
	return first.kind == ROW_SP && first.cfa == -RETURN_FROM_CFA &&
	       code_analysis_from_entry(&source, start, addr, true, row);
}

struct unwind_row lost_fp_row(struct snapshot *snapshot,
	const struct address_space *space, const struct mapping *mapping,
	const struct unwind_cursor *c, struct unwind_row row)
{
	uint64_t addr = c->ip - mapping->bias, ip;
	struct analysed *known;

	if (!mapping->module->image)
		return row;
	known = unwind_analysed(mapping->module, addr | BY_SP);
	if (known && !known->made) {
		known->made = true;
		known->n = make_row(mapping->module, addr, &known->rows[0]);
	}
	if (!known || !known->n || known->rows[0].fp != row.fp ||
		!snapshot_read(snapshot,
			c->sp + (uint64_t)(int64_t)known->rows[0].cfa +
				RETURN_FROM_CFA,
			&ip) ||
		return_to(snapshot, space, ip, c->ip, NULL) == TRUST_NONE)
		return row;
	return known->rows[0];
}
