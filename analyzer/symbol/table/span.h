/*
 * span.h - stretches of addresses that may overlap, made searchable.
 *
 * Symbols, unwind entries and compilation units all claim stretches
 * [lo, hi).  spans_flatten() turns such claims into disjoint ones in ascending
 * order, each address going to the claim that starts latest, the smallest of
 * those if several start there, and the one that was pushed last of equals.
 * It takes n log n, whatever the claims are.
 */
#ifndef CPPROF_SYMBOL_SPAN_H
#define CPPROF_SYMBOL_SPAN_H

#include <stdint.h>

#include "lib/vec.h"

struct span {
	uint64_t lo, hi;
	uint32_t id; /* the caller's */
};

typedef VEC(struct span) span_list;

/* Adds a claim; empty ones are left out.  -1 when out of memory. */
int spans_push(span_list *spans, uint64_t lo, uint64_t hi, uint32_t id);

/* -1 when out of memory. */
int spans_flatten(span_list *spans);

/* The one that holds ADDR, or NULL.  Flattened ones only, like the next. */
const struct span *spans_find(const span_list *spans, uint64_t addr);

/* The first that starts above ADDR, or NULL. */
const struct span *spans_next(const span_list *spans, uint64_t addr);

#endif
