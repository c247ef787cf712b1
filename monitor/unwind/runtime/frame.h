/*
 * frame.h - a frame in code without unwind information (generated code,
 * assembly, what a linker script dropped), and the means that find its caller.
 *
 * Each means is one function over such a frame; no_cfi.c has them in the order
 * in which they are tried, and for which code.  Those of one runtime (HotSpot,
 * start code, stacks made by hand) are a file here.
 */
#ifndef CPPROF_UNWIND_FRAME_H
#define CPPROF_UNWIND_FRAME_H

#include "monitor/stack/unwinder.h"
#include "monitor/unwind/code/code.h"
#include "monitor/unwind/code/return_address.h"

enum no_cfi_result { NO_CFI_NONE, NO_CFI_CALLER, NO_CFI_END };

struct no_cfi_frame {
	struct snapshot *snapshot;
	const struct address_space *space;
	const struct mapping *mapping; /* of the code */
	struct unwind_cursor *c; /* becomes the caller's if one is found */
	/* The rows that its instructions give; NULL: none, or not looked for
	   yet. */
	const struct analysed *slot;
};

/* Whether the code is in no file. */
static inline bool frame_is_generated(const struct no_cfi_frame *f)
{
	return !f->mapping->module->image;
}

/* The caller by ROW; false: there is none. */
bool frame_apply(const struct no_cfi_frame *f, struct unwind_row row,
	struct unwind_cursor *next);

/* The same, and how far to trust it. */
enum return_trust frame_try(const struct no_cfi_frame *f, struct unwind_row row,
	struct unwind_cursor *next);

/* Goes to NEXT; for those that return what they found. */
static inline enum no_cfi_result frame_go(
	const struct no_cfi_frame *f, const struct unwind_cursor *next)
{
	*f->c = *next;
	return NO_CFI_CALLER;
}

#endif
