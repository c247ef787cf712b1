/*
 * run.h - one run of the monitor, private to the files that make it up:
 *
 *   monitor.c  the door: from the target's start to what is left of it
 *   monitor/setup.c  which timers there are, armed before the target's exec
 *   monitor/event_loop.c  the loop between the target's start and its end
 *   monitor/summary.c   what the file says of the run as a whole
 *
 * A call fails with -1 and sets ERR where it takes one; where it takes none
 * the writer's error, or else a lack of memory, is the reason.
 */
#ifndef CPPROF_RUN_H
#define CPPROF_RUN_H

#include <poll.h>
#include <stdint.h>

#include "lib/clock.h"
#include "monitor/perf/aside.h"
#include "monitor/accounting.h"
#include "monitor/probe/probe.h"
#include "monitor/target/control.h"
#include "monitor/target/spawn.h"
#include "monitor/monitor.h"
#include "monitor/collection.h"
#include "monitor/priority.h"
#include "monitor/sampler.h"
#include "monitor/timer/stop/stop_timer.h"
#include "monitor/timer/stop/tracer.h"
#include "monitor/timer/stop/poller.h"

struct monitor {
	const struct monitor_config *config;
	struct cpd_writer *writer;
	struct spawn spawn;
	struct perf_events events;
	struct timer_group group;
	struct err refused; /* why better timers are not; else no reason */
	struct timer timers[RESOURCES_MAX];
	struct calls calls[RESOURCES_MAX]; /* of those that count calls */
	size_t armed;                      /* the first of them */
	unsigned needs; /* of all their kinds: TIMER_NEEDS_... */
	struct probe_cost probes;
	struct sampler sampler;
	struct accounting accounting;
	struct collection collection;
	struct control control;
	struct stop_timers stops;
	struct tracer tracer;
	struct poller poller;
	bool more;        /* the tracer has more to do */
	bool behind;      /* the rings have more to read */
	bool misplaced;   /* breakpoints could not be set at the exec */
	struct err why;   /* ... and that is why */
	char **argv;      /* of the process attached to */
	uint64_t engaged; /* when the tracer last looked for who is not */
	VEC(struct pollfd) polled;
	struct aside aside;
	struct priority priority; /* of the thread that runs */
	uint64_t start, ended, told, looked;
	uint64_t flush, flush_every; /* when next, and how often, ns */
	struct accounting_evidence evidence;
	struct account accounts[RESOURCES_MAX];
};

/* Chooses a kind of timer for each request. */
int setup_timers(struct monitor *m, struct err *err);

/*
 * Loads what the timers of a family share.  Where it is refused, others are
 * chosen and m->needs is another.
 */
int setup_load(struct monitor *m, struct err *err);

/*
 * Opens what the timers need and arms them for the child m->launch holds.
 * Where a family is refused even now, others are chosen, as by
 * setup_load().
 */
int setup_arm(struct monitor *m, struct err *err);

/* Seizes that child, if timers need it; before its exec. */
int setup_tracing(struct monitor *m, struct err *err);

/*
 * Behind the exec: waits until what had to wait for it is done.  A failure has
 * ended the target.
 */
int setup_begun(struct monitor *m, struct err *err);

/* Watches all that runs already, then lets everything count. */
enum monitor_result setup_attached(struct monitor *m, struct err *err);

/* To be called once the timers are armed. */
int loop_prepare(struct monitor *m);

/* Handles all records and stops to the end of the run. */
int loop_to_end(struct monitor *m);

/* For the tracer: handles what the rings have of the moment of a stop. */
int loop_catch_up(void *monitor);

/* The file cannot be written: lets the target end as if it were alone. */
void loop_nothing(struct monitor *m);

/* The file's head, and when the run began. */
int summary_head(struct monitor *m);

/* A record for each request; gives each timer its number in the file. */
int summary_resources(struct monitor *m);

/* Exact totals, losses and notes, when all samples are written. */
int summary_end(struct monitor *m, struct err *err);

/* What the run came to. */
void summary_fill(const struct monitor *m, struct monitor_summary *summary);

#endif
