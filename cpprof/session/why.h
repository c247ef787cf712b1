/*
 * why.h - a session's functions or call paths under every resource.
 */
#ifndef CPPROF_WHY_H
#define CPPROF_WHY_H

#include "cpprof/session/session.h"

/*
 * Writes them sorted by the first of the N RESOURCES (N 0: all of the file, the
 * view's first).  ROOT in OPTIONS: the paths that start there; NULL: functions.
 */
int why_print(struct session *s, const uint32_t *resources, size_t n,
	const struct report_format *format,
	const struct report_options *options, double threshold, FILE *out,
	struct err *err);

#endif
