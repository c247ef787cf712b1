/*
 * summary.h - what the file says of the run as a whole.
 *
 * A call fails with -1; the writer's error is why.
 */
#ifndef CPPROF_SUMMARY_H
#define CPPROF_SUMMARY_H

#include "monitor/accounting.h"
#include "monitor/monitor.h"

struct run_books {
	struct accounting accounting;
	struct accounting_evidence evidence;
	struct account accounts[RESOURCES_MAX];
};

/* The file's head, and when the run began. */
int summary_head(struct monitor *m);

/* A record for each request; gives each timer its number in the file. */
int summary_resources(struct monitor *m);

/* Exact totals, losses and notes, when all samples are written. */
int summary_end(struct monitor *m, struct err *err);

/* What the run came to. */
void summary_fill(const struct monitor *m, struct monitor_summary *summary);

#endif
