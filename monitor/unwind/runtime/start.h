/*
 * start.h - functions of a file that do not return, and the code that starts a
 * program or a thread.
 */
#ifndef CPPROF_UNWIND_START_H
#define CPPROF_UNWIND_START_H

#include "monitor/unwind/runtime/frame.h"

/*
 * The caller of a function that does not return, found by the uses of functions
 * in its file (function_discovery.h).
 */
enum no_cfi_result start_by_uses(struct no_cfi_frame *f);

/*
 * Whether the frame at the cursor, in code of MAPPING without unwind
 * information, is the outermost one of a thread: libc's clone or clone3.
 */
bool start_of_thread(const struct snapshot *snapshot,
	const struct mapping *mapping, const struct unwind_cursor *c);

#endif
