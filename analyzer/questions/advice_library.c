/*
 * advice_library.c - a library whose cost is spread over many functions of its
 * own: none of them is costly by itself, and the program can change only where
 * it calls.
 */
#include "analyzer/questions/advice_private.h"

#include <stdlib.h>

#include "analyzer/tree/tree_private.h"

/* What the program consumes in a library, or a script in its interpreter, by
   the node that is the program's own and nearest above it, and the library's
   function that this one calls. */
struct library_call {
	uint32_t own, called; /* nodes; OWN 0: there is none */
};

static struct library_call entry_of(
	const struct tree *tree, const struct library_call *entries, uint32_t i)
{
	const struct function *functions = tree->data->functions;
	uint32_t parent = tree->nodes[i].parent, f = tree->nodes[i].function;
	struct library_call above = entries[parent];
	const struct function *own =
		&functions[tree->nodes[above.own].function];

	if (f < FN_FIRST_REAL)
		return (struct library_call){0, 0};
	if (!dataset_is_librarys(&functions[f]) &&
		!(functions[f].interpreter && function_is_runtime(own)))
		return (struct library_call){i, i};
	return (struct library_call){
		above.own, above.called == above.own ? i : above.called};
}

/* Adds what libraries consume for the program's functions, or for OWN alone:
   then by the function that it calls. */
static void sum_entries(const struct tree *tree,
	const struct library_call *entries, uint32_t own,
	struct tree_sums *sums)
{
	const struct tree_node *nodes = tree->nodes;

	for (uint32_t i = 1; i < tree->n; i++) {
		const struct library_call *e = &entries[i];
		uint32_t f = nodes[e->own].function;
		struct tree_sums self;

		if (!e->own || e->called == e->own || (own && f != own))
			continue;
		self = tree_self(tree, i);
		tree_sums_add(
			&sums[own ? nodes[e->called].function : f], &self);
	}
}

/* The library's function that OWN calls at most expense. */
static int find_library(struct advices *list, const struct tree *tree,
	const struct library_call *entries, uint32_t own)
{
	size_t n = (size_t)tree->impl->nfunctions + 1;
	struct tree_sums *sums = calloc(n, sizeof *sums);
	uint32_t path[] = {own, own};
	int status = sums ? 0 : -1;

	if (sums)
		sum_entries(tree, entries, own, sums);
	for (uint32_t f = FN_FIRST_REAL; sums && f < n; f++)
		if (path[1] == own || sums[f].weight > sums[path[1]].weight)
			path[1] = f;
	if (sums &&
		advice_share(tree, sums[path[1]].weight) >= ADVICE_HOT_SHARE &&
		sums[path[1]].samples >= ADVICE_SAMPLES)
		status = advice_add(list,
			(struct advice){.kind = ADVICE_LIBRARY,
				.tree = tree,
				.length = 2,
				.share = advice_share(
					tree, sums[path[1]].weight),
				.count = sums[path[1]].weight},
			path);
	free(sums);
	return status;
}

int advice_sum_interpreted(const struct tree *tree, struct tree_sums *sums)
{
	uint32_t *scripts = calloc(tree->n + 1, sizeof *scripts);

	for (uint32_t i = 1; scripts && i < tree->n; i++) {
		uint32_t function = tree->nodes[i].function;
		const struct function *f = &tree->data->functions[function];
		struct tree_sums self;

		if (function_is_runtime(f))
			scripts[i] = function;
		else if (f->interpreter && scripts[tree->nodes[i].parent]) {
			scripts[i] = scripts[tree->nodes[i].parent];
			self = tree_self(tree, i);
			tree_sums_add(&sums[scripts[i]], &self);
		}
	}
	free(scripts);
	return scripts ? 0 : -1;
}

int advice_find_libraries(
	struct advices *list, const struct tree *tree, struct err *err)
{
	size_t n = (size_t)tree->impl->nfunctions + 1;
	struct tree_sums *sums = calloc(n, sizeof *sums);
	struct library_call *entries = calloc(tree->n + 1, sizeof *entries);
	int status = sums && entries ? 0 : -1;

	for (uint32_t i = 1; !status && i < tree->n; i++)
		entries[i] = entry_of(tree, entries, i);
	if (!status)
		sum_entries(tree, entries, 0, sums);
	for (uint32_t f = FN_FIRST_REAL; !status && f < n; f++)
		if (advice_share(tree, sums[f].weight) >= ADVICE_HOT_SHARE &&
			!tree->data->functions[f].is_main)
			status = find_library(list, tree, entries, f);
	free(sums);
	free(entries);
	return status ? err_memory(err, NULL, "advise") : 0;
}
