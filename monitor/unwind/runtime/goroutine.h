/* goroutine.h - from a stack of a thread of Go to the goroutine's. */
#ifndef CPPROF_UNWIND_GOROUTINE_H
#define CPPROF_UNWIND_GOROUTINE_H

#include "monitor/space/address_space.h"
#include "monitor/stack/unwinder.h"

/*
 * C is at a function that has switched stacks for a goroutine, FROM a place
 * that ROW_FROM_... tells: it becomes the function's caller, on the goroutine's
 * stack.  False: that is unknown.
 */
bool goroutine_step(struct snapshot *snapshot,
	const struct address_space *space, int32_t from,
	struct unwind_cursor *c);

#endif
