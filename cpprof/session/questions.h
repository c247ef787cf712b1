/*
 * questions.h - what can be asked of a session, one row each: profiles,
 * processes and threads, the call graph, cycles, costs of calls, advice.
 *
 * A question is a command of the shell and an option of `report`, or a
 * subcommand.  The answer is written in the session's format.  No samples are
 * an error, too, except in a format that programs read.
 */
#ifndef CPPROF_QUESTIONS_H
#define CPPROF_QUESTIONS_H

#include "cpprof/session/asked.h"

struct question {
	const char *name;
	/* 0, or -1 and an error with nothing written. */
	int (*ask)(struct session *s, const struct question *self,
		const struct asked *asked, const struct output *out,
		struct err *err);
	bool named;   /* is about a function; NULL: the root, or all */
	bool rooted;  /* that function is the root of call paths */
	bool cut;     /* has a threshold; */
	bool all;     /* which is 0 where none is given */
	bool paths;   /* the answer is a table of call paths */
	bool between; /* compares resources, so one answer is about all */
	int what;     /* for ask(): a profile_kind, or whether threads */
};

extern const struct question questions[]; /* ends with name NULL */

/* The row of that name; NULL where there is none. */
const struct question *question_find(const char *name);

/* Lines or instructions of a function. */
struct list_question {
	const char *name;
	bool code; /* instructions, not lines */
	bool all;  /* nothing is left out between the first and the last */
};

int question_list(struct session *s, const struct list_question *question,
	const struct output *out, struct err *err);

/* percall: what a call costs on each path to it.  (percall.c) */
int question_percall(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err);

/* leaks: what lives at the end, with its age.  (leaks.c) */
int question_leaks(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err);

/* pages: which pages of memory faulted how often.  (pages.c) */
int question_pages(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err);

/* why: functions or paths under every resource.  (why.c) */
int question_why(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err);

#endif
