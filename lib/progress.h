/*
 * progress.h - work that may take long: how far it is, and whether to go on.
 *
 * Who asks for such work lends a struct work with a function that is called
 * now and then while it is done, in the thread that does it.  It may show how
 * far the work is, and say that it is to be given up: the work then ends as
 * after any other error, what it had made freed, with the reason WORK_STOPPED.
 */
#ifndef CPPROF_PROGRESS_H
#define CPPROF_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

struct work {
	/*
	 * WHAT is being done, "adding up stacks", of which DONE of ALL steps
	 * lie behind (ALL 0: nobody knows).  False: give up.
	 */
	bool (*go_on)(void *arg, const char *what, uint64_t done, uint64_t all);
	void *arg;
};

#define WORK_STOPPED "interrupted"

/* Steps between two questions; a step is less than a microsecond. */
#define WORK_STEPS 16384

/* Asks WORK, which may be NULL; -1 with WORK_STOPPED when it is to end. */
int work_ask(const struct work *work, const char *what, uint64_t done,
	uint64_t all, struct err *err);

/* Asks when DONE is one of each WORK_STEPS. */
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
