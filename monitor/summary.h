/*
 * summary.h - what the file says of the run as a whole.
 *
 * A call fails with -1, for a writer error.
 */
#ifndef CPPROF_SUMMARY_H
#define CPPROF_SUMMARY_H

#include "monitor/accounting.h"
#include "monitor/monitor.h"

struct run_totals {
	struct accounting accounting;
	struct accounting_evidence evidence;
	struct account accounts[RESOURCES_MAX];
};

/* Writes the file's head, with the time when the run began. */
int summary_head(struct monitor *m);

/* Writes a record for each request; gives each timer its number in the file. */
int summary_resources(struct monitor *m);

/* Writes exact totals, losses and notes, when all samples are written. */
int summary_end(struct monitor *m, struct err *err);

/* The result of the run. */
void summary_fill(const struct monitor *m, struct monitor_summary *summary);

#endif
