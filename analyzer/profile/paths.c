/* Weighs the paths root by root, in one walk for all that begin alike. */
#include "analyzer/profile/paths.h"

#include <stdlib.h>

#include "analyzer/profile/profile_private.h"
#include "lib/order.h"

/* By function of the tree, whether it is in none of the paths. */
static bool *find_light(
	const struct tree *tree, const struct path_weight *paths, size_t n)
{
	uint32_t nfunctions = tree->impl->nfunctions;
	bool *light = malloc((size_t)nfunctions + 1);

	for (uint32_t f = 0; light && f <= nfunctions; f++)
		light[f] = true;
	for (size_t i = 0; light && i < n; i++)
		for (uint32_t k = 0; k < paths[i].length; k++)
			if (paths[i].path[k] < nfunctions)
				light[paths[i].path[k]] = false;
	return light;
}

static void take(const struct path_walk *walk, struct path_weight *path)
{
	uint32_t step = PATH_ANY;

	for (uint32_t i = 0; i < path->length; i++) {
		step = path_walk_find(walk, step, path->path[i]);
		if (step == PATH_ANY)
			return;
	}
	path->sums = (struct tree_sums){walk->steps.v[step].weight,
		walk->steps.v[step].hits, walk->steps.v[step].samples};
}

static int compare_firsts(const void *a, const void *b)
{
	const struct path_weight *const *x = a, *const *y = b;

	return ORDER((*x)->path[0], (*y)->path[0]) ?: ORDER(*x, *y);
}

/* Weighs the paths at the start of ORDER that begin with one function: how
   many, or -1. */
static int64_t weigh_from(const struct tree *tree, struct path_walk *walk,
	const bool *light, struct path_weight **order, size_t n,
	struct err *err)
{
	uint32_t first = order[0]->path[0];
	size_t i = 0;

	path_walk_clear(walk);
	if (first < tree->impl->nfunctions &&
		profile_walk_root(tree, first, light, walk, err))
		return -1;
	while (i < n && order[i]->path[0] == first)
		take(walk, order[i++]);
	return (int64_t)i;
}

int paths_weigh(const struct tree *tree, struct path_weight *paths, size_t n,
	struct err *err)
{
	struct path_weight **order = calloc(n + 1, sizeof(void *));
	bool *light = find_light(tree, paths, n);
	struct path_walk walk;
	int status = path_walk_init(
		&walk, tree->impl->nfunctions, tree->impl->max_depth);

	if (status || !order || !light)
		status = err_memory(err, NULL, "profile");
	walk.work = tree->view.work;
	for (size_t i = 0; i < n && !status; i++) {
		paths[i].sums = (struct tree_sums){0};
		order[i] = &paths[i];
	}
	if (!status && n > 1)
		qsort(order, n, sizeof(void *), compare_firsts);
	for (size_t i = 0; i < n && !status;) {
		int64_t done =
			weigh_from(tree, &walk, light, order + i, n - i, err);

		status = done < 0 ? -1 : 0;
		i += done < 0 ? 0 : (size_t)done;
	}
	path_walk_fini(&walk);
	free(order);
	free(light);
	return status;
}
