/*
 * exports.h - the functions that the modules of a run offer to others.
 *
 * A call through the procedure linkage table or the global offset table names a
 * symbol, and the dynamic linker finds the function among the dynamic symbols
 * of all modules.  Which module it takes depends on their order; here a name is
 * known only where just one module of the run has it, at one place.
 *
 * The tables are read when first asked for.
 */
#ifndef CPPROF_SYMBOL_EXPORTS_H
#define CPPROF_SYMBOL_EXPORTS_H

#include "analyzer/symbol/out.h"
#include "lib/run_files.h"

struct sym_export {
	const char *name; /* the best of its aliases, as
			     analyzer/symbol/table/table.h has it */
	uint32_t module;
	uint64_t lo, hi;
};

struct sym_exports;

/* Both arguments are borrowed.  NULL when out of memory. */
struct sym_exports *sym_exports_new(
	struct sym_out *out, const struct run_files *files);
void sym_exports_free(struct sym_exports *exports);

/*
 * The function that SYMBOL stands for, lent.  NULL where no module of the run
 * has one or several do, and where the linker calls a function to choose one
 * (STT_GNU_IFUNC).
 */
const struct sym_export *sym_exports_find(
	struct sym_exports *exports, const char *symbol);

/*
 * Whether MODULE is the dynamic linker, which a call may reach in place of its
 * function, to look that up.
 */
bool sym_exports_is_linker(struct sym_exports *exports, uint32_t module);

/* Whether both are the same file. */
bool sym_exports_same(
	const struct sym_exports *exports, uint32_t a, uint32_t b);

#endif
