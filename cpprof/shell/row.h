/*
 * row.h - a command of the shell is a row: its name, arguments, help, what to
 * complete, what to run and its other name.
 *
 * Help, completion, abbreviations and the manual's list come from the rows,
 * which stand in an array that ends with a name of NULL.
 */
#ifndef CPPROF_SHELL_ROW_H
#define CPPROF_SHELL_ROW_H

#include <stddef.h>

#include "lib/err.h"
#include "cpprof/session/vocabulary.h"

struct call; /* a command being run; cpprof/shell/call.h has it */

struct shell_row {
	const char *name;
	const char *args; /* as help shows them: "[F] [X]" */
	const char *help; /* one line */
	size_t max_args;
	enum completion complete; /* of its first argument */
	int (*run)(struct call *call, struct err *err);
	const char *alias; /* another name, as other profilers have it; NULL */
};

/*
 * The one of ROWS that WORD names, in full or abbreviated, or by its alias in
 * full; NULL and an error
 * with the candidates or the nearest names.
 */
const struct shell_row *row_find(
	const struct shell_row *rows, const char *word, struct err *err);

#endif
