/* Reads who ended the run, its threads, and how its modules were named. */
#include "analyzer/report/run/info_facts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
#include "lib/set.h"

static int compare_enders(const void *a, const void *b)
{
	const struct info_ender *x = a, *y = b;

	return ORDER(y->samples, x->samples) ?: ORDER(x->module, y->module);
}

/*
 * By node: the outermost known frame below [truncated], the node itself for
 * [truncated], 0 for whole stacks.
 */
static uint32_t *outermost_known(const struct dataset *data)
{
	uint32_t *top = calloc((size_t)data->nnodes + 1, sizeof *top);

	if (!top)
		return NULL;
	for (uint32_t i = 1; i <= data->nnodes; i++) {
		uint32_t above = top[data->nodes[i].parent];

		if (dataset_location(data, i)->frames->function == FN_TRUNCATED)
			top[i] = i;
		else if (above)
			top[i] = dataset_location(data, above)->module ? above
								       : i;
	}
	return top;
}

struct info_ender *info_enders(const struct dataset *data, uint32_t resource)
{
	uint32_t *top = outermost_known(data);
	struct info_ender *enders =
		calloc((size_t)data->nmodules + 2, sizeof *enders);

	if (!top || !enders) {
		free(top);
		free(enders);
		return NULL;
	}
	for (uint32_t i = 0; i <= data->nmodules; i++)
		enders[i].module = i;
	for (size_t i = 0; i < data->naggregates; i++) {
		const struct aggregate *aggregate = &data->aggregates[i];

		if (aggregate->resource == resource && top[aggregate->node])
			enders[dataset_location(data, top[aggregate->node])
					->module]
				.samples += aggregate->samples;
	}
	qsort(enders, (size_t)data->nmodules + 1, sizeof *enders,
		compare_enders);
	free(top);
	return enders;
}

uint32_t *info_threads(const struct dataset *data)
{
	uint32_t *threads =
		calloc((size_t)data->nprocesses + 1, sizeof *threads);

	for (uint32_t i = 1; threads && i <= data->nthreads; i++)
		if (data->threads[i].process <= data->nprocesses)
			threads[data->threads[i].process]++;
	return threads;
}

const char *info_origin(const struct cpd_process *process)
{
	if (process->flags & CPD_PROCESS_EXEC)
		return "exec";
	return process->parent ? "fork" : "attach";
}

/* Several modules that are one file: the first one has the functions. */
struct build_id {
	uint32_t n;
	uint8_t id[CPD_BUILD_ID_MAX];
};

typedef SET_OF(struct build_id) build_ids;

/* Whether a module with the build id of MODULE was SEEN before. */
static bool is_twin(build_ids *seen, const struct cpd_module *module)
{
	struct build_id id = {.n = module->build_id_len};
	size_t before = seen->n;

	memcpy(id.id, module->build_id, id.n);
	return id.n && set_add(seen, &id, 0) != HASH_NONE && seen->n == before;
}

enum info_naming *info_namings(const struct dataset *data)
{
	enum info_naming *naming =
		calloc((size_t)data->nmodules + 1, sizeof *naming);
	build_ids seen = {0};

	if (!naming)
		return NULL;
	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++) {
		const struct function *f = &data->functions[i];
		enum info_naming how =
			f->source == CPD_NAME_NONE ||
					f->source == CPD_NAME_START
				? INFO_NAMELESS
				: INFO_NAMED;

		if (naming[f->module_id] < how)
			naming[f->module_id] = how;
	}
	for (uint32_t i = 1; i <= data->nmodules; i++)
		if (is_twin(&seen, &data->modules[i]))
			naming[i] = INFO_TWIN;
	set_free(&seen);
	return naming;
}
