/*
 * samples.h - the file's samples one by one, in order of time.
 *
 * A dataset has no samples, which would take more memory than all else of it;
 * so the file is read again.  One that a run wrote has them in order, but for
 * those of several processors, which may come a little late; a window of
 * SAMPLES_WINDOW samples puts these right.  The samples of a merged file follow
 * each other run by run: these are handed out run by run.
 */
#ifndef CPPROF_EXPORT_SAMPLES_H
#define CPPROF_EXPORT_SAMPLES_H

#include "analyzer/export/stacks.h"

#define SAMPLES_WINDOW 65536

/*
 * Calls TAKE for each sample that is kept, cut to the filters' window.  -1: the
 * file cannot be read a second time, TAKE returned other than 0, no memory, or
 * the work is to end.
 */
int samples_each(const struct export *x, const struct kept *kept,
	int (*take)(void *arg, const struct cpd_sample *, struct err *),
	void *arg, struct err *err);

#endif
