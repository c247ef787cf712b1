/*
 * awaits.h - who awaits the task that a thread executes, in asyncio's event
 * loop: the coroutines of the task that awaits it, those of the task that
 * awaits that one, and so on; and for which tasks the loop waits.
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

/* A frame that may be an event loop's, what it calls, the thread's state. */
struct event_loop {
	uint64_t frame, callee, state;
};

/*
 * If LOOP is one and waits, FRAMES gets those of a task that waits there, drawn
 * at random, and of what awaits that one: so each task has an equal part of the
 * loop's wait.  One that waits for another (for its end, for a lock, for a
 * queue) is drawn only where none is found that waits for more.  KNOWN is where
 * the thread's tasks were the last time, 0 at first.  False: no memory.
 */
bool awaits_draw(const struct stopped_thread *thread,
	const struct event_loop *loop, uint64_t *known, await_frames *frames);

#endif
