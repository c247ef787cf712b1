/*
 * exports.h - the forms in which stacks are handed to other programs, one row
 * each.  `cpprof export` and the shell's `export` work from them.
 */
#ifndef CPPROF_EXPORTS_H
#define CPPROF_EXPORTS_H

#include "cpprof/session.h"

struct export_format {
	const char *name; /* "folded" */
	const char *help; /* one line */
	int (*write)(FILE *out, struct session *s, struct err *err);
};

extern const struct export_format export_formats[]; /* ends with name NULL */

/* The row of that name, or NULL and an error that lists them. */
const struct export_format *export_find(const char *name, struct err *err);

/* Writes the session's resource; no samples are an error with its cause. */
int export_write(const struct export_format *format, FILE *out,
	struct session *s, struct err *err);

#endif
