/* span.c - flattens overlapping stretches of addresses by a sweep. */
#include <stdbool.h>
#include <stdlib.h>

#include "lib/lower_bound.h"
#include "lib/order.h"

#include "analyzer/symbol/table/span.h"

int spans_push(span_list *spans, uint64_t lo, uint64_t hi, uint32_t id)
{
	if (lo >= hi)
		return 0;
	return vec_add(spans, (struct span){lo, hi, id}) ? 0 : -1;
}

struct keyed {
	struct span span;
	size_t order;
};

static int by_lo(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	return ORDER(x->span.lo, y->span.lo) ?: ORDER(y->span.hi, x->span.hi)
	       ?: ORDER(x->order, y->order);
}

/*
 * Gives out what lies between *AT and UNTIL to the claims on the stack, the
 * topmost first, and drops those that end there.
 */
static int drain(span_list *flat, struct span *stack, size_t *depth,
	uint64_t *at, uint64_t until)
{
	while (*depth > 0 && *at < until) {
		struct span *top = &stack[*depth - 1];
		uint64_t hi = top->hi < until ? top->hi : until;

		if (hi > *at) {
			if (spans_push(flat, *at, hi, top->id) < 0)
				return -1;
			*at = hi;
		}
		if (top->hi <= *at)
			--*depth;
	}
	return 0;
}

static int sweep(span_list *flat, const struct keyed *sorted, size_t n,
	struct span *stack)
{
	size_t depth = 0;
	uint64_t at = 0;

	for (size_t i = 0; i < n; i++) {
		if (drain(flat, stack, &depth, &at, sorted[i].span.lo) < 0)
			return -1;
		at = sorted[i].span.lo;
		/* The claims that this one hides to their end are done. */
		while (depth > 0 && stack[depth - 1].hi <= sorted[i].span.hi)
			depth--;
		stack[depth++] = sorted[i].span;
	}
	return drain(flat, stack, &depth, &at, UINT64_MAX);
}

/* Most tables are in order as they are. */
static bool in_order(const struct keyed *claims, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (by_lo(&claims[i - 1], &claims[i]) > 0)
			return false;
	return true;
}

int spans_flatten(span_list *spans)
{
	struct keyed *sorted = calloc(spans->n + 1, sizeof *sorted);
	struct span *stack = calloc(spans->n + 1, sizeof *stack);
	span_list flat = {0};
	int rc = -1;

	if (!sorted || !stack)
		goto out;
	for (size_t i = 0; i < spans->n; i++)
		sorted[i] = (struct keyed){spans->v[i], i};
	if (!in_order(sorted, spans->n))
		qsort(sorted, spans->n, sizeof *sorted, by_lo);
	if (sweep(&flat, sorted, spans->n, stack) < 0)
		goto out;
	vec_free(spans);
	*spans = flat;
	flat = (span_list){0};
	rc = 0;
out:
	vec_free(&flat);
	free(stack);
	free(sorted);
	return rc;
}

/* How many start at or below ADDR. */
static size_t rank(const span_list *spans, uint64_t addr)
{
	return LOWER_BOUND(spans->n, i, spans->v[i].lo <= addr);
}

const struct span *spans_find(const span_list *spans, uint64_t addr)
{
	size_t i = rank(spans, addr);

	return i > 0 && addr < spans->v[i - 1].hi ? &spans->v[i - 1] : NULL;
}

const struct span *spans_next(const span_list *spans, uint64_t addr)
{
	size_t i = rank(spans, addr);

	return i < spans->n ? &spans->v[i] : NULL;
}
