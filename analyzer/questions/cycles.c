/*
 * cycles.c - finds the cycles in one walk of the sample tree.
 *
 * The current path is an array that is written forward and undone on the way
 * back.  A node whose function is in the path completes a cycle; the samples
 * below it went round.  A cycle counts from the outermost node that completes
 * it on, so that each sample counts once.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"
#include "lib/impl.h"
#include "lib/lists.h"
#include "lib/order.h"
#include "analyzer/profile/profile_parts.h"
#include "analyzer/questions/cycles.h"

#define NO_CYCLE UINT32_MAX

struct found_cycle {
	struct cycle cycle;
	uint32_t end;    /* where the node ends from which it counts */
	uint32_t rounds; /* in the stack at hand */
};

struct cycle_step { /* a node of the stack */
	uint32_t end;
	uint32_t length;             /* of the path above it */
	uint32_t cycle;              /* it completes; or NO_CYCLE, and */
	uint32_t function, position; /* what it has written over */
};

struct cycles_private {
	struct arena arena;
	VEC(struct found_cycle) found;
	VEC(struct cycle) cycles;
	struct lists known;      /* they, turned */
	uint32_t *path, *turned; /* functions; room for a cycle of them */
	uint32_t *position; /* by function: where in the path it may stand */
	struct cycle_step *steps;
	uint32_t depth, length;
};

/* Where the smallest function of the cycle PATH of N functions stands.
   Turned so that they begin there, equal ones are equal lists. */
static uint32_t smallest(const uint32_t *path, uint32_t n)
{
	uint32_t at = 0;

	for (uint32_t i = 1; i < n; i++)
		if (path[i] < path[at])
			at = i;
	return at;
}

/* The number of the cycle PATH; NO_CYCLE when out of memory. */
static uint32_t find(
	struct cycles_private *impl, const uint32_t *path, uint32_t n)
{
	uint32_t first = smallest(path, n), i, *copy;

	for (i = 0; i < n; i++)
		impl->turned[i] = path[(first + i) % n];
	i = lists_add(&impl->known, impl->turned, n);
	if (i < impl->found.n || i == HASH_NONE)
		return i;
	copy = arena_alloc(&impl->arena, n * sizeof *copy);
	if (!copy || !vec_add(&impl->found,
			     (struct found_cycle){.cycle = {.functions = copy,
							  .length = n}}))
		return NO_CYCLE;
	memcpy(copy, path, n * sizeof *copy);
	return i;
}

/* The node AT completes the cycle of the path from its place BEGIN on. */
static uint32_t complete(struct cycles_private *impl, const struct tree *tree,
	uint32_t at, uint32_t begin)
{
	uint32_t number = find(impl, impl->path + begin, impl->length - begin);
	struct found_cycle *found;

	if (number == NO_CYCLE)
		return NO_CYCLE;
	found = &impl->found.v[number];
	if (++found->rounds > found->cycle.rounds)
		found->cycle.rounds = found->rounds;
	if (at >= found->end) {
		found->end = at + tree->nodes[at].size;
		tree_sums_add(&found->cycle.sums, tree_total(tree, at));
	}
	return number;
}

static int enter(
	struct cycles_private *impl, const struct tree *tree, uint32_t at)
{
	const struct tree_node *node = &tree->nodes[at];
	struct cycle_step *step = &impl->steps[impl->depth++];
	uint32_t position = impl->position[node->function];

	step->end = at + node->size;
	step->length = impl->length;
	step->cycle = NO_CYCLE;
	if (position < impl->length && impl->path[position] == node->function) {
		step->cycle = complete(impl, tree, at, position);
		impl->length = position + 1;
		return step->cycle == NO_CYCLE ? -1 : 0;
	}
	step->function = impl->path[impl->length];
	step->position = position;
	impl->position[node->function] = impl->length;
	impl->path[impl->length++] = node->function;
	return 0;
}

static void leave(struct cycles_private *impl)
{
	const struct cycle_step *step = &impl->steps[--impl->depth];

	if (step->cycle != NO_CYCLE) {
		impl->found.v[step->cycle].rounds--;
	} else {
		impl->position[impl->path[step->length]] = step->position;
		impl->path[step->length] = step->function;
	}
	impl->length = step->length;
}

static int walk(
	const struct tree *tree, struct cycles_private *impl, struct err *err)
{
	for (uint32_t i = 1; i < tree->n; i++) {
		if (work_step(tree->view.work, "looking for cycles", i, tree->n,
			    err))
			return -1;
		while (impl->depth && impl->steps[impl->depth - 1].end <= i)
			leave(impl);
		if (enter(impl, tree, i))
			return err_memory(err, NULL, "profile");
	}
	return 0;
}

static int compare(const void *a, const void *b, void *tree)
{
	const struct cycle *x = a, *y = b;

	if (x->sums.weight != y->sums.weight || x->length != y->length)
		return ORDER(y->sums.weight, x->sums.weight)
			       ?: ORDER(x->length, y->length);
	for (uint32_t i = 0; i < x->length; i++)
		if (x->functions[i] != y->functions[i])
			return profile_compare_functions(
				tree, x->functions[i], y->functions[i]);
	return 0;
}

static int make(struct cycles *cycles, struct err *err)
{
	struct cycles_private *impl = cycles->impl;
	const struct tree *tree = cycles->tree;
	size_t levels = (size_t)tree->impl->max_depth + 2;
	size_t nfunctions = (size_t)tree->impl->nfunctions + 1;

	impl->path = calloc(levels, sizeof *impl->path);
	impl->turned = calloc(levels, sizeof *impl->turned);
	impl->steps = calloc(levels, sizeof *impl->steps);
	impl->position = calloc(nfunctions, sizeof *impl->position);
	if (!impl->path || !impl->turned || !impl->steps || !impl->position)
		return err_memory(err, NULL, "profile");
	if (walk(tree, impl, err))
		return -1;
	for (size_t i = 0; i < impl->found.n; i++) {
		struct cycle *to;

		if (!impl->found.v[i].cycle.sums.weight)
			continue;
		to = vec_push(&impl->cycles);
		if (!to)
			return err_memory(err, NULL, "profile");
		*to = impl->found.v[i].cycle;
	}
	cycles->v = impl->cycles.v;
	cycles->n = impl->cycles.n;
	if (cycles->n)
		qsort_r(cycles->v, cycles->n, sizeof *cycles->v, compare,
			(void *)(uintptr_t)tree);
	return 0;
}

struct cycles *cycles_new(const struct tree *tree, struct err *err)
{
	struct cycles *cycles = new_with_impl(struct cycles);

	if (!cycles) {
		err_memory(err, NULL, "profile");
		return NULL;
	}
	cycles->tree = tree;
	if (make(cycles, err) == 0)
		return cycles;
	cycles_free(cycles);
	return NULL;
}

void cycles_free(struct cycles *cycles)
{
	struct cycles_private *impl;

	if (!cycles)
		return;
	impl = cycles->impl;
	free(impl->path);
	free(impl->turned);
	free(impl->position);
	free(impl->steps);
	lists_free(&impl->known);
	vec_free(&impl->found);
	vec_free(&impl->cycles);
	arena_fini(&impl->arena);
	free(cycles);
}
