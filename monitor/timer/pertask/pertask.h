/* pertask.h - timers on per-task perf events; impl: struct perf_events. */
#ifndef CPPROF_TIMER_PERTASK_H
#define CPPROF_TIMER_PERTASK_H

#include "monitor/contract/timer.h"

extern const struct timer_kind pertask_timer, breakpoint_timer;

#endif
