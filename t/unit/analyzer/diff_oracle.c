/*
 * diff: what it says of random recursive runs against an oracle that takes each
 * stack by itself.  Which changes are listed goes by the words of
 * cpprof-diff(1).  How sure they are comes from diff_figure(), which has a test
 * of its own.
 */
#include <math.h>
#include <stdio.h>

#include "analyzer/diff/diff_private.h"
#include "analyzer/report/diff.h"
#include "analyzer/report/report.h"
#include "t/lib/draw.h"
#include "t/lib/tap.h"
#include "t/unit/analyzer/oracle.h"

#define ROUNDS 400
#define FIRST FN_FIRST_REAL
#define FUNCTIONS 7
#define END (FIRST + FUNCTIONS)
#define STACKS 14
#define RUNS 8
#define THRESHOLD 0.05
#define CARRIES 0.8

/* A run's functions have numbers of its own; the oracle's are of all runs. */
static struct run {
	uint64_t weight[STACKS];
	uint32_t numbers[STACKS][ORACLE_DEPTH];
	struct stack stacks[STACKS]; /* those with a weight, of all runs' */
	size_t n;
	uint64_t total;
	struct oracle oracle;
	struct cpd_resource resources[2];
	struct books books[2];
	struct function functions[END];
	struct dataset data;
	struct tree *tree;
} runs[RUNS];

static uint32_t stacks[STACKS][ORACLE_DEPTH], depths[STACKS];
static char names[END][8];
static size_t na, nb;
static double sampling;

/* The oracle's view of one path or function. */
struct figures {
	double v[RUNS];
	struct diff_figure figure;
	bool is_listed; /* if nothing below carries it */
	bool is_likely; /* listed, but not for sure */
	bool is_noise;
};

static struct diff judge; /* has the total */
static double share;
static size_t compared;

static uint32_t draw_function(void)
{
	return draw(12) ? FIRST + 1 + draw(FUNCTIONS - 2) : END - 1;
}

/* All functions are in the first stack, so none is gone and none is new. */
static void draw_stacks(void)
{
	for (size_t s = 0; s < STACKS; s++) {
		depths[s] = s ? 3 + draw(8) : FUNCTIONS + 1;
		stacks[s][0] = FN_ALL;
		stacks[s][1] = FIRST;
		for (uint32_t i = 2; i < depths[s]; i++)
			stacks[s][i] = s ? draw_function() : END + 1 - i;
		if (s && !draw(8))
			stacks[s][1] = FIRST + draw(FUNCTIONS);
	}
}

/* What has the last function weighs little: it is below the threshold. */
static uint64_t draw_weight(size_t s)
{
	for (uint32_t i = 0; i < depths[s]; i++)
		if (stacks[s][i] == END - 1)
			return 1 + draw(20);
	return 1 + draw(1000);
}

static void draw_side(struct run *side, size_t n, const uint64_t *weight)
{
	bool varies = n > 1 && draw(3);

	for (size_t r = 0; r < n; r++) {
		memcpy(side[r].weight, weight, sizeof side[r].weight);
		for (uint32_t i = 0; varies && i < 3; i++) {
			size_t from = 1 + draw(STACKS - 1);
			size_t to = 1 + draw(STACKS - 1);
			uint64_t part = draw(1 + side[r].weight[from] / 4);

			side[r].weight[from] -= part;
			side[r].weight[to] += part;
		}
	}
}

static void draw_weights(void)
{
	uint64_t weight[STACKS];

	for (size_t s = 0; s < STACKS; s++)
		weight[s] = s && !draw(4) ? 0 : draw_weight(s);
	draw_side(runs, na, weight);
	for (uint32_t changes = draw(4); changes; changes--) {
		size_t s = draw(STACKS);

		weight[s] = s && !draw(3) ? 0 : draw_weight(s);
		if (draw(2))
			weight[1 + draw(STACKS - 1)] += 1 + draw(20);
	}
	draw_side(runs + na, nb, weight);
}

/* The number that run R has for function F. */
static uint32_t number_of(size_t r, uint32_t f)
{
	return f == FN_ALL ? f : FIRST + (f - FIRST + (uint32_t)r) % FUNCTIONS;
}

static void make_data(struct run *run, size_t r, bool clock)
{
	for (uint32_t f = 0; f < END; f++)
		run->functions[f < FIRST ? f : number_of(r, f)] =
			(struct function){.name = names[f],
				.shown = names[f],
				.brief = names[f],
				.linkage = "",
				.module = "",
				.file = ""};
	run->resources[1] = (struct cpd_resource){.name = "r",
		.interval = 1,
		.unit = clock ? CPD_USEC : CPD_COUNT};
	run->books[1] = (struct books){
		.weight = run->total, .squares = sampling * (double)run->total};
	run->data = (struct dataset){.functions = run->functions,
		.nfunctions = END - 1,
		.resources = run->resources,
		.books = run->books,
		.nresources = 1};
}

static void make_run(size_t r, uint32_t root)
{
	struct run *run = &runs[r];
	struct stack numbered[STACKS];
	struct err err;

	run->n = run->total = 0;
	for (size_t s = 0; s < STACKS; s++) {
		if (!run->weight[s])
			continue;
		for (uint32_t i = 0; i < depths[s]; i++)
			run->numbers[s][i] = number_of(r, stacks[s][i]);
		run->stacks[run->n] =
			(struct stack){stacks[s], depths[s], run->weight[s], 1};
		numbered[run->n++] = (struct stack){
			run->numbers[s] + 1, depths[s] - 1, run->weight[s], 1};
		run->total += run->weight[s];
	}
	make_data(run, r, sampling > 0);
	run->tree = tree_from_stacks(numbered, run->n, &err);
	run->tree->data = &run->data;
	run->tree->view.resource = 1;
	oracle_down(&run->oracle, run->stacks, run->n, root);
}

/* Every path of every run, with no weight. */
static void find_paths(struct oracle *all)
{
	static const struct stack nothing;

	for (size_t r = 0; r < na + nb; r++)
		for (size_t i = 0; i < runs[r].oracle.n; i++)
			oracle_count(all, runs[r].oracle.records[i].path,
				runs[r].oracle.records[i].length, &nothing, 0);
}

static struct figures of_path(const uint32_t *path, uint32_t length)
{
	struct figures figures = {.is_noise = false};

	for (size_t r = 0; r < na + nb; r++) {
		const struct oracle_record *record =
			oracle_find(&runs[r].oracle, path, length);

		figures.v[r] = record ? (double)record->weight : 0;
	}
	return figures;
}

/* What F has with all below it, or itself. */
static struct figures of_function(uint32_t f, bool self)
{
	struct figures figures = {.is_noise = false};

	for (size_t r = 0; r < na + nb; r++)
		for (size_t s = 0; s < runs[r].n; s++) {
			const struct stack *stack = &runs[r].stacks[s];
			uint32_t i = self ? stack->depth - 1 : 0;

			while (i < stack->depth && stack->functions[i] != f)
				i++;
			if (i < stack->depth)
				figures.v[r] += (double)stack->weight;
		}
	return figures;
}

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

static bool is_large(const struct figures *figures)
{
	return fmax(mean(figures->v, na), mean(figures->v + na, nb)) >= share;
}

static double change(const struct figures *figures)
{
	return mean(figures->v + na, nb) - mean(figures->v, na);
}

static struct diff_figure figure_at(const struct figures *figures, double alpha)
{
	struct diff_value values[RUNS];

	for (size_t r = 0; r < na + nb; r++)
		values[r] = (struct diff_value){
			figures->v[r], figures->v[r] * sampling};
	return diff_figure(&judge, values, alpha);
}

/* Half of the 5 % is for all paths and functions that are compared.  What
   differs at an error of one in all of them is likely. */
static void judge_figures(struct figures *figures)
{
	double alpha = 0.025 / (double)compared;
	struct diff_figure is = figure_at(figures, alpha);
	bool is_compared = is_large(figures) ||
			   (!sampling && (is.verdict == DIFF_EXACT ||
						 is.verdict == DIFF_UNSURE));

	figures->is_noise = is_compared && is.verdict != DIFF_SAME &&
			    is.lo <= 0 && is.hi >= 0;
	if (figures->is_noise) {
		is = figure_at(figures, fmin(0.05, 40 * alpha));
		figures->is_likely = is.lo > 0 || is.hi < 0;
		figures->is_noise = !figures->is_likely;
		is.verdict = DIFF_UNSURE;
	}
	figures->figure = is;
	figures->is_listed =
		is_compared && !figures->is_noise && change(figures) != 0;
}

/* The variance of a side's runs beyond that of sampling, in parts of its mean's
   square, for each of its degrees of freedom. */
static double varies(const double *v, size_t n)
{
	double m = mean(v, n), squares = -(double)(n - 1) * m * sampling;

	for (size_t i = 0; i < n; i++)
		squares += (v[i] - m) * (v[i] - m);
	return n < 2 || m == 0 ? 0 : fmax(squares, 0) / (m * m);
}

/* As most of the functions by themselves do, of which there must be four. */
static double most_vary(void)
{
	double v[END], df = (double)(na + nb - 2);
	size_t n = 0, i;

	for (uint32_t f = FIRST; f < END && df > 0; f++) {
		struct figures is = of_function(f, true);
		double x = (varies(is.v, na) + varies(is.v + na, nb)) / df;

		if (!is_large(&is))
			continue;
		for (i = n++; i && v[i - 1] > x; i--)
			v[i] = v[i - 1];
		v[i] = x;
	}
	return n < 4 ? -1 : v[n / 2] / pow(1 - 2 / (9 * df), 3);
}

/* Only what is as sure carries a change. */
static bool carries(const struct figures *callee, const struct figures *all)
{
	return callee->is_listed && change(all) != 0 &&
	       (!callee->is_likely || !all->is_listed || all->is_likely) &&
	       change(callee) / change(all) >= CARRIES &&
	       change(callee) / change(all) <= 1 / CARRIES;
}

static bool begins_with(
	const struct oracle_record *path, const struct oracle_record *with)
{
	return path->length == with->length + 1 &&
	       !memcmp(path->path, with->path,
		       with->length * sizeof *with->path);
}

/* The number that the oracle has for a function of DIFF. */
static uint32_t known_as(const struct diff *diff, uint32_t f)
{
	uint32_t known = 0;

	while (known < END && strcmp(names[known], diff->functions[f].name))
		known++;
	return known;
}

static bool is_entry(const struct diff *diff, const struct diff_entry *entry,
	const uint32_t *path, uint32_t length)
{
	bool is = entry->length == length;

	for (uint32_t i = 0; is && i < length; i++)
		is = known_as(diff, entry->path[i]) == path[i];
	return is;
}

static bool same(const struct diff_figure *a, const struct diff_figure *b)
{
	return a->a == b->a && a->b == b->b &&
	       fabs(a->lo - b->lo) <= 1e-9 * (a->a + a->b) &&
	       fabs(a->hi - b->hi) <= 1e-9 * (a->a + a->b) &&
	       a->verdict == b->verdict;
}

/* The entry of PATH if it stands once in a list; else NULL. */
static const struct diff_entry *find_entry(const struct diff *diff,
	const struct diff_entry *list, size_t n, const uint32_t *path,
	uint32_t length)
{
	const struct diff_entry *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (is_entry(diff, &list[i], path, length)) {
			if (found)
				return NULL;
			found = &list[i];
		}
	return found;
}

static bool falls(const struct diff_entry *list, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (fabs(list[i].figure.b - list[i].figure.a) >
			fabs(list[i - 1].figure.b - list[i - 1].figure.a))
			return false;
	return true;
}

/* Each change stands at the deepest path of which no callee that can be listed
   carries 80 %. */
static bool paths_are_right(const struct diff *diff, const struct oracle *all,
	const struct figures *of, size_t *listed)
{
	*listed = 0;
	for (size_t i = 0; i < all->n; i++) {
		const struct oracle_record *path = &all->records[i];
		const struct diff_entry *entry;
		bool shown = of[i].is_listed;

		for (size_t c = 0; shown && c < all->n; c++)
			shown = !begins_with(&all->records[c], path) ||
				!carries(&of[c], &of[i]);
		if (!shown)
			continue;
		++*listed;
		entry = find_entry(diff, diff->paths, diff->npaths, path->path,
			path->length);
		if (!entry || !same(&entry->figure, &of[i].figure))
			return false;
	}
	return *listed == diff->npaths && falls(diff->paths, diff->npaths);
}

/* Where not every event is counted, a path is not followed through a function
   that is below the threshold in all runs. */
static bool is_followed(
	const struct oracle_record *path, const struct figures *totals)
{
	for (uint32_t i = 0; sampling && i < path->length; i++) {
		bool light = path->path[i] != FN_ALL;

		for (size_t r = 0; r < na + nb; r++)
			light &= totals[path->path[i]].v[r] < share;
		if (light)
			return false;
	}
	return true;
}

/* Whether F is in a path and no other function that it calls on one carries its
   change. */
static bool tells(uint32_t f, const struct oracle *all,
	const struct figures *of, const struct figures *totals)
{
	bool stands = false;

	for (size_t i = 0; i < all->n; i++) {
		const uint32_t *path = all->records[i].path;
		uint32_t length = all->records[i].length;

		stands |= path[length - 1] == f &&
			  is_followed(&all->records[i], totals);
		if (length > 1 && path[length - 2] == f &&
			path[length - 1] != f && carries(&of[i], &totals[f]))
			return false;
	}
	return stands;
}

static bool functions_are_right(const struct diff *diff,
	const struct oracle *all, const struct figures *of,
	const struct figures *totals)
{
	size_t listed = 0;

	for (uint32_t f = FIRST; f < END; f++) {
		struct figures self = of_function(f, true);
		const struct diff_entry *entry;

		if (!totals[f].is_listed || !tells(f, all, of, totals))
			continue;
		listed++;
		self.figure = figure_at(&self, 0.025 / (double)compared);
		entry = find_entry(diff, diff->changed, diff->nchanged, &f, 1);
		if (!entry || !same(&entry->figure, &totals[f].figure) ||
			!same(&entry->self, &self.figure))
			return false;
	}
	return listed == diff->nchanged && falls(diff->changed, diff->nchanged);
}

/* Whether the lines from LINE on (NULL: there are none), one an entry, say
   changes in % of BEFORE; of single runs of samples 0.0 % is none. */
static bool says_parts(const struct diff *diff, const char *line,
	const struct diff_entry *list, size_t n, double before)
{
	bool single = na == 1 && nb == 1 && !diff->counts;

	for (size_t i = 0; i < n; i++) {
		double change = list[i].figure.b - list[i].figure.a;
		const char *end, *at;
		char part[32];

		if (single && fabs(change) < 0.0005 * before)
			return true;
		snprintf(part, sizeof part, " %+.1f %%", 100 * change / before);
		line = line ? strchr(line, '\n') : NULL;
		end = line ? strchr(++line, '\n') : NULL;
		at = end ? strstr(line, part) : NULL;
		if (!at || at > end)
			return false;
	}
	return true;
}

static bool parts_are_right(const struct diff *diff, double before)
{
	static const struct report_options options = {
		.columns = 160, .whole = true};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct err err;
	bool right = out && !report_diff_text(out, diff, &options, &err);

	right &= out && !fclose(out);
	right = right &&
		says_parts(diff, strstr(text, " call path, with"), diff->paths,
			diff->npaths, before) &&
		says_parts(diff, strstr(text, " function, with"), diff->changed,
			diff->nchanged, before);
	free(text);
	return right;
}

static unsigned wrong_parts, wrong_totals, wrong_paths, wrong_functions,
	wrong_noise, wrong_varies, learned;
static unsigned seen[DIFF_UNSURE + 1], carried;

static void check(const struct diff *diff, const struct oracle *all)
{
	struct figures *of = calloc(all->n + 1, sizeof *of);
	struct figures totals[END];
	struct figures total = of_function(FN_ALL, false);
	size_t noise = 0, listed;

	judge.a.n = na;
	judge.b.n = nb;
	judge.counts = !sampling;
	share = THRESHOLD * fmax(mean(total.v, na), mean(total.v + na, nb));
	judge.varies = most_vary();
	wrong_varies +=
		fabs(judge.varies - diff->varies) > 1e-9 * fabs(diff->varies);
	learned += judge.varies > 0;
	compared = 1;
	for (size_t i = 0; i < all->n; i++) {
		of[i] = of_path(all->records[i].path, all->records[i].length);
		compared += is_large(&of[i]);
	}
	for (uint32_t f = FIRST; f < END; f++) {
		totals[f] = of_function(f, false);
		compared += is_large(&totals[f]);
	}
	for (size_t i = 0; i < all->n; i++) {
		judge_figures(&of[i]);
		noise += of[i].is_noise;
		carried += of[i].is_listed;
	}
	for (uint32_t f = FIRST; f < END; f++) {
		judge_figures(&totals[f]);
		noise += totals[f].is_noise;
	}
	wrong_totals += diff->total.a != mean(total.v, na) ||
			diff->total.b != mean(total.v + na, nb);
	wrong_paths += !paths_are_right(diff, all, of, &listed);
	carried -= (unsigned)listed;
	wrong_functions += !functions_are_right(diff, all, of, totals);
	wrong_noise += diff->noise != noise;
	wrong_parts += !parts_are_right(diff, mean(total.v, na));
	for (size_t i = 0; i < diff->npaths; i++)
		seen[diff->paths[i].figure.verdict]++;
	free(of);
}

static void round_of(uint32_t root)
{
	const struct tree *trees[RUNS];
	struct oracle all = {0};
	struct diff *diff;
	struct err err;

	for (size_t r = 0; r < na + nb; r++) {
		make_run(r, root);
		trees[r] = runs[r].tree;
	}
	find_paths(&all);
	diff = diff_new((struct diff_side){trees, na},
		(struct diff_side){trees + na, nb},
		root == FN_ALL ? NULL : names[root], THRESHOLD, &err);
	if (diff)
		check(diff, &all);
	wrong_totals += !diff;
	diff_free(diff);
	oracle_free(&all);
	for (size_t r = 0; r < na + nb; r++) {
		tree_free(runs[r].tree);
		oracle_free(&runs[r].oracle);
	}
}

int main(void)
{
	for (uint32_t f = 0; f < END; f++)
		snprintf(names[f], sizeof names[f], "f%u", f);
	for (int round = 0; round < ROUNDS; round++) {
		/* means of 1, 2 or 4 runs are exact */
		na = (size_t)1 << draw(3);
		nb = (size_t)1 << draw(3);
		sampling = draw(2) ? 1 + draw(4) : 0;
		draw_stacks();
		draw_weights();
		round_of(FN_ALL);
		round_of(FIRST + (draw(3) ? 0 : draw(FUNCTIONS)));
	}
	printf("# paths listed: exact %u, real %u, of one run a side %u; "
	       "carried by a callee %u\n",
		seen[DIFF_EXACT], seen[DIFF_REAL], seen[DIFF_UNSURE], carried);
	ok(!wrong_totals, "totals: what the oracle says (%u wrong)",
		wrong_totals);
	ok(!wrong_paths, "the paths listed likewise (%u)", wrong_paths);
	ok(!wrong_functions, "the functions (%u)", wrong_functions);
	ok(!wrong_parts, "each in %% of all before (%u)", wrong_parts);
	ok(!wrong_noise, "how many are within noise (%u)", wrong_noise);
	ok(!wrong_varies && learned > ROUNDS / 4,
		"how much runs vary (%u, of %u)", wrong_varies, learned);
	ok(seen[DIFF_EXACT] > ROUNDS / 4 && seen[DIFF_REAL] > ROUNDS / 4 &&
			seen[DIFF_UNSURE] > ROUNDS / 4 && carried > ROUNDS,
		"there were changes of each kind");
	return done_testing();
}
