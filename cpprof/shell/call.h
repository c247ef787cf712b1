/*
 * call.h - the shell, a command of it while it runs, and what some of them do.
 *
 * The others are in commands.c, with the table.
 */
#ifndef CPPROF_SHELL_CALL_H
#define CPPROF_SHELL_CALL_H

#include "cpprof/output.h"
#include "cpprof/session/session.h"
#include "cpprof/shell/row.h"

struct shell {
	struct session *session;
	const char *file;
	bool typed; /* commands come from the keyboard */
	bool quit;
	unsigned depth; /* of scripts read by scripts */
};

struct call {
	struct shell *shell;
	const struct shell_row *row;
	char *const *args;
	size_t nargs;
	struct output *out;
};

/*
 * The arguments [F] [X] of a profile: a first one that is a fraction is X, and
 * for a profile without root there is nothing but X.
 */
int call_profile_args(struct call *call, bool rooted, const char **root,
	double *threshold, struct err *err);

/* As rows have them. */
int call_advise(struct call *call, struct err *err);
int call_callgraph(struct call *call, struct err *err);
int call_cycles(struct call *call, struct err *err);
int call_list(struct call *call, struct err *err);
int call_why(struct call *call, struct err *err);
int call_percall(struct call *call, struct err *err);

#endif
