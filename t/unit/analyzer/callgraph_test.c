/*
 * The call graph and the cycles: tables derived by hand, and random recursive
 * stacks against an oracle that takes each stack by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/questions/callgraph.h"
#include "analyzer/questions/cycles.h"
#include "t/lib/draw.h"
#include "t/lib/tap.h"
#include "t/unit/analyzer/stack_tree.h"

#define ROUNDS 400
#define STACKS 40
#define DEPTH 64
#define FIRST FN_FIRST_REAL /* number of the first function */
#define FUNCTIONS (FIRST + 10)

static struct err err;

static struct tree *plant(const struct stack *stacks, size_t n)
{
	struct tree *tree = tree_from_stacks(stacks, n, &err);

	if (!tree)
		abort();
	return tree;
}

/* Stacks in writing: one letter a function, outermost first. */

struct line {
	const char *functions;
	uint64_t weight;
};

static struct tree *plant_lines(const struct line *lines, size_t n)
{
	struct stack stacks[64];
	uint32_t functions[64][DEPTH];

	for (size_t i = 0; i < n; i++) {
		size_t depth = strlen(lines[i].functions);

		for (size_t k = 0; k < depth; k++)
			functions[i][k] = (uint8_t)lines[i].functions[k];
		stacks[i] = (struct stack){functions[i], (uint32_t)depth,
			lines[i].weight, lines[i].weight};
	}
	return plant(stacks, n);
}

static char letter(uint32_t function)
{
	return function == FN_ALL ? '*' : (char)function;
}

/*
 * One line a function, by its letter: "P 0+50 < Q 0+38, m 0+12 > ...", figures
 * as self+children, callers behind <, callees behind >.
 */
static void draw_entry(const struct callgraph_entry *e, char *to, size_t size)
{
	size_t used =
		(size_t)snprintf(to, size, "%c %d+%d", letter(e->function),
			(int)e->self.weight, (int)e->children.weight);

	for (size_t i = 0; i < e->ncallers; i++)
		used += (size_t)snprintf(to + used, size - used, "%s%c %d+%d",
			i ? ", " : " < ", letter(e->callers[i]->from),
			(int)e->callers[i]->in_self.weight,
			(int)e->callers[i]->in_children.weight);
	for (size_t i = 0; i < e->ncallees; i++)
		used += (size_t)snprintf(to + used, size - used, "%s%c %d+%d",
			i ? ", " : " > ", letter(e->callees[i]->to),
			(int)e->callees[i]->out_self.weight,
			(int)e->callees[i]->out_children.weight);
}

static void is_graph(const struct tree *tree, const char *const *wanted,
	size_t n, const char *what)
{
	struct callgraph *graph = callgraph_new(tree, &err);
	bool good = graph && graph->n == n;
	char drawn[512];

	for (size_t i = 0; graph && i < graph->n; i++) {
		draw_entry(&graph->entries[i], drawn, sizeof drawn);
		if (i >= n || strcmp(drawn, wanted[i]) != 0) {
			good = false;
			printf("# is     %s\n# wanted %s\n", drawn,
				i < n ? wanted[i] : "(none)");
		}
	}
	ok(good, "%s", what);
	callgraph_free(graph);
}

static void is_cycles(
	const struct tree *tree, const char *wanted, const char *what)
{
	struct cycles *cycles = cycles_new(tree, &err);
	char drawn[512] = "";
	size_t used = 0;

	for (size_t i = 0; cycles && i < cycles->n; i++) {
		const struct cycle *c = &cycles->v[i];

		for (uint32_t k = 0; k < c->length; k++)
			used += (size_t)snprintf(drawn + used,
				sizeof drawn - used, "%c",
				letter(c->functions[k]));
		used += (size_t)snprintf(drawn + used, sizeof drawn - used,
			" %d in %u; ", (int)c->sums.weight, c->rounds);
	}
	if (strcmp(drawn, wanted) != 0)
		printf("# is     %s\n# wanted %s\n", drawn, wanted);
	ok(cycles && !strcmp(drawn, wanted), "%s", what);
	cycles_free(cycles);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/*
 * Spivey's example as samples/pqr runs it: P and Q call each other, R is called
 * by P at the bottom, all have their work done by S: P one unit, Q two, R four.
 * A run of depth n is P (Q P)^n R, and there is one of each depth 1 to 4.  So
 * in units,
 *
 *   m (PQ)^i P S      1 each, i = 0..n
 *   m (PQ)^i S        2 each, i = 1..n
 *   m (PQ)^n P R S    4
 *
 * which is 3n + 5 a run, 50 in all.  All is in S itself: 14 (the sum of n + 1)
 * for P, 20 for Q, 16 for R.
 *
 * The innermost P was called by main in m P S and m P Q S: 4 * 1 + 4 * 2 = 12,
 * else by Q: 38.  It called on S in 14, Q in the 20 of Q's S (the innermost Q
 * is below the innermost P there), and R in 16.  The innermost Q is in all but
 * m P S: 46, called by P; it called S in 20 and P in the other 26.
 *
 * (P Q) was gone round wherever there is a second P: 50 - 12 = 38, in the
 * deepest run 4 times.
 */
static void test_pqr(void)
{
	static const char *const wanted[] = {
		"S 50+0 < Q 20+0, R 16+0, P 14+0",
		"* 0+50 > m 0+50",
		"P 0+50 < Q 0+38, m 0+12 > Q 0+20, R 0+16, S 14+0",
		"m 0+50 < * 0+50 > P 0+50",
		"Q 0+46 < P 0+46 > P 0+26, S 20+0",
		"R 0+16 < P 0+16 > S 16+0",
	};
	struct line lines[64];
	static char texts[64][32];
	struct tree *tree;
	size_t k = 0;

	for (int n = 1; n <= 4; n++)
		for (int i = 0; i <= n; i++) {
			static const char *const ends[] = {"PS", "S", "PRS"};

			for (int e = 0; e < 3; e++) {
				if ((e == 1 && i == 0) || (e == 2 && i < n))
					continue;
				strcpy(texts[k], "m");
				for (int j = 0; j < i; j++)
					strcat(texts[k], "PQ");
				strcat(texts[k], ends[e]);
				lines[k] = (struct line){texts[k], 1u << e};
				k++;
			}
		}
	tree = plant_lines(lines, k);
	is_graph(tree, wanted, COUNT(wanted), "pqr: as derived by hand");
	is_cycles(tree, "PQ 38 in 4; ", "pqr: the one cycle that happened");
	tree_free(tree);
}

/*
 * Froyd, Mellor-Crummey and Fowler's Figure 1 as samples/fig1 runs it: a calls
 * c ten times and b a hundred times for a tenth of the work, so c costs the
 * same from both; half of c's work is d's.  gprof would charge b 10/11 of it.
 */
static void test_fig1(void)
{
	static const struct line lines[] = {
		{"mac", 25}, {"macd", 25}, {"mbc", 25}, {"mbcd", 25}};
	static const char *const wanted[] = {
		"c 50+50 < a 25+25, b 25+25 > d 50+0",
		"* 0+100 > m 0+100",
		"m 0+100 < * 0+100 > a 0+50, b 0+50",
		"d 50+0 < c 50+0",
		"a 0+50 < m 0+50 > c 25+25",
		"b 0+50 < m 0+50 > c 25+25",
	};
	struct tree *tree = plant_lines(lines, COUNT(lines));

	is_graph(tree, wanted, COUNT(wanted), "fig1: as derived by hand");
	is_cycles(tree, "", "fig1: no cycle");
	tree_free(tree);
}

/* f calls itself; what it has below the second f is no arc of its own. */
static void test_direct(void)
{
	static const struct line lines[] = {
		{"mf", 1}, {"mff", 2}, {"mfff", 4}, {"mffg", 8}};
	static const char *const wanted[] = {
		"f 7+8 < m 7+8 > g 8+0",
		"* 0+15 > m 0+15",
		"m 0+15 < * 0+15 > f 7+8",
		"g 8+0 < f 8+0",
	};
	struct tree *tree = plant_lines(lines, COUNT(lines));

	is_graph(tree, wanted, COUNT(wanted), "direct recursion");
	is_cycles(tree, "f 14 in 2; ", "direct recursion is a cycle of one");
	tree_free(tree);
}

/* One cycle, wherever it is entered; one within another. */
static void test_cycles(void)
{
	static const struct line lines[] = {{"mabca", 1}, {"mcabc", 2},
		{"mbcab", 4}, {"mabcbca", 8}, {"macba", 16}};
	struct tree *tree = plant_lines(lines, COUNT(lines));

	is_cycles(tree, "acb 16 in 1; abc 15 in 1; bc 8 in 1; ",
		"cycles are told by their order, not by their entry");
	tree_free(tree);
}

/* --- the oracle --- */

struct cost {
	uint64_t self, children;
};

struct oracle {
	struct cost function[FUNCTIONS];
	struct cost in[FUNCTIONS][FUNCTIONS], out[FUNCTIONS][FUNCTIONS];
};

static void add(struct cost *to, bool self, uint64_t weight)
{
	*(self ? &to->self : &to->children) += weight;
}

/* As callgraph.h defines it, word by word. */
static void oracle_stack(struct oracle *o, const struct stack *stack)
{
	uint32_t s[DEPTH + 1] = {FN_ALL}, n = 1, last;

	for (uint32_t i = 0; i < stack->depth; i++)
		if (s[n - 1] != stack->functions[i])
			s[n++] = stack->functions[i];
	last = s[n - 1];
	for (uint32_t i = 0; i < n; i++) {
		bool innermost = true;

		for (uint32_t k = i + 1; k < n; k++)
			innermost &= s[k] != s[i];
		if (!innermost)
			continue;
		add(&o->function[s[i]], i + 1 == n, stack->weight);
		if (i > 0)
			add(&o->in[s[i - 1]][s[i]], s[i] == last,
				stack->weight);
		if (i + 1 < n)
			add(&o->out[s[i]][s[i + 1]], s[i + 1] == last,
				stack->weight);
	}
}

static bool is_cost(const struct cost *cost, const struct tree_sums *self,
	const struct tree_sums *children)
{
	return cost->self == self->weight && cost->children == children->weight;
}

static bool agrees(const struct callgraph *graph, const struct oracle *o)
{
	size_t arcs = 0, wanted = 0;

	for (size_t i = 0; i < graph->n; i++) {
		const struct callgraph_entry *e = &graph->entries[i];

		if (!is_cost(&o->function[e->function], &e->self, &e->children))
			return false;
		for (size_t k = 0; k < e->ncallers; k++) {
			const struct callgraph_arc *a = e->callers[k];

			if (a->to != e->function ||
				!is_cost(&o->in[a->from][a->to], &a->in_self,
					&a->in_children))
				return false;
		}
		for (size_t k = 0; k < e->ncallees; k++) {
			const struct callgraph_arc *a = e->callees[k];

			if (a->from != e->function ||
				!is_cost(&o->out[a->from][a->to], &a->out_self,
					&a->out_children))
				return false;
		}
		arcs += e->ncallers + e->ncallees;
	}
	for (int a = 0; a < FUNCTIONS; a++)
		for (int b = 0; b < FUNCTIONS; b++)
			wanted += (o->in[a][b].self || o->in[a][b].children) +
				  (o->out[a][b].self || o->out[a][b].children);
	return arcs == wanted;
}

/* Callers are charged all of it, callees the children's part. */
static bool balances(const struct callgraph *graph)
{
	for (size_t i = 0; i < graph->n; i++) {
		const struct callgraph_entry *e = &graph->entries[i];
		uint64_t self = 0, children = 0, below = 0;

		for (size_t k = 0; k < e->ncallers; k++) {
			self += e->callers[k]->in_self.weight;
			children += e->callers[k]->in_children.weight;
		}
		for (size_t k = 0; k < e->ncallees; k++)
			below += e->callees[k]->out_self.weight +
				 e->callees[k]->out_children.weight;
		if (below != e->children.weight ||
			(e->function != FN_ALL &&
				(self != e->self.weight ||
					children != e->children.weight)))
			return false;
	}
	return true;
}

struct round {
	uint32_t functions[DEPTH];
	uint32_t length, most;
	uint64_t weight;
};

static bool same_cycle(
	const struct round *r, const uint32_t *functions, uint32_t length)
{
	if (r->length != length)
		return false;
	for (uint32_t shift = 0; shift < length; shift++) {
		bool same = true;

		for (uint32_t i = 0; i < length; i++)
			same &= r->functions[i] ==
				functions[(i + shift) % length];
		if (same)
			return true;
	}
	return false;
}

/* The cycles of one stack are added to ROUNDS[*N]. */
static void oracle_cycles(
	struct round *rounds, size_t *n, const struct stack *stack)
{
	uint32_t path[DEPTH], length = 0;
	uint32_t times[1024] = {0};

	for (uint32_t i = 0; i < stack->depth; i++) {
		uint32_t f = stack->functions[i], k = 0;
		size_t c = 0;

		while (k < length && path[k] != f)
			k++;
		if (k == length) {
			path[length++] = f;
			continue;
		}
		while (c < *n && !same_cycle(&rounds[c], path + k, length - k))
			c++;
		if (c == *n) {
			rounds[c] = (struct round){.length = length - k};
			memcpy(rounds[c].functions, path + k,
				(length - k) * sizeof *path);
			++*n;
		}
		if (!times[c]++)
			rounds[c].weight += stack->weight;
		if (times[c] > rounds[c].most)
			rounds[c].most = times[c];
		length = k + 1;
	}
}

static bool cycles_agree(
	const struct cycles *cycles, const struct round *rounds, size_t n)
{
	if (cycles->n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct cycle *c = &cycles->v[i];
		size_t k = 0;

		while (k < n &&
			!same_cycle(&rounds[k], c->functions, c->length))
			k++;
		if (k == n || rounds[k].weight != c->sums.weight ||
			rounds[k].most != c->rounds)
			return false;
	}
	return true;
}

/* Few functions, runs of one function, shared beginnings, by turns. */
static size_t random_stacks(
	struct stack *stacks, uint32_t (*functions)[DEPTH], int round)
{
	uint32_t nfunctions = 1 + draw(round % 5 == 0 ? 10 : 4);
	size_t n = 1 + draw(STACKS);

	for (size_t s = 0; s < n; s++) {
		uint32_t depth = draw(round % 4 == 0 ? DEPTH : 12);
		uint32_t shared = 0;

		if (round % 3 == 2 && s > 0) {
			uint32_t other = draw((uint32_t)s);

			shared = draw(stacks[other].depth + 1);
			shared = shared > depth ? depth : shared;
			memcpy(functions[s], functions[other],
				sizeof functions[s]);
		}
		for (uint32_t i = shared; i < depth; i++)
			functions[s][i] = round % 3 == 1 && i > 0 && draw(3)
						  ? functions[s][i - 1]
						  : FIRST + draw(nfunctions);
		stacks[s] =
			(struct stack){functions[s], depth, 1 + draw(1000), 1};
	}
	return n;
}

static void test_random(void)
{
	static uint32_t functions[STACKS][DEPTH];
	static struct round rounds[1024];
	struct stack stacks[STACKS];
	unsigned wrong = 0, unbalanced = 0, wrong_cycles = 0;

	for (int round = 0; round < ROUNDS; round++) {
		size_t n = random_stacks(stacks, functions, round), nrounds = 0;
		struct tree *tree = plant(stacks, n);
		struct callgraph *graph = callgraph_new(tree, &err);
		struct cycles *cycles = cycles_new(tree, &err);
		struct oracle oracle = {0};

		for (size_t s = 0; s < n; s++) {
			oracle_stack(&oracle, &stacks[s]);
			oracle_cycles(rounds, &nrounds, &stacks[s]);
		}
		wrong += !graph || !agrees(graph, &oracle);
		unbalanced += !graph || !balances(graph);
		wrong_cycles +=
			!cycles || !cycles_agree(cycles, rounds, nrounds);
		callgraph_free(graph);
		cycles_free(cycles);
		tree_free(tree);
	}
	ok(!wrong, "%d random trees: each arc as the oracle has it", ROUNDS);
	ok(!unbalanced, "callers add up to the function, callees to children");
	ok(!wrong_cycles, "each cycle as the oracle has it");
}

/* A stack as deep as they get takes no longer than its frames. */
static void test_deep(void)
{
	uint32_t *functions = malloc(300000 * sizeof *functions);
	struct stack stack = {functions, 300000, 7, 7};
	struct callgraph *graph;
	struct cycles *cycles;
	struct tree *tree;

	for (uint32_t i = 0; functions && i < stack.depth; i++)
		functions[i] = FIRST + i % 3;
	tree = plant(&stack, 1);
	graph = callgraph_new(tree, &err);
	cycles = cycles_new(tree, &err);
	ok(graph && graph->n == 4 && balances(graph),
		"300 000 frames: a graph");
	ok(cycles && cycles->n == 1 && cycles->v[0].rounds == 99999,
		"300 000 frames: one cycle");
	callgraph_free(graph);
	cycles_free(cycles);
	tree_free(tree);
	free(functions);
}

int main(void)
{
	test_pqr();
	test_fig1();
	test_direct();
	test_cycles();
	test_random();
	test_deep();
	return done_testing();
}
