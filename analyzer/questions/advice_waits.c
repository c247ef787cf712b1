/*
 * advice_waits.c - what the program waits for, and that it mostly does.
 */
#include "analyzer/questions/advice_private.h"

#include <stdlib.h>

#include "lib/set.h"
#include "lib/sum.h"

#define ONE_WAIT 0.2 /* share of waits with work that is worth a word */
#define LEAST 0.05   /* of all waits, or of the run's time, likewise */
#define WAIT_MAX 64  /* functions of its path, the innermost */
#define RESTS 0.5    /* share of the time that is worth a word */
#define NEARLY_ALL 0.9

/* What a function of the program waits for. */
struct wait {
	uint32_t own, call; /* functions; OWN FN_ALL: none */
	uint64_t weight;
	uint32_t node; /* its heaviest, with MOST */
	uint64_t most;
};

typedef SET_OF(struct wait) waits_t;

/* Where a wait in NODE is for a lock, or for time to pass: where the function
   that does so is called, for what that is made of tells nothing. */
static uint32_t telling(const struct tree *tree, uint32_t node)
{
	const struct dataset *data = tree->data;
	uint32_t tells = node;

	for (uint32_t i = node; i; i = tree->nodes[i].parent) {
		uint32_t f = tree->nodes[i].function;

		if (f >= FN_FIRST_REAL &&
			dataset_tells_wait(
				&data->functions[data->functions[f].base]))
			tells = i;
	}
	return tells;
}

/* The program's own function that NODE is called for, with a name if one has;
   where there is none, the one that entered the library NODE is called in, and
   last an interpreter's. */
static uint32_t own_above(const struct tree *tree, uint32_t node)
{
	const struct function *functions = tree->data->functions, *in = NULL;
	uint32_t f, entered = FN_ALL, other = FN_ALL;

	while ((node = tree->nodes[node].parent)) {
		f = tree->nodes[node].function;
		if (f < FN_FIRST_REAL)
			continue;
		if (advice_is_interpreting(tree->data, &functions[f]) ||
			dataset_is_stub(&functions[f]))
			continue;
		if (advice_is_own(tree->data, f) &&
			functions[f].source != CPD_NAME_NONE)
			return f;
		if (!dataset_is_librarys(&functions[f])) {
			other = other == FN_ALL ? f : other;
			continue;
		}
		if (!in)
			in = &functions[f];
		if (entered == FN_ALL &&
			!dataset_is_libc(functions[f].module) &&
			functions[f].module_id != in->module_id)
			entered = f;
	}
	if (other == FN_ALL ||
		(entered != FN_ALL && functions[other].interpreter))
		return entered;
	return other;
}

static int sum_waits(const struct tree *tree, waits_t *waits)
{
	for (uint32_t i = 1; i < tree->n; i++) {
		struct wait wait = {0};
		uint64_t self = tree_self(tree, i).weight;
		uint32_t at, node;

		if (!self || tree->nodes[i].function < FN_FIRST_REAL)
			continue;
		node = telling(tree, i);
		wait.call = tree->nodes[node].function;
		wait.own = own_above(tree, node);
		at = set_add(waits, &wait, offsetof(struct wait, weight));
		if (at == HASH_NONE)
			return -1;
		waits->v[at].weight += self;
		if (self > waits->v[at].most) {
			waits->v[at].most = self;
			waits->v[at].node = node;
		}
	}
	return 0;
}

/* The time of the only thread that ran, in us; 0: there were several, or it is
   not known. */
static double time_of_one(const struct tree *tree)
{
	const struct dataset *data = tree->data;
	const struct filters *filters = tree->view.filters;
	uint32_t line = dataset_named(data, "runqueue");
	uint64_t ran;

	return dataset_threads_run(data) > 1 || (filters && filters->n) ||
			       !advice_computed(data, &ran)
		       ? 0
		       : (double)ran + (double)data->books[line].weight +
				 (double)tree_total(tree, 0)->weight;
}

/* As ADVICE, with the path of WAIT. */
static int add_wait(
	struct advices *list, struct advice advice, const struct wait *wait)
{
	const struct tree *tree = advice.tree;
	uint32_t path[WAIT_MAX], n = 0, own = 0;

	for (uint32_t i = wait->node; i && n < WAIT_MAX;
		i = tree->nodes[i].parent) {
		if (n && path[WAIT_MAX - n] == tree->nodes[i].function)
			continue; /* it calls itself */
		path[WAIT_MAX - ++n] = tree->nodes[i].function;
		if (!own && n > 1 && tree->nodes[i].function == wait->own)
			own = n;
	}
	advice.count = wait->weight;
	advice.length = n;
	advice.tells = own ? n - own + 1 : 0;
	return advice_add(list, advice, path + WAIT_MAX - n);
}

static bool may_matter(const struct tree *tree, uint64_t weight, uint64_t wall)
{
	return advice_share(tree, weight) >= LEAST ||
	       (wall && (double)weight >= LEAST * (double)wall);
}

/* Of threads that have something to do, in a run of WALL us.  -1 when out of
   memory. */
static int find_working(
	struct advices *list, const struct tree *tree, uint64_t wall)
{
	waits_t waits = {0};
	uint32_t thread;
	uint64_t longest, ran;
	uint64_t sum = 0;
	double time = time_of_one(tree);
	int bad = advice_heaviest(tree, &thread, &longest);

	advice_computed(tree->data, &ran);
	if (!bad && longest > ran)
		bad = sum_waits(tree, &waits);
	for (size_t i = 0; i < waits.n; i++)
		sum += waits.v[i].weight;
	if (sum <= ran) /* the longest had nothing to do */
		waits.n = 0;
	for (size_t i = 0; i < waits.n && !bad; i++) {
		double weight = (double)waits.v[i].weight;

		if (weight >= ONE_WAIT * (double)sum &&
			may_matter(tree, waits.v[i].weight, wall))
			bad = add_wait(list,
				(struct advice){.kind = ADVICE_WAITS,
					.tree = tree,
					.share = advice_share(
						tree, waits.v[i].weight),
					.part = time > 0 ? weight / time : 0},
				&waits.v[i]);
	}
	set_free(&waits);
	return bad;
}

/* Whether nobody knows that it serves others, and RESTS is most of its time. */
static bool is_first(const struct dataset *data, double rests)
{
	return rests >= NEARLY_ALL && dataset_threads_run(data) == 1 &&
	       !dataset_noted(data, "attached");
}

/* What the only thread waits for: [idle] of a server, but a client waits for
   its server in the same calls.  TREE has all stacks. */
static int find_idle(struct advices *list, const struct tree *tree, double time)
{
	waits_t waits = {0};
	const struct wait *most = NULL;
	int bad = sum_waits(tree, &waits);

	for (size_t i = 0; i < waits.n && !bad; i++)
		if (!most || waits.v[i].weight > most->weight)
			most = &waits.v[i];
	if (most && (double)most->weight >= RESTS * time) {
		double share = (double)most->weight / time;

		bad = add_wait(list,
			(struct advice){.kind = ADVICE_REST,
				.tree = tree,
				.share = share,
				.part = share,
				.first = is_first(tree->data, share)},
			most);
	}
	set_free(&waits);
	return bad;
}

static double idle_share(const struct tree *waits)
{
	uint64_t idle = 0;

	for (uint32_t i = 1; i < waits->n; i++)
		if (waits->nodes[i].function == FN_IDLE)
			idle += tree_total(waits, i)->weight;
	return advice_share(waits, idle);
}

/* That for most of the time no thread of several ran, for they were idle, or
   nobody knows why. */
static int find_rest(struct advices *list, const struct tree *tree,
	const struct advice_run *run)
{
	double share = run->wall ? (double)run->rest / (double)run->wall : 0;

	return share < RESTS || (run->waits && idle_share(run->waits) < RESTS)
		       ? 0
		       : advice_add(list,
				 (struct advice){.kind = ADVICE_REST,
					 .tree = run->waits ? run->waits : tree,
					 .share = share,
					 .count = run->rest,
					 .first = is_first(tree->data, share)},
				 NULL);
}

int advice_find_waits(struct advices *list, const struct tree *const *trees,
	const struct advice_run *run, struct err *err)
{
	const struct filters *filters = trees[0]->view.filters;
	size_t before = list->n;
	double time = run->stacks ? time_of_one(run->stacks) : 0;
	int bad = run->waits ? find_working(list, run->waits, run->wall) : 0;

	if (!bad && list->n == before && time > 0)
		bad = find_idle(list, run->stacks, time);
	else if (!bad && list->n == before && !(filters && filters->n))
		bad = find_rest(list, trees[0], run);
	return bad ? err_memory(err, NULL, "advise") : 0;
}
