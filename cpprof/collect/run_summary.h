/*
 * run_summary.h - what `cpprof run` says when the run is over.
 */
#ifndef CPPROF_RUN_SUMMARY_H
#define CPPROF_RUN_SUMMARY_H

#include <stdio.h>

#include "monitor/run/monitor.h"

/*
 * Prints a line: what was collected in FILE and how to look at it, or why
 * nothing was.  Prints a further line for each loss that a reader should know
 * of.
 */
void run_summary_print(FILE *out, const struct monitor_config *config,
	const struct monitor_summary *summary, const char *file);

#endif
