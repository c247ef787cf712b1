/* What can be asked of a session. */
#include "cpprof/session/questions.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/report/questions/questions.h"
#include "analyzer/report/run/summary_facts.h"
#include "cpprof/session/session_cache.h"
#include "cpprof/session/vocabulary.h"
#include "lib/sum.h"

/* The functions that NAME stands for in the view; with GROUPS, the group
   where the view shows groups. */
static int find(const struct session *s, const char *name, bool groups,
	uint32_t **found, size_t *n, struct err *err)
{
	if ((groups ? session_find(s, name, found, n, err)
		    : session_find_function(s, name, found, n, err)) < 0)
		return -1;
	if (!s->view.clones)
		*n = dataset_bases(s->data, *found, *n);
	return 0;
}

static bool has_one(
	const struct callgraph *graph, const uint32_t *roots, size_t nroots)
{
	for (size_t i = 0; i < graph->n; i++)
		for (size_t k = 0; k < nroots; k++)
			if (graph->entries[i].function == roots[k])
				return true;
	return false;
}

static int ask_profile(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err)
{
	const char *root = !self->rooted ? NULL
			   : asked->name ? asked->name
					 : s->root;
	const struct profile *profile = session_profile(
		s, (enum profile_kind)self->what, root, asked->threshold, err);
	struct report_options options;

	if (!profile)
		return -1;
	options = asked_begin(asked, s, root, out);
	return report_profile(out->stream, s->format, profile, &options, err);
}

static int ask_tasks(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err)
{
	const struct task_choice choice = {
		session_tree(s, err), self->what, asked->threshold, asked->few};
	struct report_options options;

	if (!choice.tree)
		return -1;
	options = asked_begin(asked, s, NULL, out);
	return report_tasks(out->stream, s->format, &choice, &options, err);
}

/* Of calls that were counted, where the view has all of them; else NULL. */
static struct callgraph *counted_calls(struct session *s, struct err *err)
{
	uint32_t arcs = session_arcs(s);
	const struct tree **trees;
	struct callgraph *graph = NULL;

	if (!arcs || arcs == s->view.resource ||
		s->view.group != GROUP_FUNCTION)
		return NULL;
	trees = session_trees(s, &s->view, &arcs, 1, err);
	if (trees)
		graph = callgraph_new(trees[0], err);
	free(trees);
	return graph;
}

static int ask_callgraph(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err)
{
	struct callgraph_choice choice = {.threshold = asked->threshold};
	const char *name = asked->name;
	struct report_options options;
	const struct tree *tree;
	struct callgraph *graph, *arcs = NULL;
	uint32_t *roots = NULL;
	int status = -1;

	(void)self;
	if (name && find(s, name, true, &roots, &choice.nroots, err) < 0)
		return -1;
	choice.roots = roots;
	tree = session_sampled_tree(s, err);
	graph = tree ? callgraph_new(tree, err) : NULL;
	if (graph && name && !s->format->data &&
		!has_one(graph, roots, choice.nroots)) {
		session_in_no_sample(s, name, err);
	} else if (graph) {
		arcs = counted_calls(s, err);
		choice.arcs = arcs;
		options = asked_begin(asked, s, name, out);
		status = report_callgraph(
			out->stream, s->format, graph, &choice, &options, err);
	}
	callgraph_free(arcs);
	callgraph_free(graph);
	free(roots);
	return status;
}

static int ask_cycles(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err)
{
	const struct tree *tree = session_sampled_tree(s, err);
	struct cycles *cycles = tree ? cycles_new(tree, err) : NULL;
	struct report_options options;
	int status = -1;

	(void)self;
	if (cycles) {
		options = asked_begin(asked, s, NULL, out);
		status = report_cycles(out->stream, s->format, cycles,
			asked->threshold, &options, err);
	}
	cycles_free(cycles);
	return status;
}

int question_list(struct session *s, const struct list_question *question,
	const struct output *out, struct err *err)
{
	struct report_options options = session_options(s, NULL, out);
	const struct tree *tree;
	struct listing *lines = NULL;
	struct code *code = NULL;
	uint32_t *functions;
	int status = -1;
	size_t n;

	if (find(s, question->name, false, &functions, &n, err) < 0)
		return -1;
	tree = session_sampled_tree(s, err);
	if (tree && question->code)
		code = code_new(tree, functions, n, &s->sources, err);
	else if (tree)
		lines = listing_new(
			tree, question->name, functions, n, &s->sources, err);
	if (code)
		status = report_code(out->stream, s->format, code,
			question->all, &options, err);
	if (lines)
		status = report_listing(out->stream, s->format, lines,
			question->all, &options, err);
	code_free(code);
	listing_free(lines);
	free(functions);
	return status;
}

static bool is_time(const struct dataset *data, uint32_t resource)
{
	return data->resources[resource].unit == CPD_USEC;
}

/* The trees of the resources that are asked for, or all, that have something, N
   of them, times first; the functions that make a system call are worth a look,
   not the call. */
static const struct tree **all_trees(struct session *s,
	const struct asked *asked, size_t *n, struct err *err)
{
	const struct dataset *data = s->data;
	struct tree_view view = s->view;
	uint32_t *resources = calloc(data->nresources + 1, sizeof *resources);
	const struct tree **trees = NULL;
	size_t all = 0;

	*n = 0;
	if (!resources) {
		err_sys(err, "advise", NULL);
		return NULL;
	}
	for (int time = 1; time >= 0; time--)
		for (uint32_t r = 1; r <= data->nresources; r++)
			if (is_time(data, r) == time &&
				(!asked->nresources || *asked->resources == r))
				resources[all++] = r;
	view.objects = s->objects < 0 ? OBJECTS_NONE : s->objects;
	view.sites = false;
	trees = session_trees(s, &view, resources, all, err);
	for (size_t i = 0; trees && i < all; i++)
		if (tree_total(trees[i], 0)->weight)
			trees[(*n)++] = trees[i];
	free(resources);
	return trees;
}

/* The tree of "blocked", with the stacks of [idle] or without, beside N others;
 *BAD: with an error. */
static const struct tree *waits_of(
	struct session *s, bool stacks, size_t n, bool *bad, struct err *err)
{
	const struct dataset *data = s->data;
	struct tree_view view = s->view;
	const struct tree *tree;

	view.objects = OBJECTS_CALLS;
	view.sites = view.no_fold = false;
	view.idle = stacks ? IDLE_SHOWN : IDLE_FOLDS;
	view.resource = dataset_named(data, "blocked");
	if (!data->books[view.resource].samples)
		return NULL;
	tree = session_find_tree(s->cache, data, &view, n, err);
	*bad = !tree;
	return tree;
}

static int ask_advise(struct session *s, const struct question *self,
	const struct asked *asked, const struct output *out, struct err *err)
{
	size_t n;
	const struct tree **trees = all_trees(s, asked, &n, err);
	struct report_options options;
	struct run_facts facts = summary_facts(s->data);
	struct advice_run run = {0};
	struct advices advices;
	bool of_time =
		!asked->nresources || is_time(s->data, *asked->resources);
	bool bad = !trees;
	int status = -1;

	(void)self;
	if (!bad && of_time)
		run.waits = waits_of(s, false, s->data->nresources, &bad, err);
	if (!bad && of_time)
		run.stacks =
			waits_of(s, true, s->data->nresources + 1, &bad, err);
	if (facts.comparable && of_time) {
		run.wall = facts.wall;
		run.rest = facts.rest_known ? facts.rest
					    : minus(facts.wall, facts.cpu);
	}
	if (!bad && !advice_init(&advices, trees, n, &run, err)) {
		options = asked_begin(asked, s, NULL, out);
		status = report_advice(
			out->stream, s->format, &advices, &options, err);
		advice_fini(&advices);
	}
	free(trees);
	return status;
}

/* clang-format off */
const struct question questions[] = {
	{WORD_NAME(WORD_FUNCTION), ask_profile, .cut = true,
		.what = PROFILE_FUNCTION},
	{WORD_NAME(WORD_BODY), ask_profile, .cut = true, .what = PROFILE_BODY},
	{WORD_NAME(WORD_DOWN), ask_profile, .named = true, .rooted = true,
		.cut = true, .paths = true, .what = PROFILE_DOWN},
	{WORD_NAME(WORD_UP), ask_profile, .named = true, .rooted = true,
		.cut = true, .paths = true, .what = PROFILE_UP},
	{WORD_NAME(WORD_TREE), ask_profile, .cut = true, .paths = true,
		.what = PROFILE_TREE},
	{WORD_NAME(WORD_PROCESSES), ask_tasks, .cut = true, .all = true,
		.what = false},
	{WORD_NAME(WORD_THREADS), ask_tasks, .cut = true, .all = true,
		.what = true},
	{WORD_NAME(WORD_WHY), question_why, .named = true, .between = true,
		.paths = true},
	{WORD_NAME(WORD_PERCALL), question_percall, .named = true,
		.between = true, .paths = true},
	{WORD_NAME(WORD_LEAKS), question_leaks, .cut = true, .between = true,
		.paths = true},
	{WORD_NAME(WORD_PAGES), question_pages, .cut = true, .between = true},
	{WORD_NAME(WORD_CALLGRAPH), ask_callgraph, .named = true, .cut = true},
	{WORD_NAME(WORD_CYCLES), ask_cycles, .cut = true},
	{WORD_NAME(WORD_ADVISE), .ask = ask_advise},
	{0},
};
/* clang-format on */

const struct question *question_find(const char *name)
{
	for (const struct question *q = questions; q->name; q++)
		if (strcmp(q->name, name) == 0)
			return q;
	return NULL;
}
