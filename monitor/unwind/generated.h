/*
 * generated.h - frames of generated code by a chain of frame pointers.
 *
 * For unwind_no_cfi() (unwind.h), where no call stands before a return address.
 */
#ifndef CPPROF_UNWIND_GENERATED_H
#define CPPROF_UNWIND_GENERATED_H

#include "monitor/unwind/unwind.h"

/* Whether ADDR is executable and in no file. */
bool unwind_is_generated(const struct address_space *space, uint64_t addr);

/* Whether a chain of frame pointers begins at FP. */
bool unwind_chain_holds(struct snapshot *snapshot,
	const struct address_space *space, uint64_t fp);

/*
 * The stack pointer of the caller of the frame at FP; the caller's frame is at
 * SAVED.
 */
uint64_t unwind_sender(struct snapshot *snapshot, uint64_t fp, uint64_t saved);

/* The caller of the frame at C, if it keeps the frame pointer and a chain
   holds. */
bool unwind_by_chain(struct snapshot *snapshot,
	const struct address_space *space, struct unwind_cursor *c);

/*
 * The caller of the frame at C, if the thread is on its way into HotSpot's
 * interpreter: an adapter moves the arguments, or the interpreter makes room
 * for variables.  A register has the return address, another one the caller's
 * stack pointer.
 */
bool unwind_entered(struct snapshot *snapshot,
	const struct address_space *space, struct unwind_cursor *c);

/* The same just after a call: the return address is on top of the stack. */
bool unwind_called(struct snapshot *snapshot, const struct address_space *space,
	struct unwind_cursor *c);

/*
 * The caller of the frame at C, of HotSpot's interpreter, where it goes on
 * after a call.
 */
bool unwind_interpreted(struct snapshot *snapshot,
	const struct address_space *space, struct unwind_cursor *c);

#endif
