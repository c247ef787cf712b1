/*
 * summary.h - what is shown when the user asks for nothing in particular: what
 * the run took, its heaviest functions, and the call paths.
 */
#ifndef CPPROF_SUMMARY_H
#define CPPROF_SUMMARY_H

#include "cpprof/session/session.h"

#define SUMMARY_PATHS 30 /* lines of paths where no other number is set */

/*
 * Prints a line for the session's resource and then its tables.  -1, with
 * nothing written, where it has no samples.
 */
int summary_print(struct session *s, const struct report_options *options,
	double threshold, FILE *out, struct err *err);

/*
 * The facts of the resources and of the run in a format for programs, which
 * stand before the profiles, or LAST: where the format has them elsewhere
 * nothing is written.
 */
int summary_print_facts(const struct session *s,
	const struct summary_choice *choice, bool last, FILE *out,
	struct err *err);

/* The same with a line for each resource of the file; in a format for programs
   the facts of all of them, the functions and the call paths. */
int summary_print_all(struct session *s, const struct report_options *options,
	double threshold, FILE *out, struct err *err);

#endif
