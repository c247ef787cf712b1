/* Finds the contexts that are worth a look, and what is odd about each. */
#include "analyzer/questions/advice_private.h"

#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"
#include "analyzer/profile/function_figures.h"
#include "analyzer/profile/profile_parts.h"
#include "analyzer/questions/cycles.h"
#include "analyzer/questions/why.h"

#define COSTLY 0.05   /* self of a function that is worth a context */
#define ONE_HAS 0.8   /* of its total */
#define OF_ITSELF 0.5 /* of its total, or what it calls is hot */
#define RECURSES 0.1  /* share of a cycle, and */
#define ROUNDS 3      /* how often it goes round */
#define TOO_FEW 0.001 /* events, or KiB, for each us of the time */

static bool is_time(const struct tree *tree)
{
	return tree_resource(tree)->unit == CPD_USEC;
}

/*
 * Whether so much of a resource was consumed that it can matter: what every
 * program does at its start, and nothing more, does not.
 */
static bool is_much(const struct tree *const *trees, size_t n, size_t which)
{
	const struct tree *tree = trees[which];
	size_t time = why_time(trees, n);
	double least;

	if (advice_is_line(tree))
		return false;
	if (time == n || is_time(tree))
		return true;
	least = TOO_FEW * (double)tree_total(trees[time], 0)->weight;
	if (tree_resource(tree)->unit == CPD_BYTES)
		least *= 1024;
	return (double)tree_total(tree, 0)->weight >= least;
}

/* Outermost occurrences of a function, and where each stands in its stack. */
struct places {
	uint32_t *at, *now; /* nodes: the occurrence, and a caller of it */
	size_t n;
};

static int find_places(
	const struct tree *tree, uint32_t f, struct places *places)
{
	VEC(uint32_t) found = {0};

	for (uint32_t i = 0; i < tree->n;) {
		uint32_t *to;

		if (tree->nodes[i].function != f) {
			i++;
			continue;
		}
		to = vec_push(&found);
		if (!to) {
			vec_free(&found);
			return -1;
		}
		*to = i;
		i += tree->nodes[i].size;
	}
	places->at = found.v;
	places->n = found.n;
	places->now = calloc(found.n + 1, sizeof *places->now);
	if (!places->now)
		return -1;
	if (found.n)
		memcpy(places->now, found.v, found.n * sizeof *found.v);
	return 0;
}

/* Goes on to the callers of all places and adds up SUMS by function. */
static void to_callers(
	const struct tree *tree, struct places *places, uint64_t *sums)
{
	for (size_t i = 0; i < places->n; i++) {
		uint32_t f;

		places->now[i] = tree->nodes[places->now[i]].parent;
		f = tree->nodes[places->now[i]].function;
		if (f != FN_ALL)
			sums[f] += tree_total(tree, places->at[i])->weight;
	}
}

/* The function where the places are that has most; FN_ALL: none has any. */
static uint32_t heaviest_caller(const struct tree *tree,
	const struct places *places, const uint64_t *sums)
{
	uint32_t most = FN_ALL;

	for (size_t i = 0; i < places->n; i++) {
		uint32_t f = tree->nodes[places->now[i]].function;

		if (sums[f] > sums[most])
			most = f;
	}
	return most;
}

/* Keeps the places in CALLER; SUMS become zeros. */
static void keep_caller(const struct tree *tree, struct places *places,
	uint64_t *sums, uint32_t caller)
{
	size_t kept = 0;

	for (size_t i = 0; i < places->n; i++) {
		uint32_t f = tree->nodes[places->now[i]].function;

		sums[f] = 0;
		if (f != caller)
			continue;
		places->at[kept] = places->at[i];
		places->now[kept++] = places->now[i];
	}
	places->n = kept;
}

#define CONTEXT_MAX 48 /* functions of a path */
#define HOT_SHOWN 3    /* of one that has no other */

/* A function's callers, from itself outward: the heaviest at each step. */
struct chain {
	uint32_t functions[CONTEXT_MAX];
	uint64_t had[CONTEXT_MAX]; /* of the function's total, by so many */
	uint32_t n;
	struct advice_part callers[ADVICE_PARTS]; /* of which none has most */
};

static void take_callers(const struct tree *tree, const struct places *places,
	uint64_t *sums, struct chain *chain)
{
	for (size_t i = 0; i < ADVICE_PARTS; i++) {
		uint32_t most = heaviest_caller(tree, places, sums);
		double share = advice_share(tree, sums[most]);

		if (share >= COSTLY)
			chain->callers[i] = (struct advice_part){most, share};
		sums[most] = 0;
	}
}

/* The longest chain of callers that has ONE_HAS of F. */
static int find_chain(const struct tree *tree, uint32_t f, uint64_t total,
	uint64_t *sums, struct chain *chain)
{
	struct places places = {0};
	int status = find_places(tree, f, &places);

	*chain = (struct chain){{f}, {total}, 1, {{0}}};
	while (!status && chain->n < CONTEXT_MAX) {
		uint32_t caller;
		uint64_t next;

		to_callers(tree, &places, sums);
		caller = heaviest_caller(tree, &places, sums);
		next = sums[caller];
		if ((double)next < ONE_HAS * (double)total) {
			take_callers(tree, &places, sums, chain);
			keep_caller(tree, &places, sums, FN_ALL);
			break;
		}
		keep_caller(tree, &places, sums, caller);
		chain->functions[chain->n] = caller;
		chain->had[chain->n++] = next;
	}
	free(places.at);
	free(places.now);
	return status;
}

/*
 * How much of the chain is the context: up to where others part from it last,
 * or, where those have next to nothing, first.  0: it has no others.
 */
static uint32_t context_length(const struct chain *chain)
{
	uint32_t first = 0, last = 0;

	for (uint32_t i = 1; i < chain->n; i++) {
		double kept = (double)chain->had[i] / (double)chain->had[i - 1];

		if (kept < PROFILE_KEEPS)
			last = i + 1;
		if (kept < 1 && !first)
			first = i + 1;
	}
	return last ? last : first;
}

/* The first of the N functions that is the program's own; N: none is. */
static uint32_t own_function(
	const struct tree *tree, const uint32_t *functions, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && !advice_is_own(tree->data, functions[i]))
		i++;
	return i;
}

/* What has a context in libraries alone has it where the program enters them,
   or is no advice. */
static int add_context(struct advices *list, const struct tree *tree,
	const struct chain *chain, enum advice_kind kind, uint32_t length)
{
	uint32_t path[CONTEXT_MAX];
	uint32_t own = own_function(tree, chain->functions, chain->n), n = 0;
	uint64_t total = chain->had[0], had;

	if (kind != ADVICE_HOT && own == chain->n)
		return 0;
	if (own < chain->n && own >= length)
		length = own + 1;
	had = chain->had[length - 1];
	for (uint32_t i = length; i-- > 0;) /* what calls itself stands once */
		if (!n || path[n - 1] != chain->functions[i])
			path[n++] = chain->functions[i];
	return advice_add(list,
		(struct advice){.kind = kind,
			.tree = tree,
			.length = n,
			.share = advice_share(tree, total),
			.part = (double)had / (double)total,
			.count = had},
		path);
}

static const struct function_figure *figure_of(
	const struct function_figures *figures, uint32_t function)
{
	for (size_t i = 0; i < figures->n; i++)
		if (figures->v[i].function == function)
			return &figures->v[i];
	return NULL;
}

/* The function of a chain that has nothing to tell, and who calls that. */
static int add_called(struct advices *list, const struct tree *tree,
	const struct chain *chain)
{
	struct advice advice = {.kind = ADVICE_HOT,
		.tree = tree,
		.length = 1,
		.share = advice_share(tree, chain->had[0]),
		.part = 1,
		.count = chain->had[0],
		.fork = chain->functions[0]};

	memcpy(advice.parts, chain->callers, sizeof advice.parts);
	return advice_add(list, advice, chain->functions);
}

/*
 * How much of a chain that all of the function's callers share is worth
 * showing: up to the caller that does something else as well, or little where
 * none does.
 */
static uint32_t hot_length(
	const struct chain *chain, const struct function_figures *figures)
{
	for (uint32_t i = 1; i < chain->n; i++) {
		const struct function_figure *caller =
			figure_of(figures, chain->functions[i]);

		if (caller && PROFILE_KEEPS * (double)caller->total.weight >
				      (double)chain->had[i])
			return i + 1;
	}
	return chain->n < HOT_SHOWN ? chain->n : HOT_SHOWN;
}

static int find_context(struct advices *list, const struct tree *tree,
	const struct function_figures *figures,
	const struct function_figure *figure, bool time, uint64_t *sums)
{
	struct chain chain;
	uint32_t length;

	if (find_chain(
		    tree, figure->function, figure->total.weight, sums, &chain))
		return -1;
	length = context_length(&chain);
	if (length)
		return add_context(list, tree, &chain,
			profile_of_all(tree) ? ADVICE_REPEATED : ADVICE_CONTEXT,
			length);
	if (!time ||
		advice_share(tree, figure->self.weight) < ADVICE_HOT_SHARE ||
		(double)figure->self.weight <
			OF_ITSELF * (double)figure->total.weight)
		return 0;
	length = hot_length(&chain, figures);
	if (length == chain.n && chain.callers->function &&
		(length == 1 ||
			own_function(tree, chain.functions, length) == length))
		return add_called(list, tree, &chain);
	return add_context(list, tree, &chain, ADVICE_HOT, length);
}

/* Whether page faults that F has may matter: it has time, too.  TIME or NULL
   is a tree. */
static bool may_matter(
	const struct tree *tree, const struct tree *time, uint32_t f)
{
	const struct function_sums *sums;

	if (!time || !(tree_resource(tree)->flags & CPD_RESOURCE_AT_MEMORY))
		return true;
	sums = f < time->impl->nfunctions ? profile_sums(time) : NULL;
	return sums && advice_share(time, sums[f].total.weight) >= COSTLY;
}

/* TIME: a tree, TREE or another, or NULL. */
static int find_contexts(struct advices *list, const struct tree *tree,
	const struct tree *time, struct err *err)
{
	size_t n = (size_t)tree->impl->nfunctions + 1;
	uint64_t *sums = calloc(n, sizeof *sums);
	struct tree_sums *interpreted = calloc(n, sizeof *interpreted);
	struct function_figures figures = {0};
	int status = -1;

	if (!sums || !interpreted || advice_sum_interpreted(tree, interpreted))
		err_memory(err, NULL, "advise");
	else
		status = function_figures_init(
			&figures, tree, FIGURES_ALL, 0, err);
	for (size_t i = 0; !status && i < figures.n; i++) {
		struct function_figure f = figures.v[i];

		tree_sums_add(&f.self, &interpreted[f.function]);
		if (f.function < FN_FIRST_REAL ||
			advice_share(tree, f.self.weight) < COSTLY ||
			f.self.samples < ADVICE_SAMPLES ||
			advice_is_interpreting(tree->data,
				&tree->data->functions[f.function]) ||
			!may_matter(tree, time, f.function))
			continue;
		if (find_context(list, tree, &figures, &f, tree == time, sums))
			status = err_memory(err, NULL, "advise");
	}
	function_figures_fini(&figures);
	free(interpreted);
	free(sums);
	return status;
}

/* Whether it is the interpreter that goes round, of what nobody can tell. */
static bool is_interpreted(const struct dataset *data, const struct cycle *c)
{
	bool interpreting = false;

	for (size_t i = 0; i < c->length; i++) {
		const struct function *f = &data->functions[c->functions[i]];

		if (advice_is_interpreting(data, f))
			interpreting = true;
		else if (function_is_runtime(f))
			return false;
	}
	return interpreting;
}

static int find_recursion(
	struct advices *list, const struct tree *tree, struct err *err)
{
	struct cycles *cycles = cycles_new(tree, err);
	int status = cycles ? 0 : -1;

	for (size_t i = 0; !status && i < cycles->n; i++) {
		const struct cycle *c = &cycles->v[i];
		double share = advice_share(tree, c->sums.weight);

		if (share < RECURSES || c->rounds < ROUNDS ||
			c->sums.samples < ADVICE_SAMPLES ||
			c->length > CONTEXT_MAX ||
			is_interpreted(tree->data, c) ||
			own_function(tree, c->functions, c->length) ==
				c->length)
			continue;
		if (advice_add(list,
			    (struct advice){.kind = ADVICE_RECURSION,
				    .tree = tree,
				    .length = c->length,
				    .share = share,
				    .count = c->rounds},
			    c->functions))
			status = err_memory(err, NULL, "advise");
		break;
	}
	cycles_free(cycles);
	return status;
}

/* Whether the advice on WAITS tells of a resource: real is waits and CPU time.
 */
static bool is_told(const struct tree *tree, const struct tree *waits)
{
	const struct dataset *data = tree->data;
	const struct cpd_resource *r = tree_resource(tree);

	return waits && (r == tree_resource(waits) ||
				(!strcmp(r->name, "real") &&
					dataset_named(data, "cpu")));
}

/* The first time that the advice on WAITS does not tell of; NULL: none. */
static const struct tree *time_to_tell(
	const struct tree *const *trees, size_t n, const struct tree *waits)
{
	for (size_t i = 0; i < n; i++)
		if (is_time(trees[i]) && !advice_is_line(trees[i]) &&
			!is_told(trees[i], waits))
			return trees[i];
	return NULL;
}

int advice_init(struct advices *advices, const struct tree *const *trees,
	size_t n, const struct advice_run *run, struct err *err)
{
	const struct tree *waits = run->waits;
	const struct tree *time = time_to_tell(trees, n, waits);
	int status = 0;

	*advices = (struct advices){.data = trees[0]->data};
	if (n && is_time(trees[0]))
		status = advice_find_run(advices, trees, n, run, err);
	if (!status && n)
		status = advice_find_waits(advices, trees, run, err);
	for (size_t i = 0; i < n && !status; i++)
		if (is_much(trees, n, i) && !is_told(trees[i], waits))
			status = find_contexts(advices, trees[i], time, err);
	if (!status && time)
		status = advice_find_libraries(advices, time, err)
				 ?: advice_find_spread(advices, time, err);
	if (!status && n)
		status = advice_find_processes(advices, trees, n, err);
	if (!status && n)
		status = find_recursion(advices, trees[0], err);
	if (status)
		advice_fini(advices);
	advice_choose(advices);
	return status;
}

void advice_fini(struct advices *advices)
{
	for (size_t i = 0; i < advices->n; i++)
		free(advices->v[i].path);
	vec_free(advices);
}
