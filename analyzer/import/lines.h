/*
 * lines.h - the lines of an input, numbered.
 */
#ifndef CPPROF_IMPORT_LINES_H
#define CPPROF_IMPORT_LINES_H

#include <stdio.h>

#include "lib/bytes.h"
#include "lib/progress.h"

struct lines {
	const char *path;
	FILE *in;
	const struct work *work;
	uint64_t number; /* of the line at hand, from 1 */
	uint64_t size;   /* of the input; 0: not known */
	uint64_t at;
	struct bytes text;
};

/* Goes back to the first line of IN.  To be zero before the first time. */
void lines_begin(
	struct lines *l, const char *path, FILE *in, const struct work *work);

/*
 * The next line, without its end, in *LINE, which may be changed and is good
 * until the next call: 1, or 0 at the end, or -1 (unreadable, too long, a NUL,
 * the work is to end).
 */
int lines_next(struct lines *l, char **line, struct err *err);

/* An error about the line at hand. */
int lines_error(const struct lines *l, struct err *err, const char *what);

void lines_end(struct lines *l);

#endif
