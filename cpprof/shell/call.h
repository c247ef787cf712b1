/*
 * call.h - the shell, a command of it while it runs, and what commands that ask
 * (call.c) or set something (call_setting.c) do.
 *
 * The others are in commands.c, with the table.
 */
#ifndef CPPROF_SHELL_CALL_H
#define CPPROF_SHELL_CALL_H

#include "cpprof/output.h"
#include "cpprof/session/questions.h"
#include "cpprof/shell/row.h"

struct shell {
	struct session *session;
	const char *file;
	bool typed; /* commands come from the keyboard */
	bool quit;
	unsigned depth; /* of scripts read by scripts */
	/* The last question that was answered with paths; NULL: none. */
	const struct question *question;
	struct asked asked; /* its name is the shell's own */
};

struct call {
	struct shell *shell;
	const struct shell_row *row;
	char *const *args;
	size_t nargs;
	struct output *out;
};

/* As rows have them. */
int call_question(struct call *call, struct err *err); /* "down [F] [X]" */
int call_list(struct call *call, struct err *err);
int call_why(struct call *call, struct err *err);
int call_path(struct call *call, struct err *err);

/* Asks Q, and notes it if its answer is paths. */
int call_ask(struct call *call, const struct question *q,
	const struct asked *asked, struct err *err);
void call_note(struct shell *shell, const struct question *q,
	const struct asked *asked);
void call_forget(struct shell *shell);

/* A setting, as a command of its own: shows it, or sets it. */
int call_setting(struct call *call, struct err *err);
/* The same, by `set NAME [VALUE]`; all that it has where none is named. */
int call_set(struct call *call, struct err *err);
/* A filter; those in force where none is named, as `filters` lists them. */
int call_filter(struct call *call, struct err *err);
int call_filters(struct call *call, struct err *err);
int call_elide(struct call *call, struct err *err);
int call_group(struct call *call, struct err *err);
int call_resource(struct call *call, struct err *err);

#endif
