/*
 * call_timer.h - the two kinds of timers that count calls.
 *
 * breakpoint_timer: hardware breakpoints, per task.  Four addresses of the
 * target's executable at once, for any user.  Where they are is known only
 * after the exec, so that a launched target stands still there for a moment
 * (TIMER_NEEDS_EXEC).  They end where a process becomes another program.
 *
 * uprobe_timer: uprobes, on all processors.  Any function of any file, for
 * root.
 */
#ifndef CPPROF_PROBE_CALL_TIMER_H
#define CPPROF_PROBE_CALL_TIMER_H

#include "monitor/probe/probe.h"
#include "monitor/timer/timer.h"

extern const struct timer_kind breakpoint_timer, uprobe_timer;

#define CALLS_REGISTERS 4 /* breakpoints that the processor has */

/*
 * The kind that can count CALLS of REQUEST here, *REGISTERS of the breakpoints
 * being taken already; takes what it needs.  Where others have too many of them
 * and uprobes can be had, these (calls->crowded).  NULL with the reason in WHY.
 */
const struct timer_kind *probe_timer_choose(
	const struct resource_request *request, struct calls *calls,
	enum timer_choice choice, size_t *registers, struct err *why);

/*
 * The target PID stands behind its exec: sets the timer's breakpoints, which
 * count from now on unless COLLECT is false.
 */
int probe_timer_place(
	struct timer *timer, pid_t pid, bool collect, struct err *err);

#endif
