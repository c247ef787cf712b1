/*
 * file_opts.h - what subcommands that ask a file one question have in common:
 * the file, the resource, the format and the filters.
 */
#ifndef CPPROF_FILE_OPTS_H
#define CPPROF_FILE_OPTS_H

#include "cpprof/cmd/filter_opts.h"
#include "cpprof/subcommand.h"

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

/* What a subcommand adds. */
struct file_question {
	/* Keeps an option of its own; -1 and the error.  NULL: it has none. */
	int (*take)(void *arg, const struct opt *opt, const char *value,
		struct err *err);
	/* Finds the file among the operands; NULL and the error.  NULL here:
	   there is at most one operand, the file. */
	const char *(*operands)(
		void *arg, struct opt_scan *scan, struct err *err);
	/* Prints the answer; what it prints is dropped if it fails. */
	int (*ask)(struct session *s, const struct output *out, void *arg,
		struct err *err);
};

/*
 * Takes the options, opens the file, asks: the exit status.  ARG is handed to
 * the functions of QUESTION.
 */
int file_opts_run(const struct subcommand *self, int argc, char **argv,
	const struct file_question *question, void *arg);

#endif
