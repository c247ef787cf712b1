/*
 * fold.h - which recursive calls lead back to a context around them.
 *
 * A call path profile cuts a path back where a function occurs in it again.  So
 * from some depth on a recursion only repeats paths that the stack has had
 * already.  A call leads back to a context with the same last call if for each
 * root the cut-back path is the same there and the stack in between adds none:
 * then no profile can tell the two stacks apart, now or after any further
 * calls.  There are finitely many contexts that differ.
 *
 * That takes time and room in proportion to the square of the depth.  Beyond
 * FOLD_DEPTH calls, or in a program with very many contexts, less is asked:
 * that the stack in between has no function that is not around it, too.  Then
 * callers, functions and bodies are still exact; of the longer paths some are
 * missing.
 */
#ifndef CPPROF_INPROCESS_FOLD_H
#define CPPROF_INPROCESS_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#define FOLD_DEPTH 128

struct fold_call {
	uint64_t callee, site;
};

struct fold { /* room to work in; its contents do not matter */
	struct fold_call calls[FOLD_DEPTH + 1];
	uint64_t visited[FOLD_DEPTH + 1];
	uint64_t path[FOLD_DEPTH + 1]; /* hashes of the cut-back path's parts */
	uint16_t function[FOLD_DEPTH + 1]; /* number of calls[i]'s */
	uint16_t at[FOLD_DEPTH + 1]; /* where a function is in it, + 1; or 0 */
	uint16_t on[FOLD_DEPTH + 1]; /* which function is there */
};

/*
 * FOLD->calls[0] to [N] are a stack, outermost first, the last one the call
 * that is new, N at most FOLD_DEPTH.  The index of the call to whose context it
 * leads back; N: to none.
 */
unsigned fold_find(struct fold *fold, unsigned n)
	__attribute__((visibility("hidden")));

#endif
