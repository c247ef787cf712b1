/*
 * exports.h - a session's stacks in the formats of other programs: what
 * `cpprof export` and the shell's `export` have in common.
 */
#ifndef CPPROF_EXPORTS_H
#define CPPROF_EXPORTS_H

#include "analyzer/export/export.h"
#include "cpprof/session/session.h"

struct export_options {
	bool one_resource; /* that of the view, where a format has room for
			      all of them */
	bool no_labels;
};

/*
 * Writes the stacks that the session's filters keep.  Where there are none,
 * that is an error with its cause.
 */
int export_write(const struct export_format *format, FILE *out,
	struct session *s, const struct export_options *options,
	struct err *err);

/* Whether what FORMAT writes may go to standard output: no binary file to a
 * terminal. */
int export_check_output(const struct export_format *format, struct err *err);

#endif
