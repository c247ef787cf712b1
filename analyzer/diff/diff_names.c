/*
 * diff_names.c - which functions of several runs are one; see diff.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diff/diff_private.h"
#include "analyzer/name/name_style.h"
#include "analyzer/profile/profile_parts.h"
#include "lib/text.h"

/* Weights of one function that was renamed differ by no more than this part. */
#define RENAMED_WITHIN 0.25

/* The length of a module's name without its version: "libpython3.11.so.1.0"
   is "libpython". */
static size_t stem(const char *module)
{
	const char *so = strstr(module, ".so");
	size_t n = so ? (size_t)(so - module) : strlen(module);

	while (n > 1 && strchr("0123456789.-_", module[n - 1]))
		n--;
	return n;
}

/* What may have another name on the other side: the program itself, and the
   script that it interprets, "" if none. */
struct main_names {
	const struct cpd_process *program;
	const char *script;
};

/* The file of a function that a runtime interprets or has generated code of,
   and its length; 0: not known.  Of an __init__.py with its package. */
static const char *source_of(const struct function *f, size_t *n)
{
	static const char init[] = "/__init__.py";
	size_t begin, end = strlen(f->file);
	const char *file = "";

	if (f->source == CPD_NAME_RUNTIME) {
		file = f->module;
		if (end >= sizeof init &&
			!strcmp(f->file + end - (sizeof init - 1), init))
			for (file = f->file + end - sizeof init;
				file > f->file && file[-1] != '/';)
				file--;
	} else if (f->source == CPD_NAME_JIT &&
		   name_folders(f->name, &begin, &end))
		file = f->name + end;
	*n = strcspn(file, ":");
	return file;
}

static bool is_source(const struct function *f, const char *name)
{
	size_t n;
	const char *file = source_of(f, &n);

	return n && strlen(name) == n && !strncmp(file, name, n);
}

/* The first word of the command line that names such a file. */
static const char *script_of(const struct dataset *data)
{
	uint32_t first = data->head.argc;

	for (uint32_t i = FN_FIRST_REAL; i <= data->nfunctions; i++)
		for (uint32_t k = 0;
			k < first && function_is_runtime(&data->functions[i]);
			k++)
			if (is_source(&data->functions[i],
				    text_base_name(data->head.argv[k])))
				first = k;
	return first < data->head.argc ? text_base_name(data->head.argv[first])
				       : "";
}

static struct main_names main_names(const struct dataset *data)
{
	return (struct main_names){
		data->nprocesses ? &data->processes[1] : NULL, script_of(data)};
}

/* What tells F from others: of generated code not its file, and its place only
   where it has no name.  free(); NULL: out of memory. */
static char *own_name(const struct function *f)
{
	size_t begin, end, kind = strcspn(f->name, ":") + 1;
	char *text;

	if (f->source != CPD_NAME_JIT || !name_folders(f->name, &begin, &end))
		return strdup(f->name);
	return asprintf(&text, "%.*s%s", (int)begin, f->name,
		       begin <= kind + 1 || f->name[begin - 2] == ')'
			       ? strchrnul(f->name + end, ':')
			       : "") < 0
		       ? NULL
		       : text;
}

/* The number of function F of a run; DIFF_NONE: out of memory. */
static uint32_t number_of(struct diff_private *impl, const struct function *f,
	const struct main_names *own)
{
	size_t n, before = impl->known.n;
	const char *file = source_of(f, &n);
	char *text = own_name(f);
	struct diff_name name;
	uint32_t i;

	if (!text)
		return DIFF_NONE;
	if (!n)
		file = f->module, n = stem(file);
	if (is_source(f, own->script))
		file = ":", n = 1; /* no file's name */
	else if (own->program && dataset_runs(own->program, f->module))
		n = 0;
	name.function = strings_add(&impl->names, text, strlen(text));
	name.module = strings_add(&impl->names, file, n);
	i = set_add(&impl->known, &name, 0);
	free(text);

	if (i == HASH_NONE || name.function == UINT32_MAX ||
		name.module == UINT32_MAX)
		return DIFF_NONE;
	return impl->known.n == before ||
			       vec_add(&impl->functions,
				       (struct diff_function){
					       f, f->name, NULL, f->module})
		       ? i
		       : DIFF_NONE;
}

static int number_run(struct diff_private *impl, size_t run)
{
	const struct tree *tree = impl->runs[run];
	const struct dataset *data = tree->data;
	const struct main_names own = main_names(data);
	size_t n = (size_t)tree->impl->nfunctions + 1;
	uint32_t *map = impl->function[run] = malloc(n * sizeof *map);

	if (!map)
		return -1;
	memset(map, 0xff, n * sizeof *map);
	for (uint32_t i = 0; i < tree->n; i++) {
		uint32_t f = tree->nodes[i].function;

		if (map[f] != DIFF_NONE)
			continue;
		map[f] = number_of(impl, &data->functions[f], &own);
		if (map[f] == DIFF_NONE)
			return -1;
	}
	return 0;
}

/* Totals and selves of all functions in all runs. */
static int sum_functions(struct diff_private *impl)
{
	size_t room = (impl->functions.n + 1) * impl->nruns;

	free(impl->total);
	free(impl->self);
	impl->total = calloc(room, sizeof *impl->total);
	impl->self = calloc(room, sizeof *impl->self);
	if (!impl->total || !impl->self)
		return -1;
	for (size_t run = 0; run < impl->nruns; run++) {
		const struct tree *tree = impl->runs[run];
		const struct function_sums *sums = profile_sums(tree);

		if (!sums)
			return -1;
		for (uint32_t f = 0; f < tree->impl->nfunctions; f++) {
			uint32_t number = impl->function[run][f];
			size_t at = number * impl->nruns + run;

			if (number == DIFF_NONE)
				continue;
			diff_add(impl, run, &sums[f].total, &impl->total[at]);
			diff_add(impl, run, &sums[f].self, &impl->self[at]);
		}
	}
	return 0;
}

const char *diff_program(const struct tree *tree)
{
	const struct main_names own = main_names(tree->data);

	return *own.script   ? own.script
	       : own.program ? dataset_called(own.program)
			     : "";
}

int diff_number_functions(struct diff *diff)
{
	struct diff_private *impl = diff->impl;

	impl->function = calloc(impl->nruns, sizeof *impl->function);
	if (!impl->function)
		return -1;
	for (size_t run = 0; run < impl->nruns; run++)
		if (number_run(impl, run))
			return -1;
	return sum_functions(impl);
}

/* The mean of a function's total on side B, or else A. */
static double mean_of(const struct diff *diff, uint32_t f, bool b)
{
	const struct diff_value *total =
		&diff->impl->total[f * diff->impl->nruns];
	size_t n = b ? diff->b.n : diff->a.n;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += total[(b ? diff->a.n : 0) + i].weight;
	return sum / (double)n;
}

/* Who calls F most, in the side's first run. */
static uint32_t caller_of(
	const struct diff *diff, uint32_t f, bool b, double *weights)
{
	const struct diff_private *impl = diff->impl;
	size_t run = b ? diff->a.n : 0;
	const struct tree *tree = impl->runs[run];
	uint32_t best = DIFF_NONE;

	memset(weights, 0, impl->functions.n * sizeof *weights);
	for (uint32_t i = 1; i < tree->n; i++) {
		const struct tree_node *node = &tree->nodes[i];
		uint32_t caller;

		if (impl->function[run][node->function] != f)
			continue;
		caller =
			impl->function[run][tree->nodes[node->parent].function];
		weights[caller] += (double)tree_total(tree, i)->weight;
		if (best == DIFF_NONE || weights[caller] > weights[best])
			best = caller;
	}
	return best;
}

/* Whether side B, or else A, ran the same file that has function F of DATA. */
static bool has_file(const struct diff *diff, bool b,
	const struct dataset *data, const struct function *f)
{
	const struct cpd_module *of = &data->modules[f->module_id];
	size_t first = b ? diff->a.n : 0, n = b ? diff->b.n : diff->a.n;

	for (size_t run = first; of->build_id_len && run < first + n; run++) {
		const struct dataset *other = diff->impl->runs[run]->data;

		for (uint32_t m = 1; m <= other->nmodules; m++)
			if (other->modules[m].build_id_len ==
					of->build_id_len &&
				!memcmp(other->modules[m].build_id,
					of->build_id, of->build_id_len))
				return true;
	}
	return false;
}

/* Whether what is function F of a run of one side has the same name in the
   other side's file, so that it was not renamed. */
static bool keeps_name(const struct diff *diff, uint32_t f, bool b)
{
	const struct diff_private *impl = diff->impl;
	size_t first = b ? diff->a.n : 0, n = b ? diff->b.n : diff->a.n;

	for (size_t run = first; run < first + n; run++) {
		const struct tree *tree = impl->runs[run];
		const struct dataset *data = tree->data;

		for (uint32_t i = FN_FIRST_REAL; i < tree->impl->nfunctions;
			i++)
			if (impl->function[run][i] == f &&
				has_file(diff, !b, data, &data->functions[i]))
				return true;
	}
	return false;
}

struct lone { /* a function of one side alone */
	uint32_t function, caller;
	double weight;
};

struct lones {
	struct lone *v;
	size_t n, cap;
};

static int find_lones(
	const struct diff *diff, bool b, double *weights, struct lones *found)
{
	for (uint32_t f = 0; f < diff->impl->functions.n; f++) {
		double weight = mean_of(diff, f, b);

		if (mean_of(diff, f, !b) > 0 || weight <= 0 ||
			weight < diff->impl->share || keeps_name(diff, f, b))
			continue;
		if (!vec_add(found,
			    (struct lone){
				    f, caller_of(diff, f, b, weights), weight}))
			return -1;
	}
	return 0;
}

static bool alike(const struct lone *a, const struct lone *b)
{
	double larger = fmax(a->weight, b->weight);

	return a->caller == b->caller &&
	       fabs(a->weight - b->weight) <= RENAMED_WITHIN * larger;
}

/* The only one of LIST that is like LONE; NULL: none is, or several are. */
static struct lone *only_like(const struct lone *lone, const struct lones *list)
{
	struct lone *found = NULL;

	for (size_t i = 0; i < list->n; i++) {
		if (!alike(lone, &list->v[i]))
			continue;
		if (found)
			return NULL;
		found = &list->v[i];
	}
	return found;
}

/* Makes function NEW of side B the function OLD. */
static void rename_to(struct diff *diff, uint32_t new, uint32_t old)
{
	struct diff_private *impl = diff->impl;

	for (size_t run = diff->a.n; run < impl->nruns; run++)
		for (uint32_t f = 0; f < impl->runs[run]->impl->nfunctions; f++)
			if (impl->function[run][f] == new)
				impl->function[run][f] = old;
	impl->functions.v[old].renamed = impl->functions.v[new].is->brief;
}

int diff_find_renamed(struct diff *diff)
{
	struct lones gone = {0}, come = {0};
	double *weights = calloc(diff->impl->functions.n + 1, sizeof *weights);
	bool any = false;
	int status = -1;

	if (!weights || find_lones(diff, false, weights, &gone) ||
		find_lones(diff, true, weights, &come))
		goto out;
	for (size_t i = 0; i < gone.n; i++) {
		struct lone *to = only_like(&gone.v[i], &come);

		if (!to || only_like(to, &gone) != &gone.v[i])
			continue;
		rename_to(diff, to->function, gone.v[i].function);
		any = true;
	}
	status = any ? sum_functions(diff->impl) : 0;
out:
	free(weights);
	vec_free(&gone);
	vec_free(&come);
	return status;
}
