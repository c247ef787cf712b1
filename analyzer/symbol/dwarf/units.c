/* units.c - finds the compilation units of addresses. */
#include "config.h"

#include <dwarf.h>
#include <stdlib.h>

#include "analyzer/symbol/dwarf/units.h"
#include "analyzer/symbol/dwarf/work.h"

#define UNITS_MAX 1000000

struct offsets { /* of units in .debug_info */
	Dwarf_Off *v;
	size_t n, cap;
};

static int claim_unit(struct sym_units *u, Dwarf_Die *die)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	Dwarf_Die *unit = vec_push(&u->dies);

	if (!unit)
		return -1;
	*unit = *die;
	while ((*u->work)++ < SYM_DWARF_WORK_MAX &&
		(at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		if (spans_push(&u->spans, lo, hi, (uint32_t)(u->dies.n - 1)) <
			0)
			return -1;
	}
	return 0;
}

static int claim_all_units(struct sym_units *u)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	u->dies.n = u->spans.n = 0;
	while (u->dies.n < UNITS_MAX && dwarf_get_units(u->dwarf, cu, &cu, NULL,
						&type, &die, NULL) == 0) {
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
			dwarf_tag(&die) == DW_TAG_compile_unit &&
			claim_unit(u, &die) < 0)
			return -1;
	}
	return spans_flatten(&u->spans);
}

static int by_offset(const void *a, const void *b)
{
	Dwarf_Off x = *(const Dwarf_Off *)a, y = *(const Dwarf_Off *)b;

	return x < y ? -1 : x > y;
}

/* Takes the units that .debug_aranges gives for the addresses. */
static int list_units(struct sym_units *u, struct offsets *units)
{
	Dwarf_Aranges *aranges;
	size_t n;

	if (dwarf_getaranges(u->dwarf, &aranges, &n) != 0)
		return 0;
	for (size_t i = 0; i < u->n; i++) {
		Dwarf_Arange *range =
			dwarf_getarange_addr(aranges, u->addrs[i] - u->bias);
		Dwarf_Off offset, *to;

		if (dwarf_getarangeinfo(range, NULL, NULL, &offset) != 0 ||
			(units->n && units->v[units->n - 1] == offset))
			continue;
		to = vec_push(units);
		if (!to)
			return -1;
		*to = offset;
	}
	if (units->n)
		qsort(units->v, units->n, sizeof *units->v, by_offset);
	return 0;
}

static int claim_listed(struct sym_units *u, const struct offsets *units)
{
	for (size_t i = 0; i < units->n; i++) {
		Dwarf_Die die;

		if (i > 0 && units->v[i] == units->v[i - 1])
			continue;
		if (dwarf_offdie(u->dwarf, units->v[i], &die) &&
			dwarf_tag(&die) == DW_TAG_compile_unit &&
			claim_unit(u, &die) < 0)
			return -1;
	}
	return spans_flatten(&u->spans);
}

/*
 * .debug_aranges saves opening every unit, but compilers may omit it or omit
 * units from it. If an address is missed, all units are asked.
 */
static int claim_units(struct sym_units *u)
{
	struct offsets units = {0};
	int rc = list_units(u, &units);

	if (rc == 0)
		rc = claim_listed(u, &units);
	vec_free(&units);
	for (size_t i = 0; i < u->n && rc == 0; i++) {
		if (!spans_find(&u->spans, u->addrs[i] - u->bias))
			return claim_all_units(u);
	}
	return rc;
}

int sym_units_init(struct sym_units *units, Dwarf *dwarf, uint64_t bias,
	const uint64_t *addrs, size_t n, size_t *work)
{
	*units = (struct sym_units){.dwarf = dwarf,
		.bias = bias,
		.addrs = addrs,
		.n = n,
		.work = work};
	return claim_units(units);
}

void sym_units_fini(struct sym_units *units)
{
	vec_free(&units->dies);
	vec_free(&units->spans);
}
