/*
 * file_opts.h - what subcommands that ask a file one question have in common:
 * the file, the resource, the format and the filters.
 */
#ifndef CPPROF_FILE_OPTS_H
#define CPPROF_FILE_OPTS_H

#include "cpprof/filter_opts.h"

enum {
	OPT_FILE = 2000,
	OPT_FILE_RESOURCE = OPT_FILE,
	OPT_FILE_FORMAT,
	OPT_FILE_NAMES
};

/* clang-format off */
#define OPT_FILE_ROWS \
	{"resource", 'r', "R", "the resource; default the first with samples", \
		OPT_FILE_RESOURCE}, \
	{"format", 'f', "FORMAT", "text (default), json or csv", \
		OPT_FILE_FORMAT}, \
	{"names", 0, "STYLE", "short (default) or full names of functions", \
		OPT_FILE_NAMES}
/* clang-format on */

struct file_opts { /* zero when empty */
	const char *resource;
	const struct report_format *format;
	bool full_names;
	struct filter_opts filters;
};

/* Keeps OPT if it is one of these or a filter: 1, or 0 if it is not, or -1. */
int file_opts_take(struct file_opts *opts, const struct opt *opt,
	const char *value, struct err *err);

/*
 * Opens FILE, sets what was given, and calls ASK with the output; what it
 * returned.  Nothing is printed unless that is 0.
 */
int file_opts_ask(const struct file_opts *opts, const char *file,
	int (*ask)(struct session *s, const struct output *out, void *arg,
		struct err *err),
	void *arg, struct err *err);

void file_opts_fini(struct file_opts *opts);

#endif
