/*
 * why.c - rows are the union of what each resource's profile shows; then each
 * is weighed in every tree, whether it was shown there or not.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"
#include "lib/impl.h"
#include "lib/lists.h"
#include "lib/order.h"
#include "analyzer/profile/function_figures.h"
#include "analyzer/profile/paths.h"
#include "analyzer/profile/profile_parts.h"
#include "analyzer/questions/why.h"

#define FACTOR 3
#define POINTS 0.05

struct why_private {
	struct arena arena;
	VEC(struct why_row) rows;
	struct lists paths; /* theirs */
};

static int add_row(struct why *why, const uint32_t *path, uint32_t length)
{
	struct why_private *impl = why->impl;
	uint32_t i = lists_add(&impl->paths, path, length);

	if (i == HASH_NONE)
		return -1;
	return i < impl->rows.n ||
			       vec_add(&impl->rows,
				       (struct why_row){
					       .path = impl->paths.list.v[i].v,
					       .length = length})
		       ? 0
		       : -1;
}

static int add_rows(struct why *why, const struct tree *tree,
	const struct why_choice *choice, struct err *err)
{
	struct profile *profile = profile_new(tree, choice->kind, choice->roots,
		choice->nroots, choice->threshold, err);
	int status = profile ? 0 : -1;

	for (size_t i = 0; profile && i < profile->n && !status; i++)
		if (add_row(why, profile->entries[i].path,
			    profile->entries[i].length))
			status = err_memory(err, NULL, "profile");
	profile_free(profile);
	return status;
}

static void weigh_function(const struct tree *tree,
	const struct function_sums *sums, const struct why_row *row,
	struct tree_sums *to)
{
	if (row->path[0] < tree->impl->nfunctions)
		*to = *profile_total(tree, sums, row->path[0]);
}

/* Of functions. */
static int weigh_functions(struct why *why, size_t tree, struct tree_sums **of)
{
	const struct tree *t = why->trees[tree];
	const struct function_sums *sums = profile_listed(t);

	if (!sums)
		return -1;
	for (size_t i = 0; i < why->impl->rows.n; i++)
		weigh_function(t, sums, &why->impl->rows.v[i], &of[i][tree]);
	return 0;
}

static int weigh_paths(
	struct why *why, size_t tree, struct tree_sums **of, struct err *err)
{
	size_t n = why->impl->rows.n;
	struct path_weight *paths = calloc(n + 1, sizeof *paths);
	int status;

	if (!paths)
		return err_memory(err, NULL, "profile");
	for (size_t i = 0; i < n; i++) {
		paths[i].path = why->impl->rows.v[i].path;
		paths[i].length = why->impl->rows.v[i].length;
	}
	status = paths_weigh(why->trees[tree], paths, n, err);
	for (size_t i = 0; i < n; i++)
		of[i][tree] = paths[i].sums;
	free(paths);
	return status;
}

static int weigh(struct why *why, bool functions, struct err *err)
{
	size_t n = why->impl->rows.n;
	struct tree_sums **of = calloc(n + 1, sizeof *of);
	int status = of ? 0 : err_memory(err, NULL, "profile");

	for (size_t i = 0; i < n && !status; i++) {
		of[i] = arena_alloc(
			&why->impl->arena, why->ntrees * sizeof **of);
		if (!of[i])
			status = err_memory(err, NULL, "profile");
		else
			memset(of[i], 0, why->ntrees * sizeof **of);
		why->impl->rows.v[i].of = of[i];
	}
	for (size_t t = 0; t < why->ntrees && !status; t++) {
		if (!functions)
			status = weigh_paths(why, t, of, err);
		else if (weigh_functions(why, t, of))
			status = err_memory(err, NULL, "profile");
	}
	free(of);
	return status;
}

/* Marks in OTHER the functions of a tree that are there and no wrappers. */
static int mark_others(
	const struct tree *tree, double threshold, bool *other, struct err *err)
{
	struct function_figures figures;

	if (function_figures_init(
		    &figures, tree, FIGURES_LISTED, threshold, err))
		return -1;
	for (size_t i = 0; i < figures.n; i++)
		other[figures.v[i].function] |= !figures.v[i].wrapper;
	function_figures_fini(&figures);
	return 0;
}

static int find_wrappers(struct why *why, double threshold, struct err *err)
{
	size_t n = 1; /* groups, too, have numbers */
	bool *other;
	int status;

	for (size_t t = 0; t < why->ntrees; t++)
		if (why->trees[t]->impl->nfunctions > n)
			n = why->trees[t]->impl->nfunctions;
	other = calloc(n, sizeof *other);
	status = other ? 0 : err_memory(err, NULL, "profile");
	for (size_t t = 0; t < why->ntrees && !status; t++)
		status = mark_others(why->trees[t], threshold, other, err);
	for (size_t i = 0; i < why->impl->rows.n && !status; i++) {
		struct why_row *row = &why->impl->rows.v[i];

		row->wrapper = !other[row->path[0]];
	}
	free(other);
	return status;
}

static bool keeps(const struct why *why, const struct why_row *row,
	const struct why_row *of)
{
	for (size_t t = 0; t < why->ntrees; t++)
		if ((double)row->of[t].weight <
			PROFILE_KEEPS * (double)of->of[t].weight)
			return false;
	return true;
}

static int find_passed_over(struct why *why)
{
	struct why_row *rows = why->impl->rows.v;

	for (size_t i = 0; i < why->impl->rows.n; i++) {
		uint32_t above = lists_add(
			&why->impl->paths, rows[i].path, rows[i].length - 1);

		if (above == HASH_NONE)
			return -1;
		if (above < why->impl->rows.n)
			rows[above].wrapper |=
				keeps(why, &rows[i], &rows[above]);
	}
	return 0;
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct why_row *x = a, *y = b;
	const struct why *why = arg;

	for (size_t t = 0; t < why->ntrees; t++)
		if (x->of[t].weight != y->of[t].weight)
			return ORDER(y->of[t].weight, x->of[t].weight);
	if (x->length != y->length)
		return ORDER(x->length, y->length);
	for (uint32_t i = 0; i < x->length; i++)
		if (x->path[i] != y->path[i])
			return profile_compare_functions(
				why->trees[0], x->path[i], y->path[i]);
	return 0;
}

size_t why_time(const struct tree *const *trees, size_t ntrees)
{
	static const char *const names[] = {"cpu", "real"};

	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		for (size_t t = 0; t < ntrees; t++) {
			const struct tree *tree = trees[t];
			const struct cpd_resource *r = tree_resource(tree);

			if (!strcmp(r->name, names[k]) && tree->whole.weight)
				return t;
		}
	return ntrees;
}

struct why *why_new(const struct tree *const *trees, size_t ntrees,
	const struct why_choice *choice, struct err *err)
{
	bool functions = choice->kind == PROFILE_FUNCTION;
	struct why *why = new_with_impl(struct why);
	int status = 0;

	if (!why) {
		err_memory(err, NULL, "profile");
		return NULL;
	}
	why->trees = trees;
	why->ntrees = ntrees;
	why->time = why_time(trees, ntrees);
	for (size_t t = 0; t < ntrees && !status; t++)
		status = add_rows(why, trees[t], choice, err);
	if (!status)
		status = weigh(why, functions, err);
	if (!status && functions)
		status = find_wrappers(why, choice->threshold, err);
	else if (!status && find_passed_over(why))
		status = err_memory(err, NULL, "profile");
	if (status) {
		why_free(why);
		return NULL;
	}
	why->rows = why->impl->rows.v;
	why->n = why->impl->rows.n;
	if (why->n > 1)
		qsort_r(why->rows, why->n, sizeof *why->rows, compare_rows,
			why);
	return why;
}

void why_free(struct why *why)
{
	if (!why)
		return;
	vec_free(&why->impl->rows);
	lists_free(&why->impl->paths);
	arena_fini(&why->impl->arena);
	free(why);
}

double why_share(const struct why *why, const struct why_row *row, size_t tree)
{
	uint64_t all = why->trees[tree]->whole.weight;

	return all ? (double)row->of[tree].weight / (double)all : 0;
}

char why_mark(const struct why *why, const struct why_row *row, size_t tree)
{
	uint32_t last = row->path[row->length - 1];
	double time, share;

	/* A loss is in no proportion to anything. */
	if (why->time == why->ntrees || tree == why->time ||
		last < FN_FIRST_REAL || !why->trees[tree]->whole.weight)
		return ' ';
	time = why_share(why, row, why->time);
	share = why_share(why, row, tree);
	if (share - time >= POINTS && share >= FACTOR * time)
		return '+';
	return time - share >= POINTS && time >= FACTOR * share ? '-' : ' ';
}
