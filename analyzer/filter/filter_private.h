/*
 * filter_private.h - filters as the sample tree applies them.
 */
#ifndef CPPROF_FILTER_PRIVATE_H
#define CPPROF_FILTER_PRIVATE_H

#include "analyzer/filter/filter.h"

/*
 * Reads the times that NAME ("10s..20s") stands for and the samples of that
 * part of the run into FILTER, which is to follow FILTERS.
 */
int filter_window(const struct filters *filters, struct filter *filter,
	const struct dataset *data, const char *name, struct err *err);

/* Whether there is a filter on processes or threads, on stacks. */
bool filters_on_threads(const struct filters *filters);
bool filters_on_stacks(const struct filters *filters);

/*
 * By thread of the file, whether it is kept; thread 0, of no one thread, is not
 * where there is a filter on threads.  The caller's to free; NULL when out of
 * memory.
 */
bool *filters_threads(
	const struct filters *filters, const struct dataset *data);

/*
 * One step of a run of `contains` and `then`s (`without` and `module` are runs
 * of one step), functions as the view has them.
 */
struct filter_step {
	uint32_t *functions; /* in ascending order */
	size_t n;
};

/* Such a run; all must be found for a stack to be kept, or not kept. */
struct filter_run {
	bool without;
	struct filter_step *steps;
	size_t n;
};

/*
 * The runs of FILTERS, with clones as their bases unless CLONES.  *RUNS is the
 * caller's, for filter_runs_free().  -1 when out of memory.
 */
int filter_runs_new(const struct filters *filters, const struct dataset *data,
	bool clones, struct filter_run **runs, size_t *n);
void filter_runs_free(struct filter_run *runs, size_t n);

/*
 * How many steps of RUN are found in a stack that goes on with FUNCTION, if
 * FOUND were before.  A stack matches when all are.
 */
size_t filter_run_next(
	const struct filter_run *run, size_t found, uint32_t function);

#endif
