/*
 * awaits.h - who awaits the task that a thread executes, in asyncio's event
 * loop: the coroutines of the task that awaits it, those of the task that
 * awaits that one, and so on.
 *
 * A task that waits is in no stack.  It has left a callback at what it awaits:
 * itself (await), or one that leads to it by way of a future or of a group
 * (gather(), shield(), wait(), wait_for(), TaskGroup).
 *
 * The thread stands still.  What cannot be read, or does not agree with what
 * was read elsewhere, ends the way, and so does a task that several await.
 */
#ifndef CPPROF_INTERPRETER_AWAITS_H
#define CPPROF_INTERPRETER_AWAITS_H

#include "lib/vec.h"
#include "monitor/interpreter/frames.h"

typedef VEC(uint64_t) await_frames; /* their addresses, innermost first */

/*
 * If the coroutine that has FRAME is the first one of a task, and CALLER, a
 * frame outside of that activation, is the event loop's that executes it,
 * FRAMES gets what awaits that task.  False: no memory.
 */
bool awaits_find(const struct stopped_thread *thread, uint64_t frame,
	uint64_t caller, await_frames *frames);

#endif
