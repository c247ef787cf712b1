/*
 * samples.h - the file's samples one by one, in order of time.
 *
 * A dataset does not keep samples, which would take more memory than all the
 * rest of it; so the file is read again.  A file that a run wrote has its
 * samples nearly in order: those of several processors may come a little late.
 * A window of SAMPLES_WINDOW samples puts these right.  In a merged file the
 * samples follow each other run by run, and are handed out run by run.
 */
#ifndef CPPROF_EXPORT_SAMPLES_H
#define CPPROF_EXPORT_SAMPLES_H

#include "analyzer/export/stacks.h"

#define SAMPLES_WINDOW 65536

/*
 * Calls TAKE for each sample that is kept, cut to the filters' window.  WHAT is
 * being done, for who waits.  -1: the file cannot be read a second time, TAKE
 * returned other than 0, no memory, or the work is to end.
 */
int samples_each(const struct export *x, const struct kept *kept,
	const char *what,
	int (*take)(void *arg, const struct cpd_sample *, struct err *),
	void *arg, struct err *err);

#endif
