/*
 * lost_fp.h - frames whose frame pointer (fp) is unknown.
 *
 * Of a thread that waits and is not stopped only the stack and instruction
 * pointers are known (monitor/timer/stop/blocked.h).  In code that keeps a
 * frame pointer unwind information counts from that.  The instructions tell how
 * far the stack pointer is from it; the frame has the caller's.
 */
#ifndef CPPROF_UNWIND_LOST_FP_H
#define CPPROF_UNWIND_LOST_FP_H

#include "monitor/space/address_space.h"
#include "monitor/stack/unwinder.h"
#include "monitor/unwind/code/row.h"

/*
 * ROW of the frame at the cursor C, in code of MAPPING, counted from its stack
 * pointer; ROW itself where the instructions do not tell that.
 */
struct unwind_row lost_fp_row(struct snapshot *snapshot,
	const struct address_space *space, const struct mapping *mapping,
	const struct unwind_cursor *c, struct unwind_row row);

#endif
