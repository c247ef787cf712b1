/*
 * Profiles of random recursive stacks against the oracle, entry by entry.
 */
#include <math.h>

#include "analyzer/profile/function_figures.h"
#include "analyzer/profile/profile.h"
#include "analyzer/profile/paths.h"
#include "t/lib/draw.h"
#include "t/lib/tap.h"
#include "t/unit/oracle.h"

#define ROUNDS 300
#define STACKS 40
#define FIRST 10 /* number of the first function */

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

static bool sorted(const struct profile *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (profile_fraction(p, &p->entries[i]) > 1 ||
			(i > 0 && p->entries[i - 1].weight <
					  p->entries[i].weight))
			return false;
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

static struct profile *make(const struct tree *tree, enum profile_kind kind,
	uint32_t root, double threshold)
{
	struct err err;
	struct profile *p = profile_new(tree, kind, &root, 1, threshold, &err);

	if (!p)
		diag("%s", err.reason);
	return p;
}

static struct tree *plant(const struct stack *stacks, size_t n)
{
	struct err err;

	return tree_from_stacks(stacks, n, &err);
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

/* Up to the first of two functions; OWN: only stacks with no further one. */
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

/* The rule by hand, on stacks small enough to follow with a pencil. */
static void test_by_hand(void)
{
	enum { A = FIRST, B, C };
	/*
	 * a b a c: (a) 5, (a b) 5; a again: (a b a) 5 and back to (a); so c is
	 * under (a): (a c) 5.  a c: (a) and (a c) 2 more.
	 */
	static const uint32_t abac[] = {A, B, A, C}, ac[] = {A, C};
	static const struct stack stacks[] = {
		{abac, 4, 5, 5},
		{ac, 2, 2, 2},
	};
	struct tree *tree = plant(stacks, 2);
	struct profile *down = make(tree, PROFILE_DOWN, A, 0);
	struct profile *up = make(tree, PROFILE_UP, C, 0);

	ok(down->n == 4, "a b a c and a c: four paths down from a");
	ok(down->entries[0].weight == 7 && down->entries[0].length == 1,
		"(a) has all");
	ok(down->entries[1].weight == 7 && down->entries[1].length == 2 &&
			down->entries[1].path[1] == C,
		"(a c) has all: the recursion is cut back");
	ok(down->entries[2].weight == 5 && down->entries[2].length == 2 &&
			down->entries[3].weight == 5 &&
			down->entries[3].length == 3,
		"(a b) and (a b a) have 5");
	/* (c) 7, (a c) 7, and from b: b a c: (b a c) 5 */
	ok(up->n == 3 && up->entries[0].weight == 7 &&
			up->entries[1].weight == 7 &&
			up->entries[2].weight == 5 &&
			up->entries[2].length == 3,
		"up from c: (a c) 7, (c) 7, (b a c) 5");
	profile_free(down);
	profile_free(up);
	tree_free(tree);
}

static void test_deep(uint32_t depth, uint32_t modulus)
{
	uint32_t *functions = calloc(depth, sizeof *functions);
	struct stack stack = {functions, depth, 10, 1};
	struct profile *down, *up, *function;
	struct tree *tree;
	struct err err;
	uint32_t leaf;

	for (uint32_t i = 0; i < depth; i++)
		functions[i] = FIRST + i % modulus;
	leaf = functions[depth - 1];
	tree = plant(&stack, 1);
	down = make(tree, PROFILE_DOWN, FIRST, 0);
	function = make(tree, PROFILE_FUNCTION, 0, 0);
	ok(function->n == (modulus < depth ? modulus : depth) &&
			profile_fraction(function, &function->entries[0]) == 1,
		"%u frames of %u functions: each function once", depth,
		modulus);
	ok(down->n == (modulus < depth ? modulus + 1 : depth),
		"  and every path down once");
	if (modulus < depth) {
		up = make(tree, PROFILE_UP, leaf, 0);
		/* From each of the functions, and from the leaf's own to
		   itself round the circle. */
		ok(up->n == modulus + 1, "  and up");
		profile_free(up);
	} else {
		up = profile_new(tree, PROFILE_UP, &leaf, 1, 0, &err);
		ok(!up && *err.hint, "  up is refused: too many paths");
		profile_free(up);
	}
	profile_free(down);
	profile_free(function);
	tree_free(tree);
	free(functions);
}

/*
 * Published values: 1 of 10 is 0.0179 to 0.4042, 0.5 at n = 100 is 0.4038 to
 * 0.5962, 81 of 263 is 0.2553 to 0.3662 (R. G. Newcombe, "Two-sided confidence
 * intervals for the single proportion", Statistics in Medicine 17, 1998).
 */
static void test_interval(void)
{
	static const struct {
		uint64_t k, n;
		double lo, hi;
	} known[] = {
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{1, 29, 0.0061, 0.1718},
		{1, 10, 0.0179, 0.4042},
		{50, 100, 0.4038, 0.5962},
		{20, 20, 0.8389, 1.0000},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		static const uint32_t a[] = {FIRST}, b[] = {FIRST + 1};
		struct stack stacks[] = {
			{a, 1, known[i].k * 10, known[i].k},
			{b, 1, (known[i].n - known[i].k) * 10,
				known[i].n - known[i].k},
		};
		struct tree *tree = plant(stacks, 2);
		struct profile *p = make(tree, PROFILE_DOWN, FIRST, 0);
		double lo, hi;

		profile_interval(p, &p->entries[0], &lo, &hi);
		ok(fabs(lo - known[i].lo) < 0.00006 &&
				fabs(hi - known[i].hi) < 0.00006,
			"Wilson: %d of %d is %.4f to %.4f (got %.4f, %.4f)",
			(int)known[i].k, (int)known[i].n, known[i].lo,
			known[i].hi, lo, hi);
		profile_free(p);
		tree_free(tree);
	}
}

static void test_empty(void)
{
	struct tree *tree = plant(NULL, 0);
	struct profile *p = make(tree, PROFILE_DOWN, FN_ALL, 0);
	struct profile *q = make(tree, PROFILE_UP, FIRST, 0);

	ok(p->n == 0 && q->n == 0, "no stacks, no entries");
	profile_free(p);
	profile_free(q);
	tree_free(tree);
}

/* Weights no counter reaches must not make parts larger than the whole. */
static void test_overflow(void)
{
	static const uint32_t ab[] = {FIRST, FIRST + 1}, b[] = {FIRST + 1};
	static const struct stack stacks[] = {
		{ab, 2, UINT64_MAX - 1, 1},
		{b, 1, UINT64_MAX - 1, 1},
	};
	struct tree *tree = plant(stacks, 2);
	struct profile *p = make(tree, PROFILE_FUNCTION, 0, 0);

	ok(p->n == 2 && sorted(p), "absurd weights: no fraction above 1");
	profile_free(p);
	tree_free(tree);
}

/* Which functions are wrappers; the rest of each stack is one function. */
static void test_wrappers(void)
{
	const struct stack stacks[] = {
		/* 20 only calls 21, which calls two */
		{(const uint32_t[]){20, 21, 22}, 3, 600, 1},
		{(const uint32_t[]){20, 21, 23}, 3, 400, 1},
		/* 30 and 31 call each other only, 30 more */
		{(const uint32_t[]){30, 31, 30, 32}, 4, 500, 1},
		{(const uint32_t[]){30, 31, 30, 33}, 4, 500, 1},
		/* 40 has 2 % of its own, 50 has 1 of 1000, 60 nothing */
		{(const uint32_t[]){40}, 1, 20, 1},
		{(const uint32_t[]){40, 41}, 2, 980, 1},
		{(const uint32_t[]){50}, 1, 1, 1},
		{(const uint32_t[]){50, 51}, 2, 999, 1},
		/* 61 has 98 % of 60 and calls nothing but 60 again */
		{(const uint32_t[]){60, 61, 60, 62}, 4, 980, 1},
		{(const uint32_t[]){60, 63}, 2, 20, 1},
		/* a loss stands for itself */
		{(const uint32_t[]){FN_LOST, 70}, 2, 1000, 1},
	};
	static const uint32_t wrappers[] = {20, 31, 50, 61};
	struct err err;
	struct tree *tree =
		tree_from_stacks(stacks, sizeof stacks / sizeof *stacks, &err);
	struct function_figures figures;
	bool good = true;
	uint64_t selves = 0;

	if (function_figures_init(&figures, tree, false, 0.002, &err))
		diag("%s", err.reason);
	for (size_t i = 0; i < figures.n; i++) {
		const struct function_figure *f = &figures.v[i];
		bool wanted = false;

		for (size_t k = 0; k < 4; k++)
			wanted |= f->function == wrappers[k];
		if (f->wrapper != wanted)
			diag("%u: %d", f->function, f->wrapper);
		good &= f->wrapper == wanted;
		selves += f->self.weight;
		good &= !i || figures.v[i - 1].total.weight >= f->total.weight;
	}
	ok(good, "wrappers: chains, circles, shares of their own");
	ok(selves == 6000, "self adds up to all");
	function_figures_fini(&figures);
	tree_free(tree);
}

int main(void)
{
	test_by_hand();
	test_wrappers();
	test_random();
	test_deep(200000, 7);
	test_deep(200000, 200000);
	test_interval();
	test_empty();
	test_overflow();
	return done_testing();
}
