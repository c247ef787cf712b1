/*
 * code.h - what unwinding keeps of a module: made at its first frame, freed
 * with the module, or for generated code when its process ends.
 */
#ifndef CPPROF_UNWIND_CODE_H
#define CPPROF_UNWIND_CODE_H

#include "lib/arch/arch.h"
#include "lib/set.h"
#include "monitor/space/address_space.h"
#include "monitor/space/module.h"
#include "monitor/unwind/code/code_analysis.h"
#include "monitor/unwind/code/function_discovery.h"
#include "monitor/unwind/code/rows.h"

/* The rows of an address; for generated code its bytes are part of the key. */
struct analysed {
	uint64_t key;
	bool made; /* N is known */
	uint32_t n;
	struct unwind_row rows[CODE_ANALYSIS_ROWS];
};

#define CODE_PAGES 256 /* kept, by number */

/* Generated code as it was when it was last read. */
struct code_page {
	uint64_t addr; /* 0: none */
	uint8_t bytes[PAGE_BYTES];
};

struct unwind_code {
	struct unwind_rows rows, exact;
	struct cfi *cfi;                /* NULL: none */
	struct function_starts *starts; /* NULL: none, or not looked for */
	bool starts_tried;
	SET_OF(struct analysed) analysed; /* without CFI */
	struct code_page *pages;          /* CODE_PAGES; NULL: none yet */
};

/* Makes it; NULL: no memory. */
struct unwind_code *unwind_code_new(struct module *module);

/* The code of MODULE; NULL: no memory. */
static inline struct unwind_code *unwind_code(struct module *module)
{
	return module->code ? module->code : unwind_code_new(module);
}

/* The row at a link-time address. */
static inline struct unwind_row unwind_row(struct module *module, uint64_t addr)
{
	struct unwind_code *code = unwind_code(module);

	return code ? rows_get(&code->rows, addr)
		    : (struct unwind_row){.kind = ROW_UNKNOWN};
}

/* The same where a thread is, and not a call's return address less 1. */
static inline struct unwind_row unwind_exact_row(
	struct module *module, uint64_t addr)
{
	struct unwind_code *code = unwind_code(module);

	return code ? rows_get(&code->exact, addr)
		    : (struct unwind_row){.kind = ROW_UNKNOWN};
}

/* cfi_stands_for_call() */
static inline bool unwind_stands_for_call(struct module *module, uint64_t addr)
{
	const struct unwind_code *code = unwind_code(module);

	return code && cfi_stands_for_call(code->cfi, addr);
}

/* Whether unwind information has a function that begins at IP. */
bool unwind_begins_function(const struct address_space *space, uint64_t ip);

/* The entry for KEY, good until the next call; NULL: no memory. */
struct analysed *unwind_analysed(struct module *module, uint64_t key);

#endif
