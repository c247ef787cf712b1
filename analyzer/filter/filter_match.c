/*
 * filter_match.c - which threads and which stacks the filters keep.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/filter/filter_private.h"
#include "lib/lower_bound.h"

static bool on_stacks(const struct filter *filter)
{
	return filter->kind >= FILTER_CONTAINS;
}

static bool on_tasks(const struct filter *filter)
{
	return filter->kind <= FILTER_THREAD;
}

bool filters_on_stacks(const struct filters *filters)
{
	for (size_t i = 0; filters && i < filters->n; i++)
		if (on_stacks(&filters->v[i]))
			return true;
	return false;
}

bool filters_on_threads(const struct filters *filters)
{
	for (size_t i = 0; filters && i < filters->n; i++)
		if (on_tasks(&filters->v[i]))
			return true;
	return false;
}

static bool has(const uint32_t *numbers, size_t n, uint32_t number)
{
	size_t at = LOWER_BOUND(n, i, numbers[i] < number);

	return at < n && numbers[at] == number;
}

bool *filters_threads(const struct filters *filters, const struct dataset *data)
{
	size_t n = (size_t)data->nthreads + 1;
	bool *kept = malloc(n);

	if (!kept)
		return NULL;
	memset(kept, true, n);
	kept[0] = !filters_on_threads(filters);
	for (size_t i = 0; filters && i < filters->n; i++) {
		const struct filter *filter = &filters->v[i];
		bool process = filter->kind == FILTER_PROCESS;

		for (uint32_t t = 1; on_tasks(filter) && t < n; t++)
			kept[t] &= has(filter->found, filter->nfound,
				process ? data->threads[t].process : t);
	}
	return kept;
}

static int make_step(struct filter_step *step, const struct filter *filter,
	const struct dataset *data, bool clones)
{
	size_t size = filter->nfound * sizeof *step->functions;

	step->functions = malloc(size);
	if (!step->functions)
		return -1;
	memcpy(step->functions, filter->found, size);
	step->n = clones ? filter->nfound
			 : dataset_bases(data, step->functions, filter->nfound);
	return 0;
}

int filter_runs_new(const struct filters *filters, const struct dataset *data,
	bool clones, struct filter_run **runs, size_t *n)
{
	struct filter_run *chain = NULL, *run;

	*n = 0;
	*runs = calloc(filters->n + 1, sizeof **runs);
	for (size_t i = 0; *runs && i < filters->n; i++) {
		const struct filter *filter = &filters->v[i];

		if (!on_stacks(filter))
			continue;
		run = chain;
		if (filter->kind != FILTER_THEN) {
			run = &(*runs)[(*n)++];
			run->without = filter->kind == FILTER_WITHOUT;
			run->steps = calloc(filters->n, sizeof *run->steps);
			if (!run->steps)
				goto fail;
		}
		if (filter->kind == FILTER_CONTAINS)
			chain = run;
		if (make_step(&run->steps[run->n], filter, data, clones))
			goto fail;
		run->n++;
	}
	if (*runs)
		return 0;
fail:
	filter_runs_free(*runs, *n);
	*runs = NULL;
	*n = 0;
	return -1;
}

void filter_runs_free(struct filter_run *runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < runs[i].n; k++)
			free(runs[i].steps[k].functions);
		free(runs[i].steps);
	}
	free(runs);
}

size_t filter_run_next(
	const struct filter_run *run, size_t found, uint32_t function)
{
	const struct filter_step *step = &run->steps[found];

	return found < run->n && has(step->functions, step->n, function)
		       ? found + 1
		       : found;
}
