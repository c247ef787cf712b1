/*
 * units.h - the compilation units that hold some addresses.
 */
#ifndef CPPROF_SYMBOL_UNITS_H
#define CPPROF_SYMBOL_UNITS_H

#include <elfutils/libdw.h>

#include "lib/vec.h"
#include "analyzer/symbol/table/span.h"

struct sym_units {
	VEC(Dwarf_Die) dies; /* of units */
	struct spans spans;  /* by address as DWARF has it; id: index in dies */
	/* What it was made with: */
	Dwarf *dwarf;
	uint64_t bias;
	const uint64_t *addrs;
	size_t n, *work;
};

/*
 * Finds the units of ADDRS[N], less BIAS; all units where .debug_aranges does
 * not know them. WORK counts the entries read. -1 when out of memory;
 * sym_units_fini() is due either way.
 */
int sym_units_init(struct sym_units *units, Dwarf *dwarf, uint64_t bias,
	const uint64_t *addrs, size_t n, size_t *work);
void sym_units_fini(struct sym_units *units);

#endif
