/*
 * commands.h - what the commands of the shell do.
 *
 * A line or a script of commands ends at the first that fails.  The output goes
 * to standard output, or where the line sends it.
 */
#ifndef CPPROF_SHELL_COMMANDS_H
#define CPPROF_SHELL_COMMANDS_H

#include "cpprof/session.h"
#include "cpprof/shell/row.h"

struct shell {
	struct session *session;
	const char *file;
	bool typed; /* commands come from the keyboard */
	bool quit;
	unsigned depth; /* of scripts read by scripts */
};

extern const struct shell_row shell_commands[];

/* Runs the commands of LINE.  0 or -1. */
int command_line(struct shell *shell, const char *line, struct err *err);

/* Runs the commands of a script; NAME stands in errors.  0 or -1. */
int command_script(
	struct shell *shell, FILE *script, const char *name, struct err *err);

#endif
