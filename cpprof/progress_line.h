/*
 * progress_line.h - tells a person how far long work is, and stops it at
 * Ctrl-C.
 *
 *     struct patience patience;
 *     patience_begin(&patience);
 *     ... give &patience.work to what may take long ...
 *     patience_end(&patience);
 *
 * After a second a line on standard error, if that is a terminal, says how far
 * the work is; patience_end() wipes it.  An interrupt (interrupt.h) stops the
 * work, and so does an error of the stream that it writes to.
 */
#ifndef CPPROF_PROGRESS_LINE_H
#define CPPROF_PROGRESS_LINE_H

#include <stdio.h>

#include "lib/progress.h"

struct patience {
	struct work work;
	uint64_t start, told; /* ns; told 0: nothing is shown */
	bool show;
	FILE *out; /* the work ends where this takes no more; NULL: none */
};

void patience_begin(struct patience *patience);
void patience_end(struct patience *patience);

/* patience_end() and interrupt_end().  Where ERR (NULL: none) is that a signal
   has stopped the work, it is obeyed. */
void patience_over(struct patience *patience, const struct err *err);

#endif
