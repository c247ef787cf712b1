/*
 * dataset_own.c - cpprof's own object is no part of an answer.
 *
 * The object that `run` preloads takes the place of libc's functions, so that
 * a program seems to call malloc in it.  Of its frames on a stack the outermost
 * is the function that was called, and libc's; what is below that, and what
 * calls from outside (its constructor) have made run, is its caller's.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"
#include "lib/run/counting_object.h"
#include "lib/text.h"

/* By location, whether it is in the object; NULL: no memory. */
static bool *find_own(const struct dataset_private *impl, bool *any)
{
	bool *modules = calloc(impl->modules.n + 1, sizeof *modules);
	bool *own = calloc(impl->locations.n + 1, sizeof *own);
	const struct location *at = impl->locations.v;

	for (size_t i = 1; modules && i < impl->modules.n; i++)
		modules[i] = !strcmp(text_base_name(impl->modules.v[i].path),
			COUNTING_OBJECT);
	for (size_t i = 1; modules && own && i < impl->locations.n; i++)
		*any |= own[i] = at[i].nframes && modules[at[i].module];
	if (!modules) {
		free(own);
		own = NULL;
	}
	free(modules);
	return own;
}

static const struct function *function_of(
	const struct dataset_private *impl, const struct location *at)
{
	return &impl->functions
			.v[at->nframes ? at->frames[at->nframes - 1].function
				       : FN_NONE];
}

bool dataset_is_libc(const char *module)
{
	return !strncmp(module, "libc.", 5) || !strncmp(module, "libc-", 5);
}

/* The module of the C library; 0: there is none. */
static uint32_t find_libc(const struct dataset_private *impl)
{
	for (uint32_t i = 1; i < impl->modules.n; i++)
		if (dataset_is_libc(text_base_name(impl->modules.v[i].path)))
			return i;
	return 0;
}

/* Libc's function that the own one F stands for: made of it, where libc's is in
   no sample. */
static uint32_t twin_of(struct dataset_private *impl, uint32_t f, uint32_t libc)
{
	struct function *own = &impl->functions.v[f];

	for (uint32_t i = FN_FIRST_REAL; i < impl->functions.n; i++)
		if (impl->functions.v[i].module_id == libc &&
			!strcmp(impl->functions.v[i].name, own->name))
			return i;
	own->module_id = libc;
	own->module = text_base_name(impl->modules.v[libc].path);
	own->lo = own->hi = 0;
	own->file = "";
	own->line = 0;
	return f;
}

/* A location of the object becomes one at the start of libc's function. */
static int replace(
	struct dataset_private *impl, struct location *at, uint32_t libc)
{
	struct frame *frame = arena_alloc(&impl->arena, sizeof *frame);
	const struct function *twin;

	if (!frame)
		return -1;
	*frame = (struct frame){
		.function = twin_of(
			impl, at->frames[at->nframes - 1].function, libc),
		.file = ""};
	twin = &impl->functions.v[frame->function];
	frame->file = twin->file;
	frame->line = twin->line;
	at->frames = frame;
	at->nframes = 1;
	at->module = libc;
	at->addr = twin->lo;
	at->flags |= CPD_NODE_EXACT;
	return 0;
}

/* Whether a program calls the own function at a location. */
static bool is_called(
	const struct dataset_private *impl, const struct location *at)
{
	const struct function *f = function_of(impl, at);

	return f->source != CPD_NAME_NONE && strncmp(f->name, "cpprof_", 7);
}

/* Gives the node NUMBER the place of its caller if it is not to be seen, which
   GONE has by node; callers come before their callees. */
static void settle(struct dataset_private *impl, const bool *own, bool *gone,
	uint32_t number)
{
	struct node *node = &impl->nodes.v[number];
	const struct node *caller = &impl->nodes.v[node->parent];
	const struct location *at = &impl->locations.v[node->location];
	const struct location *above = &impl->locations.v[caller->location];
	bool from_own = gone[node->parent] || own[caller->location];

	if (!node->parent || !(own[node->location] || from_own))
		return;
	if (own[node->location] && (from_own || !is_called(impl, at))) {
		gone[number] = true;
		*node = *caller;
	} else if (own[caller->location] &&
		   !strcmp(function_of(impl, at)->name,
			   function_of(impl, above)->name)) {
		node->parent = caller->parent; /* whose place that one has */
	}
}

int dataset_leave_own_out(struct dataset_private *impl)
{
	bool any = false, *own = find_own(impl, &any);
	bool *gone = any ? calloc(impl->nodes.n, sizeof *gone) : NULL;
	uint32_t libc = find_libc(impl);
	struct location *at = impl->locations.v;
	int status = own && (gone || !any) ? 0 : -1;

	for (uint32_t i = 1; gone && i < impl->nodes.n; i++)
		settle(impl, own, gone, i);
	for (size_t i = 1; gone && libc && !status && i < impl->locations.n;
		i++)
		if (own[i] && is_called(impl, &at[i]))
			status = replace(impl, &at[i], libc);
	free(own);
	free(gone);
	return status;
}
