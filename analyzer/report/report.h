/*
 * report.h - profiles and files in writing.
 *
 * One row per format (text, json, csv); each writes one profile to a stream.
 * The text form is an interface (DESIGN and cpprof-report(1)).  Names are
 * escaped on the way out.  Write errors are found by ferror() on the stream,
 * by the caller.
 */
#ifndef CPPROF_REPORT_H
#define CPPROF_REPORT_H

#include <stdio.h>

#include "analyzer/profile/profile.h"

struct report_options {
	const char *root; /* as the user named it; NULL for kinds without */
	bool color;       /* TEXT: SGR colours, the caller knows a terminal */
	bool intervals;   /* TEXT: with the 95 % interval of each fraction */
};

struct task_list;

struct report_format {
	const char *name; /* "text", "json", "csv" */
	const char *help;
	int (*write)(FILE *out, const struct profile *profile,
		const struct report_options *options, struct err *err);
	int (*write_tasks)(FILE *out, const struct task_list *list);
};

extern const struct report_format report_formats[]; /* ends with name NULL */

/* The row of that name, or NULL and an error that lists them. */
const struct report_format *report_format_find(
	const char *name, struct err *err);

/*
 * The processes or THREADS of the file with what they consumed of the tree's
 * resource, heaviest first; those below THRESHOLD of what its filters keep are
 * counted only.
 */
int report_tasks(FILE *out, const struct report_format *format,
	const struct tree *tree, bool threads, double threshold,
	struct err *err);

/* What is in the file: `cpprof info`. */
int report_info(FILE *out, const struct dataset *data, struct err *err);

#endif
