/*
 * asked.h - what a question to a session is about, and how its answer begins.
 */
#ifndef CPPROF_ASKED_H
#define CPPROF_ASKED_H

#include "cpprof/session/session.h"

struct asked {
	const char *name; /* of the function; NULL: none is named */
	double threshold;
	bool few; /* of tasks, whatever the threshold, which is none's choice */
	bool in_shell;
	bool apart;  /* from what is above it: by an empty line */
	size_t top;  /* where none is set */
	size_t line; /* of a table of paths only this one, whole; 0: all */
	/* The resources that are compared, as dataset has them; 0: all of the
	   file, the view's first. */
	const uint32_t *resources;
	size_t nresources;
};

/* The options of an answer about FUNCTION (NULL: none), which begins on OUT. */
struct report_options asked_begin(const struct asked *asked,
	const struct session *s, const char *function,
	const struct output *out);

#endif
