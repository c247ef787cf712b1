/*
 * callee.h - whether a return address fits the frame that it was found for: the
 * call before it has to lead to that frame's function.
 */
#ifndef CPPROF_UNWIND_CALLEE_H
#define CPPROF_UNWIND_CALLEE_H

#include "monitor/space/address_space.h"
#include "monitor/stack/unwinder.h"

/* The function that the instruction before IP calls directly; 0: none. */
uint64_t callee_of(const struct address_space *space, uint64_t ip);

/* The start of the function at C; 0: unknown. */
uint64_t callee_start(
	const struct address_space *space, const struct unwind_cursor *c);

/*
 * Whether IP is behind a direct call of another function than that at C, which
 * does not jump there either: then the frame at C has returned.
 */
bool callee_is_another(struct snapshot *snapshot,
	const struct address_space *space, const struct unwind_cursor *c,
	uint64_t ip);

#endif
