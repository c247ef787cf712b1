/* Walks the trees of all runs of both sides at once, then judges each path
   and function. */
#include "analyzer/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diff/diff_private.h"
#include "lib/impl.h"
#include "lib/order.h"
#include "analyzer/profile/path_walk.h"
#include "analyzer/profile/profile.h"
#include "analyzer/profile/profile_parts.h"

/* Half of the error is for the total, half for all paths and functions. */
#define ALPHA 0.05
/* A callee that carries so much of a change is where it is shown. */
#define CARRIES 0.8

/* The path PARENT and then FUNCTION; DIFF_NONE: out of memory. */
static uint32_t step_of(
	struct diff_private *impl, uint32_t parent, uint32_t function)
{
	const struct diff_step step = {.parent = parent,
		.function = function,
		.length = parent == DIFF_NONE
				  ? 1
				  : impl->steps.v[parent].length + 1};
	uint32_t i = set_add(
		&impl->steps, &step, offsetof(struct diff_step, length));

	while (i != DIFF_NONE && impl->weight.n < impl->steps.n * impl->nruns)
		if (!vec_push(&impl->weight))
			return DIFF_NONE;
	return i;
}

/* Adds the records of a run's walk to those of all. */
static int add_records(
	struct diff_private *impl, const struct path_walk *walk, size_t run)
{
	uint32_t *to = calloc(walk->steps.n + 1, sizeof *to);
	int status = to ? 0 : -1;

	for (uint32_t i = 0; !status && i < walk->steps.n; i++) {
		const struct path_step *step = &walk->steps.v[i];

		to[i] = step_of(impl,
			step->parent == UINT32_MAX ? DIFF_NONE
						   : to[step->parent],
			impl->function[run][step->function]);
		if (to[i] == DIFF_NONE)
			status = -1;
		else
			diff_add(impl, run,
				&(struct tree_sums){step->weight, step->hits,
					step->samples},
				&impl->weight.v[to[i] * impl->nruns + run]);
	}
	free(to);
	return status;
}

/* By function of the run, whether it is below the cutoff in all of them. */
static bool *find_light(const struct diff_private *impl, size_t run)
{
	const struct tree *tree = impl->runs[run];
	bool *light = calloc((size_t)tree->impl->nfunctions + 1, sizeof *light);

	for (uint32_t f = 0; light && f < tree->impl->nfunctions; f++) {
		uint32_t number = impl->function[run][f];

		light[f] = f != FN_ALL && number != DIFF_NONE;
		for (size_t r = 0; light[f] && r < impl->nruns; r++)
			light[f] =
				impl->total[number * impl->nruns + r].weight <
				impl->cutoff;
	}
	return light;
}

/* "main", or "python3!main" where the script has one, too. */
static bool is_called(const struct function *f, const char *name)
{
	return !strcmp(f->name, name) || !strcmp(f->shown, name);
}

static int walk_run(struct diff_private *impl, size_t run, const char *root,
	struct err *err)
{
	const struct tree *tree = impl->runs[run];
	bool *light = find_light(impl, run);
	struct path_walk walk = {0};
	int status = 0;

	if (!light || path_walk_init(&walk, tree->impl->nfunctions,
			      tree->impl->max_depth))
		status = err_memory(err, NULL, "diff");
	walk.work = tree->view.work;
	for (uint32_t i = 0; !status && i < tree->n;) {
		uint32_t f = tree->nodes[i].function;

		if (root ? f == FN_ALL || light[f] ||
					!is_called(
						&tree->data->functions[f], root)
			 : f != FN_ALL) {
			i++;
			continue;
		}
		status = path_walk_from(&walk, tree, i, PATH_ANY, light, err);
		i += tree->nodes[i].size;
	}
	if (!status && add_records(impl, &walk, run))
		status = err_memory(err, NULL, "diff");
	path_walk_fini(&walk);
	free(light);
	return status;
}

/* Counted events have no noise: a small figure is looked at, too. */
static bool is_looked_at(const struct diff *diff, const struct diff_value *runs,
	const struct diff_figure *figure)
{
	return diff_is_large(diff, runs) ||
	       (diff->counts && (figure->verdict == DIFF_EXACT ||
					figure->verdict == DIFF_UNSURE));
}

/* The change of a figure, be it noise or not. */
static double change_of(const struct diff *diff, const struct diff_value *runs)
{
	struct diff_figure figure = diff_figure(diff, runs, ALPHA);

	return figure.b - figure.a;
}

static bool is_change(const struct diff_figure *figure)
{
	return figure->lo > 0 || figure->hi < 0;
}

/*
 * Judges what consumed RUNS, and counts it if it is within noise; of one run a
 * side this is the noise of its samples alone.  Few runs seldom prove which of
 * many figures has changed.  By an error of one in as many as are looked at,
 * one of them is expected to seem so by chance.
 */
static int judge(struct diff *diff, const struct diff_value *runs,
	struct diff_figure *figure)
{
	double looked = (double)diff->looked;

	*figure = diff_figure(diff, runs, ALPHA / 2 / looked);
	if (!is_looked_at(diff, runs, figure))
		return NOT_CHANGED;
	if (is_change(figure))
		return CHANGED;
	if (figure->verdict != DIFF_SAME) {
		*figure = diff_figure(diff, runs, fmin(ALPHA, 1 / looked));
		if (is_change(figure)) {
			figure->verdict = DIFF_UNSURE;
			return LIKELY_CHANGED;
		}
		diff->noise++;
	}
	return NOT_CHANGED;
}

/* Finds the paths that changed, and counts those within noise. */
static void judge_paths(struct diff *diff)
{
	struct diff_private *impl = diff->impl;

	for (uint32_t i = 0; i < impl->steps.n; i++) {
		struct diff_figure figure;

		impl->steps.v[i].changed =
			judge(diff, &impl->weight.v[i * impl->nruns], &figure);
	}
}

/* A callee with more than all hides what another saved. */
static bool carries(double own, double all)
{
	return all != 0 && own / all >= CARRIES && own / all <= 1 / CARRIES;
}

/* By step: whether one callee carries its change.  Only a path that changed as
   surely carries one: a change must not be lost in what is not listed. */
static bool *find_carried(const struct diff *diff)
{
	const struct diff_private *impl = diff->impl;
	bool *carried = calloc(impl->steps.n + 1, sizeof *carried);

	for (uint32_t i = 0; carried && i < impl->steps.n; i++) {
		uint32_t parent = impl->steps.v[i].parent;
		double own, all;

		if (parent == DIFF_NONE || !impl->steps.v[i].changed ||
			impl->steps.v[i].changed <
				impl->steps.v[parent].changed)
			continue;
		own = change_of(diff, &impl->weight.v[i * impl->nruns]);
		all = change_of(diff, &impl->weight.v[parent * impl->nruns]);
		if (carries(own, all))
			carried[parent] = true;
	}
	return carried;
}

static const uint32_t *path_of(struct diff_private *impl, uint32_t step)
{
	uint32_t n = impl->steps.v[step].length;
	uint32_t *path = arena_alloc(&impl->arena, n * sizeof *path);

	for (uint32_t i = n; path && i-- > 0; step = impl->steps.v[step].parent)
		path[i] = impl->steps.v[step].function;
	return path;
}

static int compare_entries(const void *a, const void *b)
{
	const struct diff_entry *x = a, *y = b;
	double p = fabs(x->figure.b - x->figure.a);
	double q = fabs(y->figure.b - y->figure.a);

	return ORDER(q, p) ?: ORDER(y->length, x->length)
	       ?: ORDER(x->path[x->length - 1], y->path[y->length - 1]);
}

static int list_paths(struct diff *diff)
{
	struct diff_private *impl = diff->impl;
	bool *carried;
	int status;

	judge_paths(diff);
	carried = find_carried(diff);
	status = carried ? 0 : -1;

	for (uint32_t i = 0; !status && i < impl->steps.n; i++) {
		const struct diff_value *runs =
			&impl->weight.v[i * impl->nruns];
		struct diff_entry entry = {.length = impl->steps.v[i].length};

		if (carried[i] || !impl->steps.v[i].changed)
			continue;
		judge(diff, runs, &entry.figure);
		entry.path = path_of(impl, i);
		if (!entry.path || !vec_add(&impl->shown, entry))
			status = -1;
	}
	free(carried);
	if (impl->shown.n)
		qsort(impl->shown.v, impl->shown.n, sizeof *impl->shown.v,
			compare_entries);
	diff->paths = impl->shown.v;
	diff->npaths = impl->shown.n;
	return status;
}

/* By function, whether it stands in a path and no one callee carries its
   change; CHANGED has how sure that is. */
static bool *find_tellers(const struct diff *diff, const int *changed)
{
	const struct diff_private *impl = diff->impl;
	bool *tells = calloc(impl->functions.n + 1, sizeof *tells);

	for (uint32_t i = 0; tells && i < impl->steps.n; i++)
		tells[impl->steps.v[i].function] = true;
	for (uint32_t i = 0; tells && i < impl->steps.n; i++) {
		uint32_t parent = impl->steps.v[i].parent, caller;
		double own, all;

		if (parent == DIFF_NONE || !impl->steps.v[i].changed)
			continue;
		caller = impl->steps.v[parent].function;
		if ((int)impl->steps.v[i].changed < changed[caller])
			continue;
		own = change_of(diff, &impl->weight.v[i * impl->nruns]);
		all = change_of(diff, &impl->total[caller * impl->nruns]);
		if (carries(own, all) && impl->steps.v[i].function != caller)
			tells[caller] = false;
	}
	return tells;
}

static int list_functions(struct diff *diff)
{
	struct diff_private *impl = diff->impl;
	size_t n = impl->functions.n;
	double alpha = ALPHA / 2 / (double)diff->looked;
	struct diff_figure *figures = calloc(n + 1, sizeof *figures);
	int *changed = calloc(n + 1, sizeof *changed);
	bool *tells = NULL;
	int status = figures && changed ? 0 : -1;

	for (uint32_t f = 0; !status && f < n; f++)
		changed[f] =
			judge(diff, &impl->total[f * impl->nruns], &figures[f]);
	if (!status)
		tells = find_tellers(diff, changed);
	status = tells ? 0 : -1;
	for (uint32_t f = 0; !status && f < n; f++) {
		struct diff_entry entry = {.length = 1, .figure = figures[f]};
		uint32_t *path;

		if (!tells[f] || !changed[f])
			continue;
		entry.path = path = arena_alloc(&impl->arena, sizeof *path);
		if (path)
			*path = f;
		entry.self =
			diff_figure(diff, &impl->self[f * impl->nruns], alpha);
		if (!path || !vec_add(&impl->changed, entry))
			status = -1;
	}
	free(figures);
	free(changed);
	free(tells);
	if (impl->changed.n)
		qsort(impl->changed.v, impl->changed.n, sizeof *impl->changed.v,
			compare_entries);
	diff->changed = impl->changed.v;
	diff->nchanged = impl->changed.n;
	return status;
}

static void count_looked(struct diff *diff)
{
	struct diff_private *impl = diff->impl;

	diff->looked = 1;
	for (size_t i = 0; i < impl->steps.n; i++)
		diff->looked +=
			diff_is_large(diff, &impl->weight.v[i * impl->nruns]);
	for (size_t f = 0; f < impl->functions.n; f++)
		diff->looked +=
			diff_is_large(diff, &impl->total[f * impl->nruns]);
}

/* The totals.  cpprof's are known, but others' are of what was sampled; and of
   two runs they tell no more than the samples do. */
static int compare_totals(struct diff *diff)
{
	struct diff_private *impl = diff->impl;
	struct diff_value *runs = calloc(impl->nruns, sizeof *runs);

	if (!runs)
		return -1;
	for (size_t run = 0; run < impl->nruns; run++) {
		diff_add(impl, run, tree_total(impl->runs[run], 0), &runs[run]);
		if (!impl->runs[run]->data->imported && impl->nruns > 2)
			runs[run].noise = 0;
	}
	diff->total = diff_figure(diff, runs, ALPHA / 2);
	diff->smallest = diff_smallest(diff, runs, ALPHA / 2);
	free(runs);
	return 0;
}

static int compare(
	struct diff *diff, const char *root, double threshold, struct err *err)
{
	struct diff_private *impl = diff->impl;

	diff->counts = true;
	for (size_t run = 0; run < impl->nruns; run++)
		diff->counts &= profile_of_all(impl->runs[run]);
	if (compare_totals(diff))
		return err_memory(err, NULL, "diff");
	impl->share = threshold * fmax(diff->total.a, diff->total.b);
	impl->cutoff = diff->counts ? 0 : impl->share;
	if (diff_number_functions(diff) || diff_find_renamed(diff))
		return err_memory(err, NULL, "diff");
	for (size_t run = 0; run < impl->nruns; run++)
		if (walk_run(impl, run, root, err))
			return -1;
	count_looked(diff);
	if (diff_learn(diff) || list_paths(diff) || list_functions(diff))
		return err_memory(err, NULL, "diff");
	diff->functions = impl->functions.v;
	diff->nfunctions = (uint32_t)impl->functions.n;
	return 0;
}

struct diff *diff_new(struct diff_side a, struct diff_side b, const char *root,
	double threshold, struct err *err)
{
	struct diff *diff = new_with_impl(struct diff);
	struct diff_private *impl = diff ? diff->impl : NULL;

	if (!diff) {
		err_memory(err, NULL, "diff");
		return NULL;
	}
	diff->a = a;
	diff->b = b;
	diff->varies = -1;
	impl->nruns = a.n + b.n;
	impl->runs = calloc(impl->nruns, sizeof *impl->runs);
	if (!impl->runs) {
		diff_free(diff);
		err_memory(err, NULL, "diff");
		return NULL;
	}
	for (size_t i = 0; i < impl->nruns; i++)
		impl->runs[i] = i < a.n ? a.trees[i] : b.trees[i - a.n];
	if (compare(diff, root, threshold, err)) {
		diff_free(diff);
		return NULL;
	}
	return diff;
}

void diff_free(struct diff *diff)
{
	struct diff_private *impl = diff ? diff->impl : NULL;

	if (!diff)
		return;
	for (size_t run = 0; impl->function && run < impl->nruns; run++)
		free(impl->function[run]);
	free(impl->function);
	free(impl->runs);
	free(impl->total);
	free(impl->self);
	vec_free(&impl->functions);
	set_free(&impl->steps);
	vec_free(&impl->weight);
	vec_free(&impl->shown);
	vec_free(&impl->changed);
	set_free(&impl->known);
	strings_free(&impl->names);
	arena_fini(&impl->arena);
	free(diff);
}

/* Whether the steps of PATH, "f > g", end with this one. */
static bool is_path(
	const struct diff_private *impl, uint32_t step, const char *path)
{
	size_t n = strlen(path);

	for (; step != DIFF_NONE; step = impl->steps.v[step].parent) {
		const char *name =
			impl->functions.v[impl->steps.v[step].function].name;
		size_t length = strlen(name);

		if (length > n || memcmp(path + n - length, name, length))
			return false;
		n -= length;
		if (!n)
			return impl->steps.v[step].parent == DIFF_NONE;
		if (n < 3 || memcmp(path + n - 3, " > ", 3))
			return false;
		n -= 3;
	}
	return false;
}

static void add_value(struct diff_value *to, const struct diff_value *what)
{
	to->weight += what->weight;
	to->noise += what->noise;
}

int diff_find(
	const struct diff *diff, const char *path, struct diff_figure *figure)
{
	const struct diff_private *impl = diff->impl;
	struct diff_value *runs = calloc(impl->nruns, sizeof *runs);
	bool found = false;

	for (uint32_t f = 0; runs && f < impl->functions.n; f++) {
		if (strcmp(impl->functions.v[f].name, path))
			continue;
		found = true;
		for (size_t run = 0; run < impl->nruns; run++)
			add_value(&runs[run],
				&impl->total[f * impl->nruns + run]);
	}
	for (uint32_t i = 0; runs && !found && i < impl->steps.n; i++) {
		if (!is_path(impl, i, path))
			continue;
		found = true;
		memcpy(runs, &impl->weight.v[i * impl->nruns],
			impl->nruns * sizeof *runs);
	}
	if (found)
		*figure = diff_figure(diff, runs, ALPHA);
	free(runs);
	return found ? 0 : -1;
}
