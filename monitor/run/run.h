/*
 * run.h - one run of the monitor, private to the files that make it up:
 *
 *   monitor.c       from the target's start to the end of the run
 *   setup_timers.c  which timers there are
 *   setup.c         loads, opens and arms them before the target's exec
 *   event_loop.c    the loop between the target's start and its end
 *   summary.c       what the file says of the run as a whole
 *
 * Each file has its own part; they share the other members.
 */
#ifndef CPPROF_RUN_RUN
#define CPPROF_RUN_RUN

#include "monitor/base/collection.h"
#include "monitor/run/event_loop.h"
#include "monitor/run/monitor.h"
#include "monitor/run/priority.h"
#include "monitor/sample/arcs.h"
#include "monitor/run/setup.h"
#include "monitor/run/summary.h"
#include "monitor/launch/control.h"
#include "monitor/launch/spawn.h"

/*
 * What the thread of a run leaves to be done after its end, which alone lets
 * stopped threads of the target go on.
 */
enum rest { REST_NOTHING, REST_LOOP, REST_WAIT };

struct monitor {
	const struct monitor_config *config;
	struct cpd_writer *writer;
	struct spawn spawn;
	char **argv;  /* of the process attached to */
	size_t parts; /* attached to: threads that may lack events */
	struct control control;
	struct collection collection;
	struct priority priority; /* of the thread that runs */
	uint64_t start, ended;
	struct perf_events events;
	struct sampler sampler;
	struct arcs arcs;
	struct run_timers timers; /* setup.c */
	struct loop loop;         /* event_loop.c */
	enum rest rest;
	struct run_totals totals; /* summary.c */
};

#endif
