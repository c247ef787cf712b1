/*
 * filter_test - profiles under filters against the naive way: sift the list of
 * stacks, then profile what is left.
 *
 * Random files of few functions, so that recursion is common, in several
 * processes and threads, some of one name, with losses of threads and of none.
 * Whether a stack is kept is settled here by searching it for the functions in
 * turn, with no tree and no memory of its beginnings.  Some stacks lack their
 * outer frames: what these may hide is settled by asking whether any could have
 * made the answer another one.  What a view elides or groups is left out of, or
 * replaced in, each stack by itself.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/profile/profile.h"
#include "analyzer/report/report.h"
#include "lib/cpprofdata/writer.h"
#include "t/lib/tap.h"
#include "t/lib/temp_file.h"

#define ROUNDS 150
#define SAMPLES 60
#define DEPTH 24
#define FUNCTIONS 5
#define THREADS 6
#define FILTERS 4

static const char *path;
static uint64_t seed = 7;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((seed >> 33) % n);
}

/* Threads 1 .. THREADS: process, names; processes 1, 2 and 3 with a pid. */
static const uint32_t process_of[] = {0, 1, 1, 1, 2, 2, 3};
static const char *const thread_names[] = {
	"", "main", "worker", "worker", "", "main", "worker"};
static const char *const process_names[] = {"", "sh", "sed", "sh"};

struct flat {
	uint32_t functions[DEPTH]; /* 1 .. FUNCTIONS, outermost first */
	uint32_t depth, thread;
	bool truncated;
	uint64_t weight, hits, time;
};

struct loss {
	enum cpd_loss_kind kind;
	uint32_t thread;
	uint64_t gticks;
};

struct input {
	struct flat flat[SAMPLES];
	size_t n;
	struct loss losses[4];
	size_t nlosses;
};

struct asked {
	enum filter_kind kind;
	char name[16];
	bool set[FUNCTIONS + 1]; /* on stacks: the functions it stands for */
	uint64_t from, to;       /* WINDOW */
};

enum verdict { KEPT, UNDECIDED, DROPPED };

/* How stacks are shown. */
struct shown {
	bool elided[FUNCTIONS + 1];
	enum dataset_group group;
};

#define START 1000
#define SECOND 1000000000

static uint64_t address(uint32_t f)
{
	return 0x1000 * (uint64_t)f;
}

static void write_tasks(struct cpd_writer *w)
{
	for (uint32_t p = 1; p <= 3; p++)
		cpd_write_process(w, &(struct cpd_process){.pid = 100 + (int)p,
					     .parent = p - 1,
					     .time = 10 * p,
					     .name = process_names[p],
					     .exe = "/bin/prog"});
	for (uint32_t t = 1; t <= THREADS; t++)
		cpd_write_thread(w, &(struct cpd_thread){.tid = 200 + (int)t,
					    .process = process_of[t],
					    .time = 100,
					    .name = thread_names[t]});
	cpd_write_module(w, &(struct cpd_module){.path = "/bin/prog"});
	cpd_write_module(w, &(struct cpd_module){.path = "/lib/liba.so"});
}

static const char *const files[] = {"", "a.c", "b.c", "a.c", "", ""};

static uint32_t module_of(uint32_t f)
{
	return f < 4 ? 1 : 2;
}

static void write_names(struct cpd_writer *w)
{
	char name[] = "f?";

	for (uint32_t f = 1; f <= FUNCTIONS; f++) {
		struct cpd_frame frame = {.file = ""};

		name[1] = (char)('0' + f);
		frame.function = cpd_write_function(
			w, &(struct cpd_function){.module = module_of(f),
				   .lo = address(f),
				   .hi = address(f) + 0x1000,
				   .name = name,
				   .linkage = "",
				   .source = CPD_NAME_SYMTAB,
				   .file = files[f],
				   .line = f});
		cpd_write_addr(w, &(struct cpd_addr){.module = module_of(f),
					  .addr = address(f),
					  .nframes = 1,
					  .frames = &frame});
	}
}

static void random_stack(struct input *in, size_t s, int round)
{
	struct flat *flat = &in->flat[s];

	flat->depth = 1 + random_below(round % 4 ? 8 : DEPTH);
	flat->thread = 1 + random_below(THREADS);
	flat->hits = 1 + random_below(4);
	flat->weight = flat->hits * 10 + random_below(3);
	flat->truncated = !random_below(6);
	flat->time = START + (uint64_t)random_below(10) * SECOND;
	if (s && round % 3 == 0) /* common beginnings */
		memcpy(flat->functions,
			in->flat[random_below((uint32_t)s)].functions,
			sizeof flat->functions);
	for (uint32_t i = round % 3 ? 0 : flat->depth / 2; i < flat->depth; i++)
		flat->functions[i] = 1 + random_below(FUNCTIONS);
	for (uint32_t i = 0; i < flat->depth; i++)
		if (!flat->functions[i])
			flat->functions[i] = 1;
}

static void random_input(struct input *in, int round)
{
	memset(in, 0, sizeof *in);
	in->n = 1 + random_below(SAMPLES);
	for (size_t s = 0; s < in->n; s++)
		random_stack(in, s, round);
	in->nlosses = random_below(4);
	for (size_t i = 0; i < in->nlosses; i++)
		in->losses[i] = (struct loss){
			random_below(2) ? CPD_LOST : CPD_UNSAMPLED,
			random_below(THREADS + 1), 1 + random_below(50)};
}

static struct dataset *write_and_open(const struct input *in)
{
	const char *argv[] = {"prog"};
	struct err err;
	struct cpd_writer *w = cpd_writer_open(path, &err);
	struct dataset *data;

	cpd_write_head(
		w, &(struct cpd_head){.start = START, .argc = 1, .argv = argv});
	cpd_write_resource(w, &(struct cpd_resource){.name = "cpu",
				      .title = "CPU",
				      .gtick = "us",
				      .interval = 10,
				      .timer = "t"});
	write_tasks(w);
	for (size_t s = 0; s < in->n; s++) {
		const struct flat *flat = &in->flat[s];
		struct cpd_sample sample = {.thread = flat->thread,
			.time = flat->time,
			.resource = 1,
			.hits = (uint32_t)flat->hits,
			.weight = flat->weight};

		if (flat->truncated)
			sample.node = cpd_node(w, 0, 0, CPD_TRUNCATED, 0);
		for (uint32_t i = 0; i < flat->depth; i++)
			sample.node = cpd_node(w, sample.node,
				module_of(flat->functions[i]),
				address(flat->functions[i]), CPD_NODE_EXACT);
		cpd_write_sample(w, &sample);
	}
	for (size_t i = 0; i < in->nlosses; i++)
		cpd_write_loss(w,
			&(struct cpd_loss){1, in->losses[i].kind,
				in->losses[i].thread, in->losses[i].gticks, 0});
	write_names(w);
	if (cpd_writer_close(w,
		    &(struct cpd_end){.samples = in->n, .time = 500}, &err) ||
		!(data = dataset_open(path, NULL, &err))) {
		printf("Bail out! %s: %s\n", err.op, err.reason);
		exit(99);
	}
	return data;
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
	size_t i = random_below(sizeof words / sizeof *words);

	strcpy(asked->name, words[i].word);
	for (const char *c = words[i].numbers; *c; c++)
		asked->set[*c - '0'] = true;
}

static void random_module(struct asked *asked)
{
	static const char *const words[] = {"prog", "liba.so", "lib*", "/pr/"};
	size_t i = random_below(4);

	strcpy(asked->name, words[i]);
	for (uint32_t f = 1; f <= FUNCTIONS; f++)
		asked->set[f] = module_of(f) == (i % 3 ? 2 : 1);
}

static void random_window(struct asked *asked)
{
	uint32_t from = random_below(6), to = from + 1 + random_below(9);

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
	asked->kind = random_below(FILTER_ELIDE);
	if (asked->kind == FILTER_THEN && !begun)
		asked->kind = FILTER_CONTAINS;
	if (asked->kind == FILTER_PROCESS)
		strcpy(asked->name, tasks[random_below(10)]);
	else if (asked->kind == FILTER_THREAD)
		strcpy(asked->name, threads[random_below(8)]);
	else if (asked->kind == FILTER_WINDOW)
		random_window(asked);
	else if (asked->kind == FILTER_MODULE)
		random_module(asked);
	else
		random_functions(asked);
}

static bool is_process(uint32_t p, const char *name)
{
	if (*name == '%')
		return p == (uint32_t)atoi(name + 1);
	return p + 100 == (uint32_t)atoi(name) ||
	       !strcmp(name, process_names[p]) || strstr(name, "prog") ||
	       !strcmp(name, "s*") || !strcmp(name, "/^s/");
}

static bool is_thread(uint32_t t, const char *name)
{
	const char *own = *thread_names[t] ? thread_names[t]
					   : process_names[process_of[t]];

	if (*name == '%')
		return t == (uint32_t)atoi(name + 1);
	if (!strcmp(name, "/er$/") || !strcmp(name, "m*n"))
		return !strcmp(own, *name == '/' ? "worker" : "main");
	return t + 200 == (uint32_t)atoi(name) || !strcmp(name, own);
}

static bool keeps_thread(uint32_t t, const struct asked *asked, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (asked[i].kind == FILTER_PROCESS &&
			(!t || !is_process(process_of[t], asked[i].name)))
			return false;
		if (asked[i].kind == FILTER_THREAD &&
			(!t || !is_thread(t, asked[i].name)))
			return false;
	}
	return true;
}

static bool is_on_stacks(const struct asked *asked)
{
	return asked->kind >= FILTER_CONTAINS;
}

static bool in_window(
	const struct flat *flat, const struct asked *asked, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (asked[i].kind == FILTER_WINDOW &&
			(flat->time < START + asked[i].from * SECOND ||
				flat->time >= START + asked[i].to * SECOND))
			return false;
	return true;
}

/*
 * Whether the wanted functions stand in the stack in this order, others between
 * or not: by trying every place for the first.
 */
static bool in_order(const uint32_t *stack, uint32_t depth,
	const struct asked *const *wanted, size_t n)
{
	if (!n)
		return true;
	for (uint32_t i = 0; i < depth; i++)
		if (wanted[0]->set[stack[i]] &&
			in_order(stack + i + 1, depth - i - 1, wanted + 1,
				n - 1))
			return true;
	return false;
}

static enum verdict worse(enum verdict a, enum verdict b)
{
	return a > b ? a : b;
}

/*
 * What a chain of `contains` and `then`s says; a stack that lacks frames may
 * have had all of it, and what was never there, too.
 */
static enum verdict judge_chain(const struct flat *flat,
	const struct asked *const *wanted, size_t n, bool without)
{
	if (in_order(flat->functions, flat->depth, wanted, n))
		return without ? DROPPED : KEPT;
	return flat->truncated ? UNDECIDED : without ? KEPT : DROPPED;
}

static enum verdict judge(
	const struct flat *flat, const struct asked *asked, size_t n)
{
	const struct asked *wanted[FILTERS];
	enum verdict verdict = KEPT;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		const struct asked *alone = &asked[i];

		if (!is_on_stacks(alone))
			continue;
		if (alone->kind == FILTER_MODULE ||
			alone->kind == FILTER_WITHOUT) {
			verdict = worse(verdict,
				judge_chain(flat, &alone, 1,
					alone->kind == FILTER_WITHOUT));
			continue;
		}
		if (alone->kind == FILTER_CONTAINS) {
			verdict = worse(
				verdict, judge_chain(flat, wanted, k, false));
			k = 0;
		}
		wanted[k++] = alone;
	}
	return worse(verdict, judge_chain(flat, wanted, k, false));
}

/* What each function is called in the dataset; 0 where no stack has it. */
static void find_numbers(const struct dataset *data, uint32_t *numbers)
{
	for (uint32_t f = 1; f <= FUNCTIONS; f++) {
		char name[] = {'f', (char)('0' + f), '\0'};
		uint32_t *found;
		struct err err;
		size_t n;

		numbers[f] = 0;
		if (dataset_find(data, name, &found, &n, &err))
			continue;
		numbers[f] = found[0];
		free(found);
	}
}

static uint32_t group_number(
	const struct dataset *data, enum dataset_group group, uint32_t f)
{
	const char *module = module_of(f) == 1 ? "prog" : "liba.so";
	const char *name = group == GROUP_FILE && *files[f] ? files[f] : module;

	return dataset_find_group(data, group, name);
}

static uint32_t thread_number(
	const struct dataset *data, enum dataset_group group, uint32_t thread)
{
	const char *name = *thread_names[thread] && group == GROUP_THREAD
				   ? thread_names[thread]
				   : process_names[process_of[thread]];

	return dataset_find_group(data, group, name);
}

/* The number that function F is shown as. */
static uint32_t number_of(
	const struct dataset *data, const struct shown *shown, uint32_t f)
{
	uint32_t numbers[FUNCTIONS + 1];

	if (shown->group == GROUP_MODULE || shown->group == GROUP_FILE)
		return group_number(data, shown->group, f);
	find_numbers(data, numbers);
	return numbers[f];
}

/* The stack as it is shown; its length. */
static uint32_t show(const struct dataset *data, const struct shown *shown,
	const struct flat *flat, uint32_t *to)
{
	bool threads =
		shown->group == GROUP_THREAD || shown->group == GROUP_PROCESS;
	uint32_t n = 0, bare;

	if (threads)
		to[n++] = thread_number(data, shown->group, flat->thread);
	bare = n;
	if (flat->truncated)
		to[n++] = FN_TRUNCATED;
	for (uint32_t i = 0; i < flat->depth; i++) {
		uint32_t f = flat->functions[i];

		if (shown->elided[f])
			continue;
		to[n] = number_of(data, shown, f);
		if (n == bare || to[n - 1] != to[n] || threads ||
			shown->group == GROUP_FUNCTION)
			n++;
	}
	if (n == bare)
		to[n++] = FN_ELIDED;
	return n;
}

/*
 * The tree of what the oracle keeps, in the dataset's numbers.  *UNDECIDED: the
 * weight of what it cannot settle.
 */
static struct tree *sifted(const struct dataset *data, const struct input *in,
	const struct asked *asked, size_t n, const struct shown *shown,
	uint64_t *undecided)
{
	static uint32_t functions[SAMPLES + 4][DEPTH + 2];
	struct stack stacks[SAMPLES + 4];
	struct err err;
	size_t kept = 0;
	bool no_losses = false;

	*undecided = 0;
	for (size_t i = 0; i < n; i++)
		no_losses |= is_on_stacks(&asked[i]) ||
			     asked[i].kind == FILTER_WINDOW;
	for (size_t s = 0; s < in->n; s++) {
		const struct flat *flat = &in->flat[s];
		enum verdict verdict = judge(flat, asked, n);
		uint32_t *to = functions[kept];

		if (!keeps_thread(flat->thread, asked, n) ||
			!in_window(flat, asked, n))
			continue;
		if (verdict != KEPT) {
			*undecided += verdict == UNDECIDED ? flat->weight : 0;
			continue;
		}
		stacks[kept] = (struct stack){to, show(data, shown, flat, to),
			flat->weight, flat->hits};
		kept++;
	}
	for (size_t i = 0; i < in->nlosses && !no_losses; i++) {
		const struct loss *loss = &in->losses[i];
		uint32_t *to = functions[kept], depth = 0;

		if (!keeps_thread(loss->thread, asked, n))
			continue;
		if (shown->group >= GROUP_THREAD && loss->thread)
			to[depth++] =
				thread_number(data, shown->group, loss->thread);
		to[depth++] = loss->kind == CPD_LOST ? FN_LOST : FN_UNSAMPLED;
		stacks[kept] = (struct stack){to, depth, loss->gticks, 0};
		kept++;
	}
	return tree_from_stacks(stacks, kept, &err);
}

/*
 * What the function profile after `then` has of NUMBER: stacks that are kept
 * and have it further inward than where the chain can first be complete.
 */
static uint64_t below(const struct dataset *data, const struct input *in,
	const struct asked *asked, size_t n, const struct shown *shown,
	uint32_t number)
{
	const struct asked *wanted[FILTERS];
	uint64_t weight = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		k = asked[i].kind == FILTER_CONTAINS ? 0 : k;
		if (asked[i].kind == FILTER_CONTAINS ||
			asked[i].kind == FILTER_THEN)
			wanted[k++] = &asked[i];
	}
	for (size_t s = 0; s < in->n; s++) {
		const struct flat *flat = &in->flat[s];
		uint32_t end = 0;

		if (judge(flat, asked, n) != KEPT ||
			!keeps_thread(flat->thread, asked, n) ||
			!in_window(flat, asked, n))
			continue;
		while (!in_order(flat->functions, end, wanted, k))
			end++;
		while (end < flat->depth &&
			(shown->elided[flat->functions[end]] ||
				number_of(data, shown, flat->functions[end]) !=
					number))
			end++;
		weight += end < flat->depth ? flat->weight : 0;
	}
	return weight;
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

/* Entries of one profile in the other, weights and hits the same. */
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

/* The function profile of A may be another one: it is looked at apart. */
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
	shown->group = view->group = random_below(GROUP_KINDS);
	for (size_t i = random_below(4); i-- > 0;) {
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
		tally->emptied += !tree->nodes[0].weight;
		tally->undecided += tree->undecided.weight > 0;
		tally->narrowed += tree->nodes[0].weight &&
				   tree->nodes[0].weight < tree->whole.weight;
		tree_free(tree);
		random_shown(&shown, &elided, data, &view);
		tree = tree_new(data, &view, &err);
		tally->folded += !is_right(data, tree, &in, asked, n, &shown);
		tally->folds +=
			tree->nodes[0].weight && (elided.n || view.group);
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

/* What is refused, and that it changes nothing. */
static void test_refused(void)
{
	struct input in = {.n = 1};
	struct filters filters = {0};
	struct dataset *data;
	struct err err;

	in.flat[0] = (struct flat){.functions = {1, 2, 1},
		.depth = 3,
		.thread = 1,
		.weight = 10,
		.hits = 1};
	data = write_and_open(&in);
	ok(filters_add(&filters, data, FILTER_THEN, "f1", &err) < 0 &&
			strstr(err.hint, "contains"),
		"then needs something to follow");
	ok(!filters_undo(&filters), "nothing to undo");
	filters_add(&filters, data, FILTER_CONTAINS, "f1", &err);
	ok(filters_add(&filters, data, FILTER_PROCESS, "sedd", &err) < 0 &&
			strstr(err.reason, "nearest: sed"),
		"the nearest process");
	ok(filters_add(&filters, data, FILTER_THREAD, "wroker", &err) < 0 &&
			strstr(err.reason, "nearest: worker"),
		"the nearest thread");
	ok(filters_add(&filters, data, FILTER_THEN, "", &err) < 0 &&
			filters_add(&filters, data, FILTER_PROCESS, "", &err) <
				0 &&
			filters_add(&filters, data, FILTER_PROCESS, "999",
				&err) < 0 &&
			filters_add(&filters, data, FILTER_PROCESS,
				"99999999999999999999", &err) < 0 &&
			filters_add(&filters, data, FILTER_THREAD, "%", &err) <
				0 &&
			filters_add(&filters, data, FILTER_THREAD, "%0", &err) <
				0,
		"wrong words");
	ok(filters.n == 1, "and nothing has changed");
	filters_fini(&filters);
	dataset_free(data);
}

static bool refuses(const struct dataset *data, enum filter_kind kind,
	const char *word, const char *why)
{
	struct filters filters = {0};
	struct err err;
	bool refused = filters_add(&filters, data, kind, word, &err) < 0 &&
		       (strstr(err.reason, why) || strstr(err.op, why)) &&
		       *err.hint && !filters.n;

	if (!refused)
		diag("%s: %s", word, err.reason);
	filters_fini(&filters);
	return refused;
}

/* Patterns and times that are none, or that would take all memory. */
static void test_patterns(void)
{
	static const struct {
		enum filter_kind kind;
		const char *word, *why;
	} bad[] = {{FILTER_CONTAINS, "/f(/", "regular"},
		{FILTER_CONTAINS, "//", "empty"},
		{FILTER_CONTAINS, "/[/", "regular"},
		{FILTER_CONTAINS, "/(f)\\1/", "back-ref"},
		{FILTER_WITHOUT, "/((a{200}){200}){200}/", "too often"},
		{FILTER_CONTAINS, "/f{1,4000000000}/", "too often"},
		{FILTER_CONTAINS, "g*", "no function fits"},
		{FILTER_CONTAINS, "f[1]", "no function"},
		{FILTER_THREAD, "/*/", "regular"},
		{FILTER_THREAD, "/(/", "regular"},
		{FILTER_PROCESS, "x*", "no process"},
		{FILTER_MODULE, "libb.so", "nearest: liba.so"},
		{FILTER_MODULE, "", "no module"},
		{FILTER_WINDOW, "1s", "window"},
		{FILTER_WINDOW, "..", "window"}, {FILTER_WINDOW, "", "window"},
		{FILTER_WINDOW, "1..2", "window"},
		{FILTER_WINDOW, "-1s..2s", "window"},
		{FILTER_WINDOW, "nans..infs", "window"},
		{FILTER_WINDOW, "2s..1s", "ends before"},
		{FILTER_WINDOW, "1e300s..", "window"}};
	struct input in = {.n = 2};
	struct dataset *data;
	int wrong = 0;

	for (uint32_t s = 0; s < 2; s++)
		in.flat[s] = (struct flat){.functions = {1, 2 + 2 * s},
			.depth = 2,
			.thread = 1,
			.weight = 10,
			.hits = 1};
	data = write_and_open(&in);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		wrong += !refuses(data, bad[i].kind, bad[i].word, bad[i].why);
	ok(!wrong, "wrong patterns and times are refused (%d are not)", wrong);
	dataset_free(data);
}

/* A wait of 4 s that ends at second 5, in two windows. */
static void test_wait(void)
{
	const char *argv[] = {"prog"};
	struct err err;
	struct cpd_writer *w = cpd_writer_open(path, &err);
	struct filters filters = {0};
	struct tree_view view = {.resource = 1, .filters = &filters};
	static const struct {
		const char *window;
		uint64_t weight, hits;
	} parts[] = {{"..2s", 1000000, 10}, {"2s..2500ms", 500000, 5},
		{"2500ms..", 2500000, 25}, {"5s..", 0, 0}, {"..1s", 0, 0},
		{"1s..1000001us", 1, 0}};
	struct dataset *data;
	int wrong = 0;

	cpd_write_head(
		w, &(struct cpd_head){.start = START, .argc = 1, .argv = argv});
	cpd_write_resource(w, &(struct cpd_resource){.name = "real",
				      .title = "Real Time",
				      .gtick = "us",
				      .unit = CPD_USEC,
				      .interval = 100000,
				      .timer = "t"});
	write_tasks(w);
	cpd_write_sample(w,
		&(struct cpd_sample){.thread = 1,
			.time = START + 5ull * SECOND,
			.resource = 1,
			.node = cpd_node(w, 0, 1, address(1), CPD_NODE_EXACT),
			.hits = 40,
			.weight = 4000000});
	write_names(w);
	cpd_writer_close(w, &(struct cpd_end){.samples = 1}, &err);
	data = dataset_open(path, NULL, &err);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct tree *tree;

		filters_add(
			&filters, data, FILTER_WINDOW, parts[i].window, &err);
		tree = tree_new(data, &view, &err);
		wrong += tree->nodes[0].weight != parts[i].weight ||
			 tree->nodes[0].hits != parts[i].hits;
		tree_free(tree);
		filters_undo(&filters);
	}
	ok(!wrong, "a wait is spread over its duration (%d wrong)", wrong);
	ok(!truncate(path, 0) && filters_add(&filters, data, FILTER_WINDOW,
					 "1s..2s", &err) < 0,
		"a file that has changed is refused: %s", err.reason);
	filters_fini(&filters);
	dataset_free(data);
}

/* An exit record, an exec, the end of the file; and a fork's program. */
static void test_ends(void)
{
	const char *argv[] = {"prog"};
	struct err err;
	struct cpd_writer *w = cpd_writer_open(path, &err);
	struct cpd_process p = {.pid = 7, .time = 10, .name = "a", .exe = "/a"};
	struct dataset *data;

	cpd_write_head(w, &(struct cpd_head){.argc = 1, .argv = argv});
	cpd_write_process(w, &p);
	cpd_write_process(w, &(struct cpd_process){.parent = 1,
				     .pid = 8,
				     .time = 20,
				     .name = "a",
				     .exe = ""});
	cpd_write_process(w, &(struct cpd_process){.parent = 2,
				     .pid = 8,
				     .time = 30,
				     .name = "b",
				     .exe = "",
				     .flags = CPD_PROCESS_EXEC});
	for (uint32_t i = 1; i <= 4; i++)
		cpd_write_thread(
			w, &(struct cpd_thread){.process = i < 4 ? i : 3,
				   .tid = (int)i,
				   .time = 30,
				   .name = ""});
	cpd_write_exit(w, &(struct cpd_exit){3, 4, 44});
	cpd_writer_close(w, &(struct cpd_end){.time = 500}, &err);
	data = dataset_open(path, NULL, &err);
	ok(data && data->thread_end[4] == 44, "a thread ends when it is told");
	ok(data && data->thread_end[1] == 500 && data->process_end[1] == 500 &&
			data->process_end[3] == 500,
		"what did not end lasts to the end of the run");
	ok(data && data->thread_end[2] == 30 && data->process_end[2] == 30,
		"what called exec lasts to there");
	ok(data && !strcmp(data->processes[2].exe, "/a") &&
			!*data->processes[3].exe,
		"a fork runs its parent's program, an exec does not");
	dataset_free(data);
}

int main(void)
{
	path = temp_file();
	test_random();
	test_refused();
	test_patterns();
	test_wait();
	test_ends();
	temp_file_remove(path);
	return done_testing();
}
