/*
 * points.h - any number of samples, sorted by track and time, in bounded
 * memory.
 *
 * This is an external merge sort.  POINTS_RUN samples are sorted in memory and
 * written to a scratch file as a run; reading merges the runs, each through a
 * small buffer.  Fewer samples than that need no file.
 *
 *     points_add() for each
 *     points_sort()
 *     for each track, in order of its number:
 *             points_mark()
 *             for each column: points_back(), points_next() for each sample
 *
 * Functions that fail return -1 or NULL and fill the error.
 */
#ifndef CPPROF_EXPORT_POINTS_H
#define CPPROF_EXPORT_POINTS_H

#include <stdint.h>

#include "lib/err.h"

#define POINTS_RUN (1u << 18) /* 6 MB */

struct point { /* a sample */
	uint64_t time, weight;
	uint32_t track, node;
};

struct points *points_new(struct err *err);
void points_free(struct points *p);

int points_add(struct points *p, const struct point *point, struct err *err);

/* Ends the adding. */
int points_sort(struct points *p, struct err *err);

/* Notes what is read next; goes back there. */
void points_mark(struct points *p);
void points_back(struct points *p);

/*
 * The next sample, good until the next call; the caller counts and does not ask
 * for one behind the last.
 */
const struct point *points_next(struct points *p, struct err *err);

#endif
