/*
 * exports.h - the functions that the modules of a run export.
 *
 * A call through the procedure linkage table or the global offset table names a
 * symbol. The dynamic linker looks for it among the dynamic symbols of all
 * modules, in an order that is not known here. So a name counts only where one
 * module of the run has it, at one place.
 *
 * The tables are read on the first question.
 */
#ifndef CPPROF_SYMBOL_EXPORTS_H
#define CPPROF_SYMBOL_EXPORTS_H

#include "analyzer/symbol/task.h"

struct sym_export {
	const char *name; /* the best of its aliases, as
			     analyzer/symbol/table/table.h has it */
	uint32_t module;
	uint64_t lo, hi;
};

struct sym_exports;

/* TASK is borrowed.  NULL when out of memory. */
struct sym_exports *sym_exports_new(const struct sym_task *task);
void sym_exports_free(struct sym_exports *exports);

/*
 * The function that SYMBOL stands for, lent. NULL where no module of the run
 * has one, several have, or a function chooses it (STT_GNU_IFUNC).
 */
const struct sym_export *sym_exports_find(
	struct sym_exports *exports, const char *symbol);

/*
 * Whether MODULE is the dynamic linker. A call may reach it first, for it to
 * look the function up.
 */
bool sym_exports_is_linker(struct sym_exports *exports, uint32_t module);

/* Whether both are the same file. */
bool sym_exports_same(
	const struct sym_exports *exports, uint32_t a, uint32_t b);

#endif
