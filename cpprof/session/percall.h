/*
 * percall.h - what a call of a function costs in a session's file.
 */
#ifndef CPPROF_PERCALL_H
#define CPPROF_PERCALL_H

#include "cpprof/session/session.h"

/*
 * Writes the cost per call from the view's resource and calls=NAME, which must
 * be in the file.  NAME NULL: the function of the only calls=F.
 */
int percall_print(struct session *s, const char *name,
	const struct report_format *format,
	const struct report_options *options, double threshold, FILE *out,
	struct err *err);

#endif
