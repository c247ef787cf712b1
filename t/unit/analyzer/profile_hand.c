/*
 * profile_hand - profiles that can be followed with a pencil, and those of
 * stacks that are very deep, heavy or not there.
 */
#include <math.h>
#include <stdlib.h>

#include "analyzer/profile/function_figures.h"
#include "t/unit/analyzer/planted.h"

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
	up = make(tree, PROFILE_UP, leaf, 0);
	/* From each of the functions, and from the leaf's own to itself round
	   the circle. */
	ok(up->n == (modulus < depth ? modulus + 1 : depth), "  and up");
	profile_free(up);
	profile_free(down);
	profile_free(function);
	tree_free(tree);
	free(functions);
}

/* Each function calls itself: no path to the leaf is part of another's. */
static void test_too_many(uint32_t n)
{
	uint32_t *functions = calloc(2 * (size_t)n, sizeof *functions);
	struct stack stack = {functions, 2 * n, 10, 1};
	struct profile *up;
	struct tree *tree;
	struct err err;
	uint32_t leaf = FIRST + n - 1;

	for (uint32_t i = 0; i < 2 * n; i++)
		functions[i] = FIRST + i / 2;
	tree = plant(&stack, 1);
	up = profile_new(tree, PROFILE_UP, &leaf, 1, 0, &err);
	ok(!up && *err.hint,
		"too many paths up %u functions that call themselves", n);
	profile_free(up);
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

/*
 * Waits of 1.5 s and of 20 ms, timed in intervals of 10 ms: each sample is
 * known to an interval, whatever its part of the samples.
 */
static void test_timed(void)
{
	static const uint32_t a[] = {FIRST}, b[] = {FIRST + 1};
	static const struct stack stacks[] = {
		{a, 1, 1500000, 1}, {b, 1, 20000, 1}};
	struct tree *tree = plant(stacks, 2);
	struct cpd_resource resources[] = {{0},
		{.interval = 10000,
			.unit = CPD_USEC,
			.flags = CPD_RESOURCE_CLOCK | CPD_RESOURCE_EVENTS}};
	struct books books[] = {
		{0}, {.weight = 1520000,
			     .samples = 2,
			     .squares = 1500000. * 1500000 + 20000. * 20000}};
	struct dataset data = {.resources = resources, .books = books};
	struct tree_sums wait = {1500000, 150, 1}, few = {20000, 2, 1};
	struct profile *p = make(tree, PROFILE_DOWN, FIRST, 0);
	double lo, hi;

	tree->data = &data;
	tree->view.resource = 1;
	profile_interval(p, &p->entries[0], &lo, &hi);
	ok(lo * 1520000 >= 1489999 && hi * 1520000 <= 1510001,
		"one wait of 1.5 s is known to 10 ms (%.0f to %.0f us)",
		lo * 1520000, hi * 1520000);
	ok(!profile_is_rough(tree, &wait) && profile_is_rough(tree, &few),
		"of two samples that of 150 hits is not rough, that of 2 is");
	ok(profile_variance(tree, &wait) == 1e8,
		"its variance is that of an interval");
	resources[1].flags = CPD_RESOURCE_CLOCK;
	profile_interval(p, &p->entries[0], &lo, &hi);
	ok(profile_is_rough(tree, &wait) && lo < 0.4,
		"a clock's sample of as much is one sample");
	tree->data = NULL;
	profile_free(p);
	tree_free(tree);
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

/* a calls b, which has the largest number, and c: a has nothing of its own. */
static void test_overflow_self(void)
{
	enum { A = FIRST, B, C };
	static const uint32_t ab[] = {A, B}, ac[] = {A, C};
	static const struct stack stacks[] = {
		{ab, 2, UINT64_MAX, 1},
		{ac, 2, 5, 1},
	};
	struct tree *tree = plant(stacks, 2);
	struct profile *body = make(tree, PROFILE_BODY, A, 0);

	ok(body->n == 2 && body->entries[0].path[0] == B &&
			body->entries[1].path[0] == C,
		"sums that stop at the largest number add up to no self");
	profile_free(body);
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
	test_deep(200000, 7);
	test_deep(200000, 200000);
	test_too_many(100000);
	test_interval();
	test_timed();
	test_empty();
	test_overflow();
	test_overflow_self();
	return done_testing();
}
