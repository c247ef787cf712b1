/*
 * setup.h - which timers a run has, armed before the target's exec.
 *
 * A call fails with -1 and sets ERR.
 */
#ifndef CPPROF_RUN_SETUP
#define CPPROF_RUN_SETUP

#include "monitor/run/monitor.h"
#include "monitor/inprocess/preload.h"
#include "monitor/probe/cost.h"
#include "monitor/probe/probe.h"
#include "monitor/contract/family.h"
#include "monitor/timer/contexts/contexts.h"
#include "monitor/timer/stop/stop.h"
#include "monitor/contract/timer.h"

struct run_timers {
	struct timer all[RESOURCES_MAX];
	size_t n;
	struct calls calls[RESOURCES_MAX]; /* of those that count calls */
	unsigned needs;                    /* TIMER_NEEDS_... of all */
	struct preload preload;    /* of those that the target counts itself */
	struct contexts *contexts; /* NULL: they are not counted */
	struct timer_machine machine;
	struct timer_group group;
	struct stop *stop;
	char weaker[MONITOR_WEAKER]; /* a line for each resource whose better
					timers were refused */
	struct probe_cost probes;
	struct err untraced;  /* why tracing ended early; else no reason */
	struct err misplaced; /* why breakpoints could not be set at the exec */
};

/* Chooses a kind of timer for each request.  (setup_timers.c) */
int setup_timers(struct monitor *m, struct err *err);

/* What the target does before its exec; to be called before it is forked. */
void setup_spawn(struct monitor *m);

/*
 * Loads what the timers of a family share.  If the kernel refuses, others are
 * chosen.
 */
int setup_load(struct monitor *m, struct err *err);

/*
 * Opens what the timers need and arms them for the child that m->spawn holds.
 * If a family is refused even now, others are chosen, as in setup_load().
 */
int setup_arm(struct monitor *m, struct err *err);

/* Seizes that child, if timers need it; before its exec. */
int setup_tracing(struct monitor *m, struct err *err);

/*
 * After the exec: waits until what had to wait for it is done.  A failure has
 * ended the target.
 */
int setup_begun(struct monitor *m, struct err *err);

/* Tracks all that runs already, then lets everything count. */
enum monitor_result setup_attached(struct monitor *m, struct err *err);

/* Frees what the timers have, except the perf events. */
void setup_close(struct run_timers *timers);

#endif
