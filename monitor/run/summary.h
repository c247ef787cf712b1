/*
 * summary.h - what the file says of the run as a whole.
 *
 * A call fails with -1, for a writer error.
 */
#ifndef CPPROF_RUN_SUMMARY
#define CPPROF_RUN_SUMMARY

#include "monitor/sample/accounting.h"
#include "monitor/run/monitor.h"

struct run_totals {
	struct accounting accounting;
	struct accounting_evidence evidence;
	struct cpd_usage usage; /* as written, if has_usage */
	bool has_usage;
	struct account accounts[RESOURCES_MAX];
	uint64_t left; /* processes that run on after the target's end */
	pid_t oldest;  /* of them */
};

/* Writes the file's head, with the time when the run began. */
int summary_head(struct monitor *m);

/* Writes a record for each request; gives each timer its number in the file. */
int summary_resources(struct monitor *m);

/*
 * Writes exact totals, losses and notes, when all samples are written.  After a
 * failure loop_failed() tells why.
 */
int summary_end(struct monitor *m);

/* The result of the run. */
void summary_fill(const struct monitor *m, struct monitor_summary *summary);

#endif
