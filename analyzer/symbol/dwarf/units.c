/* units.c - lists the compilation units with their addresses. */

#include <dwarf.h>

#include "analyzer/symbol/dwarf/units.h"

#define UNITS_MAX 1000000

static int claim_unit(struct sym_units *u, Dwarf_Die *die, size_t *work)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	if (!vec_add(&u->dies, *die))
		return -1;
	while ((*work)++ < SYM_DWARF_WORK_MAX &&
		(at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0)
		if (spans_push(&u->spans, lo, hi, (uint32_t)(u->dies.n - 1)) <
			0)
			return -1;
	return 0;
}

int sym_units_init(struct sym_units *units, Dwarf *dwarf, size_t *work)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	*units = (struct sym_units){0};
	while (units->dies.n < UNITS_MAX &&
		dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL) == 0)
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
			dwarf_tag(&die) == DW_TAG_compile_unit &&
			claim_unit(units, &die, work) < 0)
			return -1;
	return spans_flatten(&units->spans);
}

void sym_units_fini(struct sym_units *units)
{
	vec_free(&units->dies);
	vec_free(&units->spans);
}
