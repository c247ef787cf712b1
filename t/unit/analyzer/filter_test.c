/*
 * filter_test - profiles under filters against the naive way: sift the list of
 * stacks, then profile what is left.
 *
 * Random files of few functions, so that recursion is common, with losses of
 * threads and of none.
 */
#include <stdlib.h>

#include "analyzer/profile/profile.h"
#include "t/lib/draw.h"
#include "t/unit/analyzer/filter_oracle.h"

#define ROUNDS 150

static void random_stack(struct input *in, size_t s, int round)
{
	struct flat *flat = &in->flat[s];

	flat->depth = 1 + draw(round % 4 ? 8 : DEPTH);
	flat->thread = 1 + draw(THREADS);
	flat->hits = 1 + draw(4);
	flat->weight = flat->hits * 10 + draw(3);
	flat->truncated = !draw(6);
	flat->time = MADE_START + (uint64_t)draw(10) * SECOND;
	if (s && round % 3 == 0) /* common beginnings */
		memcpy(flat->functions, in->flat[draw((uint32_t)s)].functions,
			sizeof flat->functions);
	for (uint32_t i = round % 3 ? 0 : flat->depth / 2; i < flat->depth; i++)
		flat->functions[i] = 1 + draw(FUNCTIONS);
	for (uint32_t i = 0; i < flat->depth; i++)
		if (!flat->functions[i])
			flat->functions[i] = 1;
}

static void random_input(struct input *in, int round)
{
	memset(in, 0, sizeof *in);
	in->n = 1 + draw(SAMPLES);
	for (size_t s = 0; s < in->n; s++)
		random_stack(in, s, round);
	in->nlosses = draw(4);
	for (size_t i = 0; i < in->nlosses; i++)
		in->losses[i] =
			(struct loss){draw(2) ? CPD_LOST : CPD_UNSAMPLED,
				draw(THREADS + 1), 1 + draw(50)};
}

/* Functions by a name, a glob, a regular expression. */
static void random_functions(struct asked *asked)
{
	static const struct {
		const char *word, *numbers;
	} words[] = {{"f1", "1"}, {"f2", "2"}, {"f3", "3"}, {"f4", "4"},
		{"f5", "5"}, {"f?", "12345"}, {"*1", "1"}, {"/[24]$/", "24"},
		{"/^f[3-5]/", "345"}, {"prog!*", "123"}, {"liba*!f?", "45"},
		{"/^liba.so!/", "45"}, {"prog!f1", "1"}};
	size_t i = draw(sizeof words / sizeof *words);

	strcpy(asked->name, words[i].word);
	for (const char *c = words[i].numbers; *c; c++)
		asked->set[*c - '0'] = true;
}

static void random_module(struct asked *asked)
{
	static const char *const words[] = {"prog", "liba.so", "lib*", "/pr/"};
	size_t i = draw(4);

	strcpy(asked->name, words[i]);
	for (uint32_t f = 1; f <= FUNCTIONS; f++)
		asked->set[f] = module_of(f) == (i % 3 ? 2 : 1);
}

static void random_window(struct asked *asked)
{
	uint32_t from = draw(6), to = from + 1 + draw(9);

	asked->from = from;
	asked->to = to;
	snprintf(asked->name, sizeof asked->name, "%us..%u000ms", from, to);
}

/* A filter that may follow those before it. */
static void random_filter(struct asked *asked, bool begun)
{
	static const char *const tasks[] = {"sh", "sed", "101", "102", "%3",
		"prog", "/bin/prog", "s*", "/^s/", "*/prog"};
	static const char *const threads[] = {
		"main", "worker", "sed", "201", "206", "%4", "/er$/", "m*n"};

	memset(asked, 0, sizeof *asked);
	asked->kind = draw(FILTER_ELIDE);
	if (asked->kind == FILTER_THEN && !begun)
		asked->kind = FILTER_CONTAINS;
	if (asked->kind == FILTER_PROCESS)
		strcpy(asked->name, tasks[draw(10)]);
	else if (asked->kind == FILTER_THREAD)
		strcpy(asked->name, threads[draw(8)]);
	else if (asked->kind == FILTER_WINDOW)
		random_window(asked);
	else if (asked->kind == FILTER_MODULE)
		random_module(asked);
	else
		random_functions(asked);
}

static bool is_below_right(const struct dataset *data, const struct tree *tree,
	const struct input *in, const struct asked *asked, size_t n,
	const struct shown *shown)
{
	struct err err;
	struct profile *profile =
		profile_new(tree, PROFILE_FUNCTION, NULL, 0, 0, &err);
	uint64_t all = 0, sum = 0;

	for (uint32_t f = FN_FIRST_REAL; f < dataset_numbers(data); f++)
		all += below(data, in, asked, n, shown, f);
	for (size_t i = 0; i < profile->n; i++) {
		const struct profile_entry *entry = &profile->entries[i];

		sum += entry->weight;
		if (entry->weight !=
			below(data, in, asked, n, shown, entry->path[0])) {
			profile_free(profile);
			return false;
		}
	}
	profile_free(profile);
	return all == sum;
}

/* Whether both profiles have the same entries, weights and hits. */
static bool same(const struct profile *a, const struct profile *b)
{
	if (!a || !b || a->n != b->n || a->kept != b->kept)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct profile_entry *x = &a->entries[i];
		size_t k = 0;

		while (k < b->n &&
			(b->entries[k].length != x->length ||
				b->entries[k].depth != x->depth ||
				b->entries[k].weight != x->weight ||
				b->entries[k].hits != x->hits ||
				memcmp(b->entries[k].path, x->path,
					x->length * sizeof *x->path)))
			k++;
		if (k == b->n)
			return false;
	}
	return true;
}

/* Of a tree that tree_is_below(), the function profile is looked at apart. */
static bool same_profiles(
	const struct tree *a, const struct tree *b, const struct dataset *data)
{
	bool good = true;

	for (enum profile_kind kind = PROFILE_DOWN; kind <= PROFILE_TREE;
		kind++)
		for (uint32_t r = FN_ALL; r < dataset_numbers(data); r++) {
			double threshold = r % 2 ? 0.2 : 0;
			struct err err;
			struct profile *x =
				profile_new(a, kind, &r, 1, threshold, &err);
			struct profile *y =
				profile_new(b, kind, &r, 1, threshold, &err);

			good &= (kind == PROFILE_FUNCTION &&
					tree_is_below(a)) ||
				same(x, y);
			profile_free(x);
			profile_free(y);
			if (kind >= PROFILE_FUNCTION)
				break;
		}
	return good;
}

static bool is_whole(const struct tree *tree, const struct input *in)
{
	uint64_t weight = 0, hits = 0;

	for (size_t i = 0; i < in->n; i++) {
		weight += in->flat[i].weight;
		hits += in->flat[i].hits;
	}
	for (size_t i = 0; i < in->nlosses; i++)
		weight += in->losses[i].gticks;
	return tree->whole.weight == weight && tree->whole.hits == hits &&
	       tree->whole.samples == in->n;
}

struct tally {
	int wrong, whole, undone, emptied, narrowed, undecided, folded, folds;
};

/* Against the oracle, whether the tree under the first N filters is right. */
static bool is_right(const struct dataset *data, const struct tree *tree,
	const struct input *in, const struct asked *asked, size_t n,
	const struct shown *shown)
{
	uint64_t undecided;
	struct tree *oracle = sifted(data, in, asked, n, shown, &undecided);
	bool right = same_profiles(tree, oracle, data) &&
		     tree->undecided.weight == undecided;

	if (tree_is_below(tree))
		right &= is_below_right(data, tree, in, asked, n, shown);

	tree_free(oracle);
	return right;
}

/* A name that none of the stacks has is an error, and changes nothing. */
static void add_filter(struct filters *filters, const struct dataset *data,
	struct asked *asked, bool begun)
{
	struct err err;

	do {
		random_filter(asked, begun);
	} while (filters_add(filters, data, asked->kind, asked->name, &err));
}

/* A view that elides and groups at random. */
static void random_shown(struct shown *shown, struct filters *elided,
	const struct dataset *data, struct tree_view *view)
{
	struct err err;

	memset(shown, 0, sizeof *shown);
	shown->group = view->group = draw(GROUP_KINDS);
	for (size_t i = draw(4); i-- > 0;) {
		struct asked asked = {0};

		random_functions(&asked);
		if (filters_add(elided, data, FILTER_ELIDE, asked.name, &err))
			continue;
		for (uint32_t f = 1; f <= FUNCTIONS; f++)
			shown->elided[f] |= asked.set[f];
	}
	view->elided = elided;
}

static void one_round(int round, struct tally *tally)
{
	struct input in;
	struct asked asked[FILTERS];
	struct filters filters = {0}, elided = {0};
	struct shown shown = {0};
	struct tree_view view = {.resource = 1, .filters = &filters};
	struct dataset *data;
	bool begun = false;
	struct err err;

	random_input(&in, round);
	data = write_and_open(&in);
	for (size_t n = 0; n <= FILTERS; n++) {
		struct tree *tree = tree_new(data, &view, &err);

		tally->wrong += !is_right(data, tree, &in, asked, n, &shown);
		tally->whole += !is_whole(tree, &in);
		tally->emptied += !tree_total(tree, 0)->weight;
		tally->undecided += tree->undecided.weight > 0;
		tally->narrowed +=
			tree_total(tree, 0)->weight &&
			tree_total(tree, 0)->weight < tree->whole.weight;
		tree_free(tree);
		random_shown(&shown, &elided, data, &view);
		tree = tree_new(data, &view, &err);
		tally->folded += !is_right(data, tree, &in, asked, n, &shown);
		tally->folds +=
			tree_total(tree, 0)->weight && (elided.n || view.group);
		tree_free(tree);
		filters_fini(&elided);
		view.group = GROUP_FUNCTION;
		memset(&shown, 0, sizeof shown);
		if (n == FILTERS)
			break;
		add_filter(&filters, data, &asked[n], begun);
		begun |= asked[n].kind == FILTER_CONTAINS;
	}
	for (size_t n = FILTERS; n-- > 0;) {
		struct tree *tree;

		filters_undo(&filters);
		tree = tree_new(data, &view, &err);
		tally->undone += !is_right(data, tree, &in, asked, n, &shown);
		tree_free(tree);
	}
	filters_fini(&filters);
	dataset_free(data);
}

static void test_random(void)
{
	struct tally tally = {0};

	for (int round = 0; round < ROUNDS; round++)
		one_round(round, &tally);
	ok(!tally.wrong, "every profile is that of the stacks kept (%d wrong)",
		tally.wrong);
	ok(!tally.whole, "the whole stays the run (%d wrong)", tally.whole);
	ok(!tally.undone, "undo goes back (%d wrong)", tally.undone);
	ok(!tally.folded && tally.folds > ROUNDS,
		"of elided and grouped functions, too (%d of %d wrong)",
		tally.folded, tally.folds);
	ok(tally.emptied > ROUNDS / 20 && tally.narrowed > ROUNDS &&
			tally.undecided > ROUNDS,
		"filters did something: %d left nothing, %d a part, %d were "
		"undecided about some",
		tally.emptied, tally.narrowed, tally.undecided);
}

int main(void)
{
	path = temp_file();
	test_random();
	temp_file_remove(path);
	return done_testing();
}
