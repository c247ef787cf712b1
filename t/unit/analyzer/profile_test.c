/*
 * Profiles of random recursive stacks against the oracle, entry by entry.
 */
#include "analyzer/profile/paths.h"
#include "t/lib/draw.h"
#include "t/lib/tap.h"
#include "t/unit/analyzer/oracle.h"
#include "t/unit/analyzer/planted.h"

#define ROUNDS 300
#define STACKS 40

struct input {
	uint32_t functions[STACKS][ORACLE_DEPTH];
	struct stack stacks[STACKS];
	size_t n;
	uint32_t nfunctions;
	uint64_t total;
};

/*
 * Three shapes by turns: uniform (mutual recursion of few functions), runs of
 * one function (deep self recursion), and stacks that share beginnings.
 */
static void random_input(struct input *in, int round)
{
	in->nfunctions = 1 + draw(round % 5 == 0 ? 10 : 5);
	in->n = 1 + draw(STACKS);
	in->total = 0;
	for (size_t s = 0; s < in->n; s++) {
		uint32_t depth = draw(round % 4 == 0 ? ORACLE_DEPTH : 14);
		uint32_t shared = 0;
		struct stack *stack = &in->stacks[s];

		if (round % 3 == 2 && s > 0) {
			uint32_t other = draw((uint32_t)s);

			shared = draw(in->stacks[other].depth + 1);
			if (shared > depth)
				shared = depth;
			memcpy(in->functions[s], in->functions[other],
				sizeof in->functions[s]);
		}
		for (uint32_t i = shared; i < depth; i++)
			in->functions[s][i] =
				round % 3 == 1 && i > 0 && draw(3)
					? in->functions[s][i - 1]
					: FIRST + draw(in->nfunctions);
		stack->functions = in->functions[s];
		stack->depth = depth;
		stack->hits = 1 + draw(5);
		stack->weight = stack->hits * 100 + draw(7);
		in->total += stack->weight;
	}
}

/* Every entry is in the oracle and the other way round. */
static bool same(const struct profile *p, const struct oracle *oracle)
{
	if (!p || p->n != oracle->n)
		return false;
	for (size_t i = 0; i < p->n; i++) {
		const struct profile_entry *e = &p->entries[i];
		const struct oracle_record *r =
			oracle_find(oracle, e->path, e->length);

		if (!r || r->weight != e->weight || r->hits != e->hits)
			return false;
	}
	return true;
}

static bool equal_profiles(const struct profile *a, const struct profile *b)
{
	if (a->n != b->n || a->total != b->total)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct profile_entry *x = &a->entries[i];
		const struct profile_entry *y = &b->entries[i];

		if (x->length != y->length || x->weight != y->weight ||
			x->hits != y->hits || x->samples != y->samples ||
			x->depth != y->depth ||
			memcmp(x->path, y->path, x->length * sizeof *x->path))
			return false;
	}
	return true;
}

enum check {
	DOWN,
	UP,
	CONSISTENT,
	FUNCTION,
	BODY,
	TREE,
	ORDER,
	SHUFFLED,
	THRESHOLD,
	ALL,
	WEIGHED,
	PRUNED,
	CHECKS
};

static const char *const what[CHECKS] = {
	[DOWN] = "downward records equal the oracle's for every root",
	[UP] = "upward records equal the oracle's for every root",
	[CONSISTENT] = "upward(R)[p] = downward(first(p))[p]",
	[FUNCTION] = "a function's weight is that of the stacks with it",
	[BODY] = "bodies add up to the total, each the stacks that end there",
	[TREE] = "a node's weight is that of the stacks that begin so",
	[ORDER] = "entries by falling weight, no fraction above 1",
	[SHUFFLED] = "the order of the stacks does not matter",
	[THRESHOLD] = "a threshold only leaves out entries under it",
	[ALL] = "downward from [all] is downward with it before each stack",
	[PRUNED] = "a pruned tree is that of the stacks cut at their first end",
	[WEIGHED] = "some paths weighed together weigh what the oracle says",
};

static unsigned failed[CHECKS];

static void check_paths(const struct input *in, const struct tree *tree)
{
	for (uint32_t f = FIRST; f < FIRST + in->nfunctions; f++) {
		struct profile *down = make(tree, PROFILE_DOWN, f, 0);
		struct profile *up = make(tree, PROFILE_UP, f, 0);
		struct oracle down_oracle = {0}, up_oracle = {0};

		oracle_down(&down_oracle, in->stacks, in->n, f);
		oracle_up(&up_oracle, in->stacks, in->n, f, FIRST,
			in->nfunctions);
		failed[DOWN] += !same(down, &down_oracle);
		failed[UP] += !same(up, &up_oracle);
		failed[ORDER] += !sorted(down) || !sorted(up);
		profile_free(down);
		profile_free(up);
		oracle_free(&down_oracle);
		oracle_free(&up_oracle);
	}
}

/* Prunes at the first of two functions; OWN: only stacks with no further
   one. */
static void check_pruned(
	const struct input *in, const struct tree *tree, bool own)
{
	static const enum profile_kind kinds[] = {
		PROFILE_DOWN, PROFILE_UP, PROFILE_FUNCTION};
	const uint32_t ends[] = {FIRST, FIRST + 2};
	struct stack cut[STACKS];
	struct tree *pruned, *other;
	size_t n = 0;
	struct err err;

	for (size_t s = 0; s < in->n; s++) {
		const struct stack *stack = &in->stacks[s];
		uint32_t depth = 0, found = 0;

		for (uint32_t i = 0; i < stack->depth; i++) {
			if (stack->functions[i] != ends[0] &&
				stack->functions[i] != ends[1])
				continue;
			depth = found++ ? depth : i + 1;
		}
		if (!found || (own && found > 1))
			continue;
		cut[n] = *stack;
		cut[n++].depth = depth;
	}
	pruned = tree_prune(tree, ends, 2, own, &err);
	other = plant(cut, n);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct profile *a = make(pruned, kinds[k], FIRST, 0);
		struct profile *b = make(other, kinds[k], FIRST, 0);

		/* Fractions of the pruned one are of the whole. */
		a->total = b->total;
		failed[PRUNED] += !equal_profiles(a, b);
		profile_free(a);
		profile_free(b);
	}
	tree_free(pruned);
	tree_free(other);
}

/* Some of the oracle's paths, and one that is not there. */
static void check_weighed(const struct input *in, const struct tree *tree)
{
	struct path_weight paths[40];
	struct oracle oracle = {0};
	uint32_t none[2] = {FIRST, FIRST + 1000};
	size_t n = 0;
	struct err err;

	for (uint32_t f = FIRST; f < FIRST + in->nfunctions; f++)
		oracle_down(&oracle, in->stacks, in->n, f);
	for (size_t i = draw(7); i < oracle.n && n < 39; i += 1 + draw(9)) {
		paths[n].path = oracle.records[i].path;
		paths[n++].length = oracle.records[i].length;
	}
	paths[n].path = none;
	paths[n++].length = 2;
	failed[WEIGHED] += paths_weigh(tree, paths, n, &err) != 0;
	failed[WEIGHED] += paths[n - 1].sums.weight != 0;
	for (size_t i = 0; i + 1 < n; i++) {
		const struct oracle_record *r =
			oracle_find(&oracle, paths[i].path, paths[i].length);

		failed[WEIGHED] += paths[i].sums.weight != r->weight ||
				   paths[i].sums.hits != r->hits;
	}
	oracle_free(&oracle);
}

static const struct profile_entry *find(
	const struct profile *p, const struct profile_entry *like)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->entries[i].length == like->length &&
			!memcmp(p->entries[i].path, like->path,
				like->length * sizeof *like->path))
			return &p->entries[i];
	return NULL;
}

/* Without the oracle: the two directions against each other. */
static void check_consistent(const struct input *in, const struct tree *tree)
{
	struct profile *down[16], *up[16];
	size_t ups = 0, downs = 0;

	for (uint32_t f = 0; f < in->nfunctions; f++) {
		down[f] = make(tree, PROFILE_DOWN, FIRST + f, 0);
		up[f] = make(tree, PROFILE_UP, FIRST + f, 0);
		downs += down[f]->n;
		ups += up[f]->n;
	}
	for (uint32_t f = 0; f < in->nfunctions; f++)
		for (size_t i = 0; i < up[f]->n; i++) {
			const struct profile_entry *e = &up[f]->entries[i];
			const struct profile_entry *d =
				find(down[e->path[0] - FIRST], e);

			failed[CONSISTENT] += !d || d->weight != e->weight ||
					      d->hits != e->hits ||
					      d->samples != e->samples;
		}
	failed[CONSISTENT] += ups != downs;
	for (uint32_t f = 0; f < in->nfunctions; f++) {
		profile_free(down[f]);
		profile_free(up[f]);
	}
}

static bool contains(const struct stack *stack, uint32_t f)
{
	for (uint32_t i = 0; i < stack->depth; i++)
		if (stack->functions[i] == f)
			return true;
	return false;
}

static void check_functions(const struct input *in, const struct tree *tree)
{
	struct profile *function = make(tree, PROFILE_FUNCTION, 0, 0);
	struct profile *body = make(tree, PROFILE_BODY, 0, 0);
	uint64_t sum = 0;

	for (size_t i = 0; i < function->n; i++) {
		const struct profile_entry *e = &function->entries[i];
		uint64_t weight = 0;

		for (size_t s = 0; s < in->n; s++)
			if (contains(&in->stacks[s], e->path[0]))
				weight += in->stacks[s].weight;
		failed[FUNCTION] += weight != e->weight || e->length != 1;
	}
	for (uint32_t f = FIRST; f < FIRST + in->nfunctions; f++) {
		bool there = false, wanted = false;

		for (size_t i = 0; i < function->n; i++)
			there |= function->entries[i].path[0] == f;
		for (size_t s = 0; s < in->n; s++)
			wanted |= contains(&in->stacks[s], f);
		failed[FUNCTION] += there != wanted;
	}
	for (size_t i = 0; i < body->n; i++) {
		const struct profile_entry *e = &body->entries[i];
		uint64_t weight = 0;

		for (size_t s = 0; s < in->n; s++) {
			const struct stack *stack = &in->stacks[s];
			uint32_t leaf =
				stack->depth
					? stack->functions[stack->depth - 1]
					: FN_ALL;

			weight += leaf == e->path[0] ? stack->weight : 0;
		}
		failed[BODY] += weight != e->weight;
		sum += e->weight;
	}
	failed[BODY] += sum != in->total || body->total != in->total;
	failed[ORDER] += !sorted(function) || !sorted(body);
	profile_free(function);
	profile_free(body);
}

/* The tree's entries, the way from the root kept by depth. */
static void check_tree(const struct input *in, const struct tree *tree)
{
	struct profile *p = make(tree, PROFILE_TREE, 0, 0);
	uint32_t way[ORACLE_DEPTH + 1];
	uint64_t last[ORACLE_DEPTH + 2] = {0};
	uint32_t before = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct profile_entry *e = &p->entries[i];
		uint64_t weight = 0;

		way[e->depth - 1] = e->path[0];
		for (size_t s = 0; s < in->n; s++)
			if (in->stacks[s].depth >= e->depth &&
				!memcmp(in->stacks[s].functions, way,
					e->depth * sizeof *way))
				weight += in->stacks[s].weight;
		failed[TREE] += weight != e->weight || e->depth > before + 1;
		if (e->depth <= before) /* heaviest first */
			failed[TREE] += e->weight > last[e->depth];
		last[e->depth] = e->weight;
		before = e->depth;
	}
	profile_free(p);
}

static void check_shuffled(const struct input *in, const struct tree *tree)
{
	static const enum profile_kind kinds[] = {PROFILE_DOWN, PROFILE_UP,
		PROFILE_FUNCTION, PROFILE_BODY, PROFILE_TREE};
	struct stack mixed[STACKS];
	struct tree *other;

	memcpy(mixed, in->stacks, sizeof mixed);
	for (uint32_t i = (uint32_t)in->n; i > 1; i--) {
		uint32_t k = draw(i);
		struct stack t = mixed[i - 1];

		mixed[i - 1] = mixed[k];
		mixed[k] = t;
	}
	other = plant(mixed, in->n);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct profile *a = make(tree, kinds[k], FIRST, 0);
		struct profile *b = make(other, kinds[k], FIRST, 0);

		failed[SHUFFLED] += !equal_profiles(a, b);
		profile_free(a);
		profile_free(b);
	}
	tree_free(other);
}

static void check_threshold(const struct tree *tree)
{
	static const double thresholds[] = {0.01, 0.1, 0.3, 0.9, 1};
	static const enum profile_kind kinds[] = {PROFILE_DOWN, PROFILE_UP,
		PROFILE_FUNCTION, PROFILE_BODY, PROFILE_TREE};

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct profile *all = make(tree, kinds[k], FIRST, 0);

		for (size_t t = 0; t < 5; t++) {
			struct profile *p =
				make(tree, kinds[k], FIRST, thresholds[t]);
			size_t at = 0;

			for (size_t i = 0; i < all->n; i++) {
				const struct profile_entry *e =
					&all->entries[i];

				if (profile_fraction(all, e) < thresholds[t])
					continue;
				failed[THRESHOLD] +=
					at >= p->n ||
					p->entries[at].weight != e->weight ||
					p->entries[at].length != e->length ||
					memcmp(p->entries[at].path, e->path,
						e->length * sizeof *e->path);
				at++;
			}
			failed[THRESHOLD] += at != p->n;
			profile_free(p);
		}
		profile_free(all);
	}
}

static void check_all(const struct input *in, const struct tree *tree)
{
	static uint32_t functions[STACKS][ORACLE_DEPTH + 1];
	struct stack stacks[STACKS];
	struct profile *p = make(tree, PROFILE_DOWN, FN_ALL, 0);
	struct oracle oracle = {0};

	for (size_t s = 0; s < in->n; s++) {
		stacks[s] = in->stacks[s];
		functions[s][0] = FN_ALL;
		memcpy(functions[s] + 1, in->functions[s],
			sizeof in->functions[s]);
		stacks[s].functions = functions[s];
		stacks[s].depth++;
	}
	oracle_down(&oracle, stacks, in->n, FN_ALL);
	failed[ALL] += !same(p, &oracle);
	profile_free(p);
	oracle_free(&oracle);
}

static void test_random(void)
{
	static struct input in;

	for (int round = 0; round < ROUNDS; round++) {
		struct tree *tree;

		random_input(&in, round);
		tree = plant(in.stacks, in.n);
		check_paths(&in, tree);
		check_weighed(&in, tree);
		check_pruned(&in, tree, false);
		check_pruned(&in, tree, true);
		check_consistent(&in, tree);
		check_functions(&in, tree);
		check_tree(&in, tree);
		check_shuffled(&in, tree);
		check_threshold(tree);
		check_all(&in, tree);
		tree_free(tree);
	}
	for (int i = 0; i < CHECKS; i++)
		ok(!failed[i], "%s (%d random inputs)", what[i], ROUNDS);
}

int main(void)
{
	test_random();
	return done_testing();
}
