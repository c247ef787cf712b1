/*
 * called.c - functions in code without symbols and unwind information.
 *
 * Nothing bounds the hundreds of functions of a stripped busybox. But where a
 * direct call led to an address of the run, its target is the start of a
 * function. If no other function starts between the two, the address is in that
 * one, which extends to the last such address.
 */

#include <stdlib.h>

#include "analyzer/symbol/table/call.h"
#include "lib/lower_bound.h"
#include "lib/order.h"

#define LONGEST (64u << 10) /* longest function that is believed */

struct function_range {
	uint64_t lo, hi; /* hi 0: no address is known to be in it */
};

typedef VEC(struct function_range) function_ranges;

static bool is_unknown(const struct sym_table *table, uint64_t addr)
{
	struct sym_function f = sym_table_find(table, addr);

	return !f.name && f.hi - f.lo == 1 && sym_table_code(table, addr);
}

/* Whether CALL is direct, from unknown code or not, and into unknown code. */
static bool leads_into_unknown(const struct sym_table *table,
	const struct sym_call *call, uint64_t *start)
{
	return call->callee_module == call->module &&
	       sym_call_direct(table, call->addr + 1, start) &&
	       is_unknown(table, *start);
}

static int list_starts(const struct sym_table *table,
	const struct sym_call *calls, size_t n, function_ranges *starts)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct function_range start = {0};

		if (leads_into_unknown(table, &calls[i], &start.lo) &&
			!vec_add(starts, start))
			return -1;
	}
	if (starts->n)
		qsort(starts->v, starts->n, sizeof *starts->v, order_u64);
	for (size_t i = 0; i < starts->n; i++)
		if (kept == 0 || starts->v[kept - 1].lo != starts->v[i].lo)
			starts->v[kept++] = starts->v[i];
	starts->n = kept;
	return 0;
}

/* Whether ADDR is in what starts at START: nothing else is in between. */
static bool reaches(const struct sym_table *table,
	const function_ranges *starts, const struct function_range *start,
	uint64_t addr)
{
	uint64_t next = frames_next(table->frames, start->lo);

	for (size_t i = 0; i < SYM_RANKS; i++) {
		const struct span *span =
			spans_next(&table->ranks[i], start->lo);

		if (span && span->lo < next)
			next = span->lo;
	}
	return addr >= start->lo && addr - start->lo < LONGEST &&
	       (start + 1 == starts->v + starts->n || start[1].lo > addr) &&
	       next > addr && is_unknown(table, addr);
}

/* Extends the functions to the addresses that calls of them led to. */
static void stretch(const struct sym_table *table, function_ranges *starts,
	const struct sym_call *calls, size_t n)
{
	for (size_t i = 0; i < n && starts->n; i++) {
		struct function_range *start;
		uint64_t lo;

		if (!leads_into_unknown(table, &calls[i], &lo))
			continue;
		start = starts->v +
			LOWER_BOUND(starts->n, k, starts->v[k].lo < lo);
		if (start < starts->v + starts->n && start->lo == lo &&
			calls[i].callee >= start->hi &&
			reaches(table, starts, start, calls[i].callee))
			start->hi = calls[i].callee + 1;
	}
}

int sym_called_add(
	struct sym_table *table, const struct sym_call *calls, size_t n)
{
	function_ranges starts = {0};
	int rc = list_starts(table, calls, n, &starts);

	if (rc == 0)
		stretch(table, &starts, calls, n);
	for (size_t i = 0; i < starts.n && rc == 0; i++) {
		struct sym_function f = {.lo = starts.v[i].lo,
			.hi = starts.v[i].hi,
			.source = CPD_NAME_NONE};

		if (f.hi > f.lo)
			rc = sym_table_add(table, SYM_CALLED, &f);
	}
	vec_free(&starts);
	return rc == 0 ? spans_flatten(&table->ranks[SYM_CALLED]) : -1;
}
