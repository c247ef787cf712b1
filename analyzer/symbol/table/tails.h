/*
 * tails.h - chains of tail calls: which functions must have been on the way
 * from one that was called to one that was found called.
 *
 * Where a jump leaves a function, in its machine code, it is a tail call, or
 * leads to another piece of the same function.  Those functions are told that
 * are on every way: the chain ends before the first from which several ways
 * lead on.  A jump through a pointer or to another module may lead anywhere.
 *
 * The work is bounded: a function of many bytes, or one more than the bound, is
 * one that may lead anywhere.
 */
#ifndef CPPROF_SYMBOL_TAILS_H
#define CPPROF_SYMBOL_TAILS_H

#include "analyzer/symbol/table/table.h"

#define SYM_TAILS_MAX 8 /* of a chain */

struct sym_tails; /* keeps what it has read of a module's functions */

/* TABLE is borrowed.  NULL: no memory, or the code is of another processor. */
struct sym_tails *sym_tails_new(const struct sym_table *table);
void sym_tails_free(struct sym_tails *tails);

/* What was found called: a function of this module; of another: 0, 0. */
struct sym_goal {
	uint64_t lo, hi;
};

/*
 * The starts of the functions between FROM, the start of one, and GOAL, the
 * outermost first: how many are sure.
 */
size_t sym_tails_between(struct sym_tails *tails, uint64_t from,
	const struct sym_goal *goal, uint64_t between[SYM_TAILS_MAX]);

#endif
