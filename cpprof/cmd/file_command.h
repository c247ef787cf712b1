/*
 * file_command.h - what subcommands that read one profile have in common: the
 * options that are settings, the file, the output.
 */
#ifndef CPPROF_FILE_COMMAND_H
#define CPPROF_FILE_COMMAND_H

#include "cpprof/session/settings.h"
#include "cpprof/subcommand.h"

/* clang-format off */
#define OPT_FILE_ROWS \
	OPT_SET(WORD_RESOURCE), OPT_SET(WORD_FORMAT), OPT_SET(WORD_NAMES)
/* clang-format on */

/* What a subcommand adds.  Each is handed ARG, which flags and values go to;
   all but answer() may be NULL. */
struct file_command {
	/* Keeps an option that is neither these nor a setting. */
	subcommand_take *take;
	/* Finds the file among the operands; NULL and the error.  NULL here:
	   there is at most one operand, the file. */
	const char *(*operands)(
		void *arg, struct opt_scan *scan, struct err *err);
	/* Looks at the options when all are known; names a file to write, or
	   nothing, for standard output. */
	int (*check)(void *arg, const struct choices *choices,
		const char **output, struct err *err);
	/* Prints the answer; what it prints is dropped if it fails. */
	int (*answer)(struct session *s, struct output *out, void *arg,
		struct err *err);
};

/* Takes the options, opens the file, has the answer printed: the exit status.
 */
int file_command_run(const struct subcommand *self, int argc, char **argv,
	const struct file_command *command, void *arg);

/* A file_command's answer() to the question of which ARG is the row. */
int file_command_ask(
	struct session *s, struct output *out, void *arg, struct err *err);

#endif
