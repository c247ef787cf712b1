/*
 * advice_library.c - cost that is spread over many functions, none of which is
 * costly by itself: a library's, which the program can change only where it
 * calls, or that of the program below one function, where it parts.
 */
#include "analyzer/questions/advice_private.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/profile/profile_parts.h"
#include "analyzer/tree/tree_private.h"

#define STAYS 0.8 /* of a library's cost, that has not parted */
#define PART 0.05 /* of all, that is worth a word */
#define NEARLY_ALL 0.9

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

	if (f < FN_FIRST_REAL || !strcmp(functions[f].name, "_start"))
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

static uint32_t heaviest(const struct tree_sums *sums, size_t n)
{
	uint32_t most = FN_NONE;

	for (uint32_t f = FN_FIRST_REAL; f < n; f++)
		if (sums[f].weight > sums[most].weight)
			most = f;
	return most;
}

/* Goes on from the N nodes AT to the function that these call at most expense,
   if that has so much as STAYS; how many of its nodes.  SUMS: of NSUMS, room;
   then what all callees have. */
static uint32_t go_on(const struct tree *tree, uint32_t *at, uint32_t n,
	struct tree_sums *sums, size_t nsums, double stays)
{
	const struct tree_node *nodes = tree->nodes;
	uint32_t most, kept = 0;

	memset(sums, 0, nsums * sizeof *sums);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t c = at[i] + 1; c < at[i] + nodes[at[i]].size;
			c += nodes[c].size)
			tree_sums_add(
				&sums[nodes[c].function], tree_total(tree, c));
	most = heaviest(sums, nsums);
	for (uint32_t i = 0; i < n && (double)sums[most].weight >= stays; i++)
		for (uint32_t c = at[i] + 1, end = at[i] + nodes[at[i]].size;
			c < end; c += nodes[c].size)
			if (nodes[c].function == most)
				at[kept++] = c; /* no other below AT[I] is */
	return kept;
}

/* Fills in where the library of A parts, which is entered at the N nodes AT. */
static void find_parts(struct advice *a, uint32_t *at, uint32_t n,
	struct tree_sums *sums, size_t nsums)
{
	const struct tree *tree = a->tree;
	uint32_t more = n;

	while ((more = go_on(tree, at, n, sums, nsums, STAYS * a->count)))
		n = more;
	a->fork = tree->nodes[*at].function;
	for (uint32_t i = 0; i < n; i++) {
		struct tree_sums self = tree_self(tree, at[i]);

		tree_sums_add(&sums[a->fork], &self);
	}
	for (size_t i = 0; i < ADVICE_PARTS; i++) {
		struct advice_part *part = &a->parts[i];

		part->function = heaviest(sums, nsums);
		part->share = advice_share(tree, sums[part->function].weight);
		sums[part->function].weight = 0;
		if (part->share < PART)
			part->function = FN_NONE;
	}
}

/* The library's function that OWN calls at most expense. */
static int find_library(struct advices *list, const struct tree *tree,
	const struct library_call *entries, uint32_t own)
{
	size_t n = (size_t)tree->impl->nfunctions + 1;
	struct tree_sums *sums = calloc(n, sizeof *sums);
	uint32_t *at = calloc(tree->n, sizeof *at), entered = 0;
	struct advice a = {.kind = ADVICE_LIBRARY, .tree = tree, .length = 2};
	int status = sums && at ? 0 : -1;
	uint32_t called = FN_NONE;
	bool much = false;

	if (!status) {
		sum_entries(tree, entries, own, sums);
		called = heaviest(sums, n);
		a.count = sums[called].weight;
		a.share = advice_share(tree, a.count);
		much = a.share >= ADVICE_HOT_SHARE &&
		       sums[called].samples >= ADVICE_SAMPLES;
	}
	for (uint32_t i = 1; much && i < tree->n; i++)
		if (entries[i].called == i && entries[i].own != i &&
			tree->nodes[i].function == called &&
			tree->nodes[entries[i].own].function == own)
			at[entered++] = i;
	if (much) {
		find_parts(&a, at, entered, sums, n);
		status = advice_add(list, a, (uint32_t[]){own, called});
	}
	free(sums);
	free(at);
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

/* Whether what a function of the program consumes with all that it calls is
   worth a word: main() is no news, nor is what leads to all there is, nor what
   nobody has named. */
static bool may_part(const struct tree *tree, uint32_t f)
{
	const struct function *function = &tree->data->functions[f];
	const struct function_sums *sums = &profile_sums(tree)[f];
	double share = advice_share(tree, sums->total.weight);

	return share >= ADVICE_HOT_SHARE &&
	       (share < NEARLY_ALL || advice_share(tree, sums->self.weight) >=
					      ADVICE_HOT_SHARE) &&
	       sums->total.samples >= ADVICE_SAMPLES && !function->is_main &&
	       !function->interpreter && function->source != CPD_NAME_NONE &&
	       !dataset_is_librarys(function);
}

/* If the cost of F parts there.  AT, SUMS: room. */
static int find_fork(struct advices *list, const struct tree *tree, uint32_t f,
	uint32_t *at, struct tree_sums *sums)
{
	size_t nsums = (size_t)tree->impl->nfunctions + 1;
	uint64_t total = profile_sums(tree)[f].total.weight, most = 0;
	struct advice a = {.kind = ADVICE_SPREAD,
		.tree = tree,
		.length = 2,
		.share = advice_share(tree, total),
		.count = total};
	uint32_t n = 0, caller = FN_ALL;

	for (uint32_t i = 1; i < tree->n;) {
		if (tree->nodes[i].function != f) {
			i++;
			continue;
		}
		if (tree_total(tree, i)->weight > most) {
			most = tree_total(tree, i)->weight;
			caller = tree->nodes[tree->nodes[i].parent].function;
		}
		at[n++] = i;
		i += tree->nodes[i].size;
	}
	if (caller < FN_FIRST_REAL ||
		go_on(tree, at, n, sums, nsums, STAYS * (double)total))
		return 0;
	find_parts(&a, at, n, sums, nsums);
	return a.parts[1].function
		       ? advice_add(list, a, (uint32_t[]){caller, f})
		       : 0;
}

int advice_find_spread(
	struct advices *list, const struct tree *tree, struct err *err)
{
	size_t n = (size_t)tree->impl->nfunctions;
	struct tree_sums *sums = calloc(n + 1, sizeof *sums);
	uint32_t *at = calloc(tree->n, sizeof *at);
	int status = sums && at && profile_sums(tree) ? 0 : -1;

	for (uint32_t f = FN_FIRST_REAL; !status && f < n; f++)
		if (may_part(tree, f))
			status = find_fork(list, tree, f, at, sums);
	free(sums);
	free(at);
	return status ? err_memory(err, NULL, "advise") : 0;
}
