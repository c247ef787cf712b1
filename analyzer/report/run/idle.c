/* idle.c - whose waits they are: of threads that did nothing else, of Go. */
#include <stdlib.h>
#include <string.h>

#include "lib/sum.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/report_private.h"
#include "analyzer/report/run/summary_facts.h"

#define IDLE 0.98 /* of its life, that a thread has waited */
#define MOST 0.5  /* of all waits, that is worth a word */

/* us that the thread lived, of WALL; 0: not known. */
static uint64_t life(const struct dataset *data, uint32_t thread, uint64_t wall)
{
	uint64_t us =
		minus(data->thread_end[thread], data->threads[thread].time) /
		1000;

	return us < wall ? us : wall;
}

static void put_idle(FILE *out, const struct dataset *data, uint32_t resource,
	const uint64_t *waited, const struct report_options *options)
{
	uint32_t idle = 0, others = 0, other = 0;
	uint64_t wall = summary_facts(data).wall;
	uint64_t sum = 0, all = data->books[resource].weight;
	char one[64], same[32], how[FILENAME_MAX], amount[64];
	bool which;

	for (uint32_t t = 1; t <= data->nthreads; t++) {
		uint64_t lived = life(data, t, wall);

		if (lived && (double)waited[t] >= IDLE * (double)lived) {
			idle++;
			sum += waited[t];
		} else if (waited[t]) {
			others++;
			other = t;
		}
	}
	if (!idle || !others || (double)sum < MOST * (double)all)
		return;
	which = others == 1 && idle + others == data->nthreads;
	snprintf(one, sizeof one, "report -r blocked --thread=%d",
		(int)data->threads[other].tid);
	snprintf(same, sizeof same, "thread %d", (int)data->threads[other].tid);
	layout_note(out, options,
		"%.1f %% of it is of %u thread%s that did nothing but "
		"wait%s%s: '%s'%s",
		100 * (double)sum / (double)all, idle, idle == 1 ? "" : "s",
		which ? "; the other waited " : "",
		which ? layout_amount(&data->resources[resource], waited[other],
				amount, sizeof amount)
		      : "",
		report_command(data, options,
			which ? one : "report -r blocked --threads -t0",
			which ? same : "threads 0", how, sizeof how),
		which ? "" : " tells which (amount as lasted)");
}

/* A function of Go's that runs goroutines; NULL: it is no program of Go. */
static const struct function *of_go(const struct dataset *data)
{
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++)
		if (!strcmp(data->functions[i].name, "runtime.mcall") ||
			!strncmp(data->functions[i].name, "runtime.mstart", 14))
			return &data->functions[i];
	return NULL;
}

static void put_go(FILE *out, const struct dataset *data,
	const struct report_options *options)
{
	const struct function *go = of_go(data);
	bool counts = go && go->source != CPD_NAME_GO; /* there are symbols */
	char again[80];

	if (go)
		layout_note(out, options,
			"a goroutine that waits is on no thread: these are the "
			"waits of Go's threads%s%s%s",
			counts ? "; '" : "",
			counts ? report_again(data, "calls=runtime.gopark",
					 again, sizeof again)
			       : "",
			counts ? "' counts those of goroutines" : "");
}

int summary_idle(FILE *out, const struct dataset *data, uint32_t resource,
	const struct report_options *options)
{
	uint64_t *waited;

	if (strcmp(data->resources[resource].name, "blocked") != 0)
		return 0;
	waited = calloc((size_t)data->nthreads + 1, sizeof *waited);
	if (!waited)
		return -1;
	for (size_t i = 0; i < data->naggregates; i++)
		if (data->aggregates[i].resource == resource)
			waited[data->aggregates[i].thread] +=
				data->aggregates[i].weight;
	put_idle(out, data, resource, waited, options);
	put_go(out, data, options);
	free(waited);
	return 0;
}
