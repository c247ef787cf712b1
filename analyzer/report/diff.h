/*
 * diff.h - a diff in writing; see analyzer/diff/diff.h.
 */
#ifndef CPPROF_REPORT_DIFF_H
#define CPPROF_REPORT_DIFF_H

#include <stdio.h>

#include "analyzer/diff/diff.h"

struct report_options;

/* Writes DIFF; OPTIONS has colour, width and how many entries of each kind. */
int report_diff_text(FILE *out, const struct diff *diff,
	const struct report_options *options, struct err *err);
int report_diff_json(FILE *out, const struct diff *diff,
	const struct report_options *options, struct err *err);
int report_diff_csv(FILE *out, const struct diff *diff,
	const struct report_options *options, struct err *err);

/* Writes a line of the runs' own time, which MEAN is of, for people; NA and NB
   runs a side. */
int report_diff_wall(FILE *out, const struct cpd_resource *wall,
	const struct diff_figure *mean, size_t na, size_t nb,
	const struct report_options *options);

/* "same", "exact", "real", "noise", "unsure": as data formats have them. */
const char *report_diff_verdict(enum diff_verdict verdict);

/*
 * A change of so many gticks with its sign and unit, "+12.3 ms"; returns BUF.
 */
char *report_diff_change(const struct cpd_resource *resource, double gticks,
	char *buf, size_t size);

#endif
