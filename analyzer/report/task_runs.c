/*
 * task_runs.c - what a thread runs: the outermost function of the program's own
 * that has most of what the thread consumed.
 *
 * Threads have the kernel's names, which are mostly the program's.
 */
#include <stddef.h>
#include <stdlib.h>

#include "lib/set.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/report_private.h"

struct ran {
	uint32_t thread, function;
	uint64_t weight;
};

/* The outermost function on the stack of NODE that is the program's: generated
   code before what runs it, a library's for want of others, libc's (which may
   have no name for what starts a thread) last; 0: none. */
static uint32_t outermost(const struct dataset *data, uint32_t node)
{
	uint32_t generated = 0, own = 0, library = 0, any = 0;

	for (; node; node = data->nodes[node].parent) {
		const struct location *at = dataset_location(data, node);

		for (uint32_t i = 0; i < at->nframes; i++) {
			uint32_t number = at->frames[i].function;
			const struct function *f = &data->functions[number];

			if (number < FN_FIRST_REAL || path_is_start(f))
				continue;
			any = number;
			if (!dataset_is_libc(f->module))
				library = number;
			if (dataset_is_librarys(f) || f->interpreter)
				continue;
			own = number;
			if (path_is_generated(f))
				generated = number;
		}
	}
	return generated ?: own ?: library ?: any;
}

uint32_t *report_thread_runs(const struct dataset *data, uint32_t resource)
{
	uint32_t *runs = calloc((size_t)data->nthreads + 1, sizeof *runs);
	uint64_t *most = calloc((size_t)data->nthreads + 1, sizeof *most);
	SET_OF(struct ran) all = {0};
	bool bad = !runs || !most;

	for (size_t i = 0; i < data->naggregates && !bad; i++) {
		const struct aggregate *a = &data->aggregates[i];
		struct ran ran = {a->thread, 0, 0};
		uint32_t at;

		if (a->resource != resource)
			continue;
		ran.function = outermost(data, a->node);
		at = set_add(&all, &ran, offsetof(struct ran, weight));
		bad = at == HASH_NONE;
		if (!bad)
			all.v[at].weight += a->weight;
	}
	for (size_t i = 0; i < all.n && !bad; i++) {
		const struct ran *ran = &all.v[i];

		if (ran->function && ran->weight > most[ran->thread]) {
			most[ran->thread] = ran->weight;
			runs[ran->thread] = ran->function;
		}
	}
	set_free(&all);
	free(most);
	if (bad) {
		free(runs);
		runs = NULL;
	}
	return runs;
}
