/*
 * commands.h - the commands of the shell, one row each.
 *
 * Help, completion, abbreviations and the manual's list come from the rows.
 */
#ifndef CPPROF_SHELL_COMMANDS_H
#define CPPROF_SHELL_COMMANDS_H

#include "cpprof/output.h"
#include "cpprof/shell/shell.h"

#define COMMAND_ARGS_MAX 2

/* What an argument is, for completion. */
enum completion {
	COMPLETE_NONE,
	COMPLETE_FUNCTION,
	COMPLETE_RESOURCE,
	COMPLETE_PROCESS,
	COMPLETE_THREAD,
	COMPLETE_SWITCH,
	COMPLETE_EXPORT,
	COMPLETE_HELP,
	COMPLETE_FILE,
};

/* A command being run. */
struct call {
	struct shell *shell;
	const struct shell_command *row;
	char *const *args;
	size_t nargs;
	struct output *out;
};

struct shell_command {
	const char *name;
	const char *args; /* as help shows them: "[F] [X]" */
	const char *help; /* one line */
	size_t max_args;
	enum completion complete; /* of its first argument */
	int (*run)(struct call *call, struct err *err);
};

extern const struct shell_command shell_commands[]; /* ends with name NULL */

/*
 * The row that WORD names, in full or abbreviated; NULL and an error with the
 * candidates or the nearest names.
 */
const struct shell_command *command_find(const char *word, struct err *err);

/* Runs all commands of LINE, up to the first that fails.  0 or -1. */
int command_line(struct shell *shell, const char *line, struct err *err);

#endif
