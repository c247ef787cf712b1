/*
 * units.h - the compilation units, by address.
 */
#ifndef CPPROF_SYMBOL_UNITS_H
#define CPPROF_SYMBOL_UNITS_H

#include <elfutils/libdw.h>

#include "lib/vec.h"
#include "analyzer/symbol/table/span.h"

/* How much is looked at in one module: entries and ranges. */
#define SYM_DWARF_WORK_MAX 20000000

struct sym_units {
	VEC(Dwarf_Die) dies; /* of units */
	span_list spans;     /* by address as DWARF has it; id: index in dies */
};

/*
 * Finds the units of DWARF.  .debug_aranges is not asked: clang writes none,
 * and others leave units out.  WORK counts the entries read.  -1 when out of
 * memory; sym_units_fini() is due either way.
 */
int sym_units_init(struct sym_units *units, Dwarf *dwarf, size_t *work);
void sym_units_fini(struct sym_units *units);

#endif
