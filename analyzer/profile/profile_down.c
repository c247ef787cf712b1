/*
 * profile_down.c - the call paths that start with a function.
 */
#include <stdlib.h>

#include "analyzer/profile/profile_private.h"

/* 4 bytes each: more than 256 MiB of paths is nothing anyone reads. */
#define PATH_STEPS_MAX (UINT64_C(1) << 26)

uint32_t *profile_new_path(
	struct profile *profile, uint32_t length, struct err *err)
{
	struct profile_private *impl = profile->impl;
	uint32_t *path;

	impl->path_steps += length;
	if (impl->path_steps > PATH_STEPS_MAX) {
		err_say(err, NULL, "profile",
			"the call paths take more than 256 MiB",
			"use a higher threshold");
		return NULL;
	}
	path = arena_alloc(&impl->arena, length * sizeof *path);
	if (!path)
		err_memory(err, NULL, "profile");
	return path;
}

/*
 * The path of STEP in new memory, shared by all paths on the way to it that
 * have none yet: a path is the beginning of every path that goes on from it.
 */
static int give_path(struct profile *profile, const struct path_walk *walk,
	uint32_t step, const uint32_t **paths, const uint32_t **sites,
	struct err *err)
{
	uint32_t length = walk->steps.v[step].length, *site = NULL;
	uint32_t *path = profile_new_path(profile, length, err);

	if (!path)
		return -1;
	if (sites) {
		site = arena_alloc(
			&profile->impl->arena, length * sizeof *site);
		if (!site)
			return err_memory(err, NULL, "profile");
	}
	for (uint32_t i = length; i-- > 0; step = walk->steps.v[step].parent) {
		path[i] = walk->steps.v[step].function;
		if (sites)
			site[i] = walk->steps.v[step].site;
		if (paths[step])
			continue;
		paths[step] = path;
		if (sites)
			sites[step] = site;
	}
	return 0;
}

static int add_entry(struct profile *profile, const struct path_step *step,
	const uint32_t *path, const uint32_t *sites, struct err *err)
{
	struct profile_entry *entry = vec_push(&profile->impl->entries);

	if (!entry)
		return err_memory(err, NULL, "profile");
	entry->path = path;
	entry->sites = sites;
	entry->length = step->length;
	entry->weight = step->weight;
	entry->hits = step->hits;
	entry->samples = step->samples;
	return 0;
}

int profile_take(struct profile *profile, const struct path_walk *walk,
	uint32_t only, struct err *err)
{
	bool with_sites = profile->tree->view.sites;
	const uint32_t **paths = calloc(walk->steps.n + 1, sizeof *paths);
	const uint32_t **sites = NULL;
	int status = 0;

	if (with_sites)
		sites = calloc(walk->steps.n + 1, sizeof *sites);
	if (!paths || (with_sites && !sites))
		status = err_memory(err, NULL, "profile");
	/* Longer paths first: those on the way to them share their memory. */
	for (uint32_t i = (uint32_t)walk->steps.n; i-- > 0 && !status;) {
		const struct path_step *step = &walk->steps.v[i];

		status = work_step(profile->tree->view.work, "listing paths",
			walk->steps.n - i, walk->steps.n, err);
		if (status)
			break;
		if (only != PATH_ANY && step->function != only)
			continue;
		if (!profile_wants(profile, step->weight))
			continue;
		if (!paths[i])
			status = give_path(profile, walk, i, paths, sites, err);
		if (!status)
			status = add_entry(profile, step, paths[i],
				sites ? sites[i] : NULL, err);
	}
	free(paths);
	free(sites);
	return status;
}

/* Which functions are light: all of them is under the cutoff. */
static int find_light(struct profile *profile)
{
	uint32_t n = profile->tree->impl->nfunctions;
	const struct function_sums *sums;
	bool *light;

	if (profile->impl->light)
		return 0;
	sums = profile_sums(profile->tree);
	light = calloc((size_t)n + 1, sizeof *light);
	for (uint32_t f = 0; f < n && sums && light; f++)
		light[f] = f != FN_ALL &&
			   !profile_wants(profile, sums[f].total.weight);
	profile->impl->light = light;
	return sums && light ? 0 : -1;
}

int profile_walk_root(const struct tree *tree, uint32_t root, const bool *light,
	struct path_walk *walk, struct err *err)
{
	for (uint32_t at = 0; at < tree->n;) {
		if (tree->nodes[at].function != root) {
			at++;
			continue;
		}
		if (path_walk_from(walk, tree, at, PATH_ANY, light, err))
			return -1;
		at += tree->nodes[at].size; /* below it: not outermost */
	}
	return 0;
}

int profile_down(struct profile *profile, uint32_t root, struct err *err)
{
	const struct tree_private *impl = profile->tree->impl;
	const bool *light;
	struct path_walk walk;
	int status;

	status = path_walk_init(&walk, impl->nfunctions, impl->max_depth);
	if (!status)
		status = find_light(profile);
	if (status)
		status = err_memory(err, NULL, "profile");
	light = profile->impl->light;
	walk.work = profile->tree->view.work;
	walk.all = profile->tree->n;
	if (!status && root < impl->nfunctions && !light[root])
		status = profile_walk_root(
			profile->tree, root, light, &walk, err);
	if (!status)
		status = profile_take(profile, &walk, PATH_ANY, err);
	path_walk_fini(&walk);
	return status;
}
