/* nameless.c - what has no name, and how it would get one. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/layout.h"
#include "analyzer/report/report_private.h"
#include "analyzer/report/run/summary_facts.h"
#include "lib/text.h"

#define WORTH 0.01 /* share that is worth a word */

/* Why code of MODULE has no name.  TOLD: how generated code is named was said.
 */
static const char *nameless_why(const struct cpd_module *module, bool told)
{
	if (module->kind != CPD_MODULE_ANON)
		return "set DEBUGINFOD_URLS or install its debug symbols; '";
	if (!strcmp(module->path, "[uprobes]"))
		return "at probes of another run";
	return told ? "generated code"
		    : "generated code; have its compiler write "
		      "/tmp/perf-PID.map";
}

/* The innermost function at NODE, if it has no name; else 0. */
static uint32_t nameless_at(const struct dataset *data, uint32_t node)
{
	const struct location *at = dataset_location(data, node);
	uint32_t number = at->nframes ? at->frames->function : 0;

	return number >= FN_FIRST_REAL &&
			       data->functions[number].source == CPD_NAME_NONE
		       ? number
		       : 0;
}

/* What has no name, and a function of the module that has most of it. */
struct nameless {
	uint64_t weight;
	const struct function *of;
};

/* By the innermost functions, if no CALLS are shown in them, or where OF is
   given, by what it has of each node.  -1: no memory. */
static int find_nameless(const struct dataset *data, uint32_t resource,
	bool calls, const uint32_t *of, struct nameless *found)
{
	uint64_t *weights = calloc((size_t)data->nmodules + 1, sizeof *weights);

	*found = (struct nameless){0};
	for (size_t i = 0; weights && i < data->naggregates; i++) {
		const struct aggregate *a = &data->aggregates[i];
		uint32_t number = a->resource != resource ? 0
				  : of                    ? of[a->node]
				  : calls && a->leaf
					  ? 0
					  : nameless_at(data, a->node);
		const struct function *f = &data->functions[number];

		if (!number)
			continue;
		found->weight += a->weight;
		weights[f->module_id] += a->weight;
		if (!found->of ||
			weights[f->module_id] > weights[found->of->module_id])
			found->of = f;
	}
	free(weights);
	return weights ? 0 : -1;
}

/* The same of functions of the programs themselves, anywhere below their start:
   what a library has between names is folded, and misses none. */
static int find_through(
	const struct dataset *data, uint32_t resource, struct nameless *found)
{
	bool *program = calloc((size_t)data->nmodules + 1, sizeof *program);
	uint32_t *of = calloc((size_t)data->nnodes + 1, sizeof *of);
	int bad = -1;

	for (uint32_t i = FN_FIRST_REAL; program && i <= data->nfunctions; i++)
		program[data->functions[i].module_id] |=
			data->functions[i].is_main;
	for (uint32_t i = 1; program && of && i <= data->nnodes; i++) {
		uint32_t parent = data->nodes[i].parent;
		uint32_t number = parent ? nameless_at(data, i) : 0;

		of[i] = program[data->functions[number].module_id] ? number
								   : of[parent];
	}
	if (program && of)
		bad = find_nameless(data, resource, false, of, found);
	free(program);
	free(of);
	return bad;
}

#define MUCH_NAMELESS 0.1 /* in the innermost frame */
#define MOST_NAMELESS 0.5 /* of the stacks */

int summary_nameless(FILE *out, const struct dataset *data, uint32_t resource,
	bool told, const struct report_options *options)
{
	double all = (double)data->books[resource].weight, part;
	struct nameless in, through = {0};
	const struct cpd_module *module;
	char name[4200], how[FILENAME_MAX];
	bool inside, file;

	if (find_nameless(data, resource,
		    options->calls || data->resources[resource].flags &
					      CPD_RESOURCE_OF_CALLS,
		    NULL, &in) ||
		((double)in.weight < MUCH_NAMELESS * all &&
			find_through(data, resource, &through)))
		return -1;
	inside = (double)through.weight < MOST_NAMELESS * all;
	if (!inside)
		in = through;
	part = in.weight ? (double)in.weight / all : 0;
	if (part < WORTH)
		return 0;
	module = &data->modules[in.of->module_id];
	file = module->kind != CPD_MODULE_ANON;
	report_command(data, options, "info", "info", how, sizeof how);
	layout_note(out, options, "%.1f %% %s a name, most in %s: %s%s%s",
		100 * part,
		inside ? "without" : "goes through functions without",
		text_escape(in.of->module, name, sizeof name),
		nameless_why(module, told), file ? how : "",
		file ? "' says how" : "");
	return 0;
}
