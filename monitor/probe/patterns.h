/*
 * patterns.h - all functions of a file that match a pattern.
 */
#ifndef CPPROF_PROBE_PATTERNS_H
#define CPPROF_PROBE_PATTERNS_H

#include "lib/err.h"
#include "monitor/probe/calls.h"
#include "monitor/probe/symbols.h"

/*
 * Adds those of FILE to CALLS, each with its name.  1: there are some, 0: there
 * are none, -1 with the error.
 */
int patterns_find(struct calls *calls, struct probe_symbols *symbols,
	const char *file, bool program, const char *pattern, struct err *err);

/* After the last pattern: each function once.  -1 with the error. */
int patterns_done(struct calls *calls, struct err *err);

enum point_state { POINT_STEPPED, POINT_REFUSED, POINT_LEFT };

/*
 * How many of CALLS are in that state; fills TEXT with the names of the first,
 * "f, g and 3 more", escaped.
 */
size_t patterns_list(const struct calls *calls, enum point_state state,
	char *text, size_t size);

#endif
