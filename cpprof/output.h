/*
 * output.h - where a command's output goes: standard output, the pager, a
 * file or another command.
 *
 *     struct output out;
 *     if (output_begin(&out, target, err) == 0) {
 *             ... write to out.stream, colours if out.color ...
 *             output_end(&out, err);
 *     }
 *
 * On a terminal, output longer than the screen goes through the pager.  A file
 * is written beside the old one and takes its place in output_end(), so a
 * command that fails leaves the file as it was, and so does a disk that is
 * full; one that is killed leaves nothing where the file system has files
 * without a name.  What is no plain file, such as a device or a pipe, is
 * written at once. A file that cannot be replaced, as it has other names, and a
 * command get the output in output_end(); it is held back in a scratch file
 * until then. SIGPIPE and SIGXFSZ are to be ignored by the caller
 * (output_init() does); a reader that went away is no error.  While a pager or
 * command runs, an interrupt from the keyboard is theirs alone.
 */
#ifndef CPPROF_OUTPUT_H
#define CPPROF_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/err.h"

enum output_to {
	OUTPUT_STDOUT, /* through the pager where one is due */
	OUTPUT_FILE,
	OUTPUT_APPEND,
	OUTPUT_COMMAND,
};

struct output_target {
	enum output_to to;
	const char *what; /* the file or the command line */
};

struct output {
	FILE *stream;
	bool color;
	bool terminal;
	unsigned columns; /* COLUMNS, the terminal's, or 80 */
	bool sized;       /* the first or the second */
	unsigned rows;    /* the terminal's; 0 where it is none */
	struct output_target target;
	bool direct; /* the target itself is written; STREAM may be stdout */
	FILE *held;  /* what is held back; NULL: it is in TEXT */
	char *text;  /* of a terminal, until its length is known */
	size_t size;
	char *temp, *real; /* the file that is written, and what it will be */
	bool named;        /* it is TEMP already; else it has no name yet */
};

/* Once, before the first output: ignores SIGPIPE and SIGXFSZ. */
void output_init(void);

/* TARGET NULL: standard output. */
int output_begin(struct output *out, const struct output_target *target,
	struct err *err);

/* Delivers and closes; -1 when not all could be written. */
int output_end(struct output *out, struct err *err);

/* Gives up what was not delivered yet, as after an error. */
void output_drop(struct output *out);

#endif
