/*
 * dataset_groups.c - modules, source files, threads and processes as functions
 * of a view that shows these.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"

const char *const dataset_group_names[GROUP_KINDS] = {
	[GROUP_FUNCTION] = "function",
	[GROUP_MODULE] = "module",
	[GROUP_FILE] = "file",
	[GROUP_THREAD] = "thread",
	[GROUP_PROCESS] = "process",
};

struct named_group {
	uint32_t name; /* among the dataset's strings */
	uint32_t number;
};

struct named_module {
	uint32_t name;
	uint32_t first;
	bool several; /* files in different folders have that name */
};

struct grouper {
	struct dataset *data;
	SET_OF(struct named_group) known; /* of this kind */
	SET_OF(struct named_module) modules;
};

/* The group of that name; 0 when out of memory. */
static uint32_t group_of(struct grouper *g, const char *name)
{
	struct dataset_private *impl = g->data->impl;
	struct named_group group = {.number = (uint32_t)impl->functions.n};
	size_t before = g->known.n;
	struct function *to;
	uint32_t i;

	if (!name || !*name)
		name = "[no name]";
	group.name = strings_add(&impl->strings, name, strlen(name));
	i = set_add(&g->known, &group, sizeof group.name);
	if (group.name == UINT32_MAX || i == HASH_NONE)
		return 0;
	if (g->known.n == before)
		return g->known.v[i].number;
	to = group.number < UINT32_MAX / 2 ? vec_push(&impl->functions) : NULL;
	if (!to)
		return 0;
	to->name = to->shown = to->short_name = to->brief = name;
	to->linkage = to->module = to->file = "";
	to->base = group.number;
	return group.number;
}

static const char *path_of(const struct grouper *g, uint32_t module)
{
	return g->data->impl->modules.v[module].path;
}

/* How a function's module is found by its name; HASH_NONE: no memory. */
static uint32_t find_module(struct grouper *g, const struct function *f)
{
	struct named_module module = {
		.name = strings_add(
			&g->data->impl->strings, f->module, strlen(f->module)),
		.first = f->module_id};

	return module.name == UINT32_MAX
		       ? HASH_NONE
		       : set_add(&g->modules, &module, sizeof module.name);
}

static int name_modules(struct grouper *g)
{
	for (uint32_t i = FN_FIRST_REAL; i <= g->data->nfunctions; i++) {
		const struct function *f = &g->data->impl->functions.v[i];
		uint32_t at = find_module(g, f);

		if (at == HASH_NONE)
			return -1;
		g->modules.v[at].several |=
			strcmp(path_of(g, g->modules.v[at].first),
				path_of(g, f->module_id)) != 0;
	}
	return 0;
}

/* Where a function is; a file that is not known goes by its module. */
static const char *place_of(
	struct grouper *g, enum dataset_group kind, uint32_t function)
{
	const struct function *f = &g->data->impl->functions.v[function];
	uint32_t at = find_module(g, f);

	if (kind == GROUP_FILE && *f->file)
		return f->file;
	return at != HASH_NONE && g->modules.v[at].several
		       ? path_of(g, f->module_id)
		       : f->module;
}

/* By function, or by thread: its group. */
static int make_groups(struct grouper *g, enum dataset_group kind)
{
	struct dataset *data = g->data;
	bool places = kind == GROUP_MODULE || kind == GROUP_FILE;
	uint32_t n = places ? data->nfunctions : data->nthreads;
	uint32_t *groups = arena_alloc(
		&data->impl->arena, ((size_t)n + 1) * sizeof *groups);

	if (!groups)
		return -1;
	set_clear(&g->known);
	for (uint32_t i = 0; i <= n; i++) {
		uint32_t process = places ? 0 : data->threads[i].process;

		groups[i] = i;
		if (places && i < FN_FIRST_REAL)
			continue;
		if (places)
			groups[i] = group_of(g, place_of(g, kind, i));
		else if (!i) /* of no one thread */
			continue;
		else if (kind == GROUP_THREAD)
			groups[i] = group_of(g, dataset_thread_name(data, i));
		else
			groups[i] = group_of(
				g, process <= data->nprocesses
					   ? data->processes[process].name
					   : "");
		if (!groups[i])
			return -1;
	}
	data->groups[kind] = groups;
	return 0;
}

int dataset_make_groups(struct dataset *data)
{
	struct grouper g = {.data = data};
	int status = name_modules(&g);

	for (enum dataset_group k = GROUP_MODULE; k < GROUP_KINDS && !status;
		k++) {
		data->group_first[k] = (uint32_t)data->impl->functions.n;
		status = make_groups(&g, k);
		data->group_end[k] = (uint32_t)data->impl->functions.n;
	}
	data->functions = data->impl->functions.v;
	set_free(&g.known);
	set_free(&g.modules);
	return status;
}

uint32_t dataset_find_group(
	const struct dataset *data, enum dataset_group kind, const char *name)
{
	for (uint32_t i = data->group_first[kind]; i < data->group_end[kind];
		i++)
		if (!strcmp(data->functions[i].name, name))
			return i;
	return FN_NONE;
}
