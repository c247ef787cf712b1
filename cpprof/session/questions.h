/*
 * questions.h - the call graph, cycles, source lines and instructions of a
 * session, in its format.
 *
 * The shell and the subcommands both use it.  All return 0, or -1 and an error.
 * No samples are an error, too, except in a format that programs read.
 */
#ifndef CPPROF_QUESTIONS_H
#define CPPROF_QUESTIONS_H

#include "cpprof/session/session.h"

/* Of function NAME; NULL: of all that reach THRESHOLD. */
int question_callgraph(struct session *s, const char *name, double threshold,
	const struct output *out, struct err *err);

int question_cycles(struct session *s, double threshold,
	const struct output *out, struct err *err);

/* Of all resources that have samples; where none stands out, it says so. */
int question_advise(
	struct session *s, const struct output *out, struct err *err);

struct list_question {
	const char *name;
	bool code; /* instructions, not lines */
	bool all;  /* nothing is left out between the first and the last */
};

int question_list(struct session *s, const struct list_question *question,
	const struct output *out, struct err *err);

#endif
