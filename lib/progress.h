/*
 * progress.h - work that may take long: how far it is, and whether to go on.
 *
 * The caller lends a struct work with a function that is called now and then,
 * in the thread that works.  It may show the progress, and it may end the work.
 * Then the work frees what it has made and fails with the reason WORK_STOPPED.
 */
#ifndef CPPROF_PROGRESS_H
#define CPPROF_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

struct work {
	/* WHAT is being done, "adding up stacks"; DONE of ALL steps are done
	   (ALL 0: unknown).  False: stop. */
	bool (*go_on)(void *arg, const char *what, uint64_t done, uint64_t all);
	void *arg;
};

#define WORK_STOPPED "interrupted"

/* Steps between two calls; a step takes less than a microsecond. */
#define WORK_STEPS 16384

/* Asks WORK, which may be NULL; -1 with WORK_STOPPED when it is to end. */
int work_ask(const struct work *work, const char *what, uint64_t done,
	uint64_t all, struct err *err);

/* Asks when DONE is a multiple of WORK_STEPS. */
static inline int work_step(const struct work *work, const char *what,
	uint64_t done, uint64_t all, struct err *err)
{
	if (done % WORK_STEPS)
		return 0;
	return work_ask(work, what, done, all, err);
}

/* Whether ERR is what work_ask() sets. */
bool work_stopped(const struct err *err);

#endif
