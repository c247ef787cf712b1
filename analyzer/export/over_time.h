/*
 * over_time.h - what a run consumed in each part of its time, and what lived.
 *
 * All parts are equally long, of the whole run or of the filters' window.  A
 * resource has in each what its samples there weigh, or of a time, which a
 * sample ends, what of it passed there; but for what lives, in
 * processes that had not ended: `live` has what lived when the part ended,
 * `peak` the most that lived in it.
 */
#ifndef CPPROF_EXPORT_OVER_TIME_H
#define CPPROF_EXPORT_OVER_TIME_H

#include "analyzer/export/export.h"

#define OVER_TIME_PARTS 200

struct over_time {
	uint64_t from, to; /* ns of the file's clock; equal: nothing is known */
	uint64_t (*of)[OVER_TIME_PARTS]; /* by resource */
};

/* Where RESOURCE is a level, and no sum: the resource that has the most of it
   in each part; else 0. */
uint32_t over_time_most(const struct dataset *data, uint32_t resource);

/* Reads the samples again; what can be read but once has none.  -1: an error;
   over_time_fini() is due either way. */
int over_time_init(
	struct over_time *time, const struct export *x, struct err *err);

void over_time_fini(struct over_time *time);

#endif
