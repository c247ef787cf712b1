/*
 * status.h - how far a run is, on a terminal, once a second.
 *
 *     cpprof: 12 s: cpu 11984 samples, pagefaults 310 samples (12 lost)
 *
 * The terminal belongs to the target first: without --status the line shows
 * only where the target is known to use another one or none (`attach`; what
 * `run` starts shares cpprof's).  Never in a pipe, never from the background,
 * never when writing would have to wait.
 *
 * The line is redrawn in its place where nobody else writes.  Where the target
 * shares the terminal, each is a whole line of its own: redrawing would erase
 * what the target wrote, and the target would write over the line.
 */
#ifndef CPPROF_STATUS_H
#define CPPROF_STATUS_H

#include <stdbool.h>

#include "monitor/run/monitor.h"

struct status {
	const struct monitor_config *config;
	bool show;
	bool shared; /* the target has the terminal, too */
	bool shown;  /* there is a line to clear */
};

/* ASKED: by --status.  CONFIG is borrowed. */
void status_init(
	struct status *status, const struct monitor_config *config, bool asked);

/* For struct monitor_config: ARG is a struct status. */
void status_show(void *arg, const struct monitor_progress *progress);

/* Clears the line, if there is one. */
void status_clear(struct status *status);

/* How wide the terminal of standard error is. */
size_t status_columns(void);

#endif
