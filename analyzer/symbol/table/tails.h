/*
 * tails.h - chains of tail calls: the functions that must lie between the one
 * that was called and the one that was found called.
 *
 * A jump out of a function's machine code is a tail call, or leads to another
 * piece of the same function. A function counts if it is on every way: the
 * chain ends before the first one with several ways on. A jump through a
 * pointer or to another module may lead anywhere.
 *
 * The work is bounded: a function of too many bytes, or one function too many,
 * may lead anywhere.
 */
#ifndef CPPROF_SYMBOL_TAILS_H
#define CPPROF_SYMBOL_TAILS_H

#include "analyzer/symbol/table/table.h"

#define SYM_TAILS_MAX 8 /* of a chain */

struct sym_tails; /* caches what it has read of a module's functions */

/* TABLE is borrowed.  NULL: no memory, or the code is of another processor. */
struct sym_tails *sym_tails_new(const struct sym_table *table);
void sym_tails_free(struct sym_tails *tails);

/* The function that was found called, of this module; of another: 0, 0. */
struct sym_goal {
	uint64_t lo, hi;
};

/*
 * Fills BETWEEN with the starts of the functions between FROM, the start of
 * one, and GOAL, outermost first; returns how many are certain.
 */
size_t sym_tails_between(struct sym_tails *tails, uint64_t from,
	const struct sym_goal *goal, uint64_t between[SYM_TAILS_MAX]);

#endif
