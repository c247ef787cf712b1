/*
 * commands.h - what the commands of the shell do.
 *
 * A line or a script of commands ends at the first that fails.  The output goes
 * to standard output, or where the line sends it.
 */
#ifndef CPPROF_SHELL_COMMANDS_H
#define CPPROF_SHELL_COMMANDS_H

#include "cpprof/shell/call.h"

extern const struct shell_row shell_commands[];

/* The paths of the summary are those that `path N` is about. */
void summary_note(struct shell *shell, double threshold, size_t top);

/* Runs the commands of LINE.  0 or -1. */
int command_line(struct shell *shell, const char *line, struct err *err);

/* Runs the commands of a script; NAME stands in errors.  0 or -1. */
int command_script(
	struct shell *shell, FILE *script, const char *name, struct err *err);

#endif
