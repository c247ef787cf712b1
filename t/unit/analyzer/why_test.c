/*
 * why: the rows of two resources of random recursive stacks against an oracle
 * that takes each stack by itself.
 */
#include "analyzer/profile/function_figures.h"
#include "analyzer/questions/why.h"
#include "t/lib/draw.h"
#include "t/unit/analyzer/oracle.h"
#include "t/lib/tap.h"

#define ROUNDS 300
#define FIRST FN_FIRST_REAL /* number of the first function */
#define STACKS 30
#define FUNCTIONS 6
#define END (FIRST + FUNCTIONS)
#define THRESHOLD 0.1

static struct input {
	uint32_t functions[STACKS][ORACLE_DEPTH];
	struct stack stacks[STACKS];
	size_t n;
	uint64_t total;
	struct tree *tree;
} in[2];

static struct cpd_resource resources[3] = {
	{.name = ""}, {.name = "faults"}, {.name = "cpu"}};
static struct function functions[END];
static struct dataset data = {.nfunctions = END - 1,
	.functions = functions,
	.nresources = 2,
	.resources = resources};

/* Few functions that call each other below one that often only calls on. */
static void random_input(struct input *to, uint32_t resource)
{
	struct err err;

	to->n = 1 + draw(STACKS);
	to->total = 0;
	for (size_t s = 0; s < to->n; s++) {
		struct stack *stack = &to->stacks[s];

		*stack = (struct stack){.functions = to->functions[s],
			.depth = 2 + draw(11),
			.hits = 1,
			.weight = 1 + draw(1000)};
		for (uint32_t i = 0; i < stack->depth; i++)
			to->functions[s][i] =
				i < 2 ? FIRST + i
				      : FIRST + 1 + draw(FUNCTIONS - 1);
		if (!draw(100))
			to->functions[s][1] = FIRST + draw(FUNCTIONS);
		to->total += stack->weight;
	}
	to->tree = tree_from_stacks(to->stacks, to->n, &err);
	to->tree->data = &data;
	to->tree->view.resource = resource;
}

static uint64_t weight_of(
	const struct oracle *oracle, const uint32_t *path, uint32_t length)
{
	const struct oracle_record *r = oracle_find(oracle, path, length);

	return r ? r->weight : 0;
}

static bool reaches(size_t t, uint64_t weight)
{
	return weight && (double)weight >= THRESHOLD * (double)in[t].total;
}

/* How many paths of one oracle reach the threshold there, and in the other, if
   there is one, do not. */
static size_t alone(const struct oracle *oracle, size_t t,
	const struct oracle *other, bool functions_only)
{
	size_t n = 0;

	for (size_t i = 0; i < oracle->n; i++) {
		const struct oracle_record *r = &oracle->records[i];

		n += (!functions_only || r->length == 1) &&
		     reaches(t, r->weight) &&
		     !(other &&
			     reaches(!t, weight_of(other, r->path, r->length)));
	}
	return n;
}

/* The rows are those paths that reach the threshold in either resource, each
   with what it has of both, by falling weight of the first. */
static bool same(const struct why *why, const struct oracle *oracles,
	bool functions_only)
{
	if (why->n !=
		alone(&oracles[0], 0, NULL, functions_only) +
			alone(&oracles[1], 1, &oracles[0], functions_only))
		return false;
	for (size_t i = 0; i < why->n; i++) {
		const struct why_row *row = &why->rows[i];

		for (size_t t = 0; t < 2; t++)
			if (row->of[t].weight !=
				weight_of(&oracles[t], row->path, row->length))
				return false;
		if (!reaches(0, row->of[0].weight) &&
			!reaches(1, row->of[1].weight))
			return false;
		if (i && why->rows[i - 1].of[0].weight < row->of[0].weight)
			return false;
	}
	return true;
}

/* The callee that has 99 % of F's total where F's own is small; 0: none.
   TOTAL: F's. */
static uint32_t keeper(size_t t, uint32_t f, uint64_t *total)
{
	uint64_t callees[END] = {0}, self = 0;

	*total = 0;
	for (size_t s = 0; s < in[t].n; s++) {
		const struct stack *stack = &in[t].stacks[s];
		uint32_t i = 0;

		while (i < stack->depth && stack->functions[i] != f)
			i++;
		if (i == stack->depth)
			continue;
		*total += stack->weight;
		if (i + 1 < stack->depth)
			callees[stack->functions[i + 1]] += stack->weight;
		if (stack->functions[stack->depth - 1] == f)
			self += stack->weight;
	}
	for (uint32_t c = FIRST; c < END; c++)
		if (c != f && *total &&
			(double)self < THRESHOLD * (double)in[t].total &&
			(double)callees[c] >= PROFILE_KEEPS * (double)*total)
			return c;
	return 0;
}

/* Whether callees that keep all lead back to F: one of such a circle stays. */
static bool in_circle(size_t t, uint32_t f)
{
	uint32_t at = f;
	uint64_t total;

	for (uint32_t steps = 0; steps < FUNCTIONS && at; steps++) {
		at = keeper(t, at, &total);
		if (at == f)
			return true;
	}
	return false;
}

static bool wrapper_is_right(const struct why_row *row)
{
	bool wanted = true, circle = false;

	for (size_t t = 0; t < 2; t++) {
		uint64_t total;

		wanted &= keeper(t, *row->path, &total) || !total;
		circle |= in_circle(t, *row->path);
	}
	return row->wrapper == wanted || (circle && !row->wrapper);
}

static struct why *ask(
	enum profile_kind kind, const uint32_t *root, struct err *err)
{
	const struct tree *const trees[] = {in[0].tree, in[1].tree};
	static const struct tree *kept[2];

	memcpy(kept, trees, sizeof kept);
	return why_new(kept, 2,
		&(struct why_choice){kind, root, root != NULL, THRESHOLD}, err);
}

static unsigned wrong_paths, wrong_functions, wrong_wrappers, wrappers;

static void check_functions(void)
{
	struct oracle oracles[2] = {{0}};
	struct err err;
	struct why *why = ask(PROFILE_FUNCTION, NULL, &err);

	for (size_t t = 0; t < 2; t++)
		for (uint32_t f = FIRST; f < END; f++)
			oracle_down(&oracles[t], in[t].stacks, in[t].n, f);
	wrong_functions += !why || !same(why, oracles, true);
	for (size_t i = 0; why && i < why->n; i++) {
		wrong_wrappers += !wrapper_is_right(&why->rows[i]);
		wrappers += why->rows[i].wrapper;
	}
	why_free(why);
	oracle_free(&oracles[0]);
	oracle_free(&oracles[1]);
}

static void check_paths(uint32_t root)
{
	struct oracle oracles[2] = {{0}};
	struct err err;
	struct why *why = ask(PROFILE_DOWN, &root, &err);

	for (size_t t = 0; t < 2; t++)
		oracle_down(&oracles[t], in[t].stacks, in[t].n, root);
	wrong_paths += !why || !same(why, oracles, false);
	why_free(why);
	oracle_free(&oracles[0]);
	oracle_free(&oracles[1]);
}

int main(void)
{
	for (uint32_t f = 0; f < END; f++)
		functions[f] = (struct function){.name = "f",
			.shown = "f",
			.brief = "f",
			.linkage = "",
			.module = "",
			.file = "",
			.lo = f};
	for (int round = 0; round < ROUNDS; round++) {
		random_input(&in[0], 1);
		random_input(&in[1], 2);
		check_functions();
		for (uint32_t f = FIRST; f < END; f++)
			check_paths(f);
		tree_free(in[0].tree);
		tree_free(in[1].tree);
	}
	ok(!wrong_functions, "functions: what the oracle says of both (%d)",
		ROUNDS);
	ok(!wrong_paths, "paths from every function likewise");
	ok(!wrong_wrappers && wrappers > ROUNDS / 3,
		"wrappers are those of both resources: %u", wrappers);
	return done_testing();
}
