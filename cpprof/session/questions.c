#include "cpprof/session/questions.h"

#include <stdlib.h>

#include "analyzer/report/questions/questions.h"

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

/* The tree, if it has any samples. */
static const struct tree *sampled_tree(struct session *s, struct err *err)
{
	if (!s->format->data &&
		dataset_explain_empty(s->data, s->view.resource, err))
		return NULL;
	return session_tree(s, err);
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

int question_callgraph(struct session *s, const char *name, double threshold,
	const struct output *out, struct err *err)
{
	struct report_options options = session_options(s, name, out);
	struct callgraph_choice choice = {.threshold = threshold};
	const struct tree *tree;
	struct callgraph *graph;
	uint32_t *roots = NULL;
	int status = -1;

	if (name && find(s, name, true, &roots, &choice.nroots, err) < 0)
		return -1;
	choice.roots = roots;
	tree = sampled_tree(s, err);
	graph = tree ? callgraph_new(tree, err) : NULL;
	if (graph && name && !s->format->data &&
		!has_one(graph, roots, choice.nroots))
		session_in_no_sample(s, name, err);
	else if (graph)
		status = report_callgraph(
			out->stream, s->format, graph, &choice, &options, err);
	callgraph_free(graph);
	free(roots);
	return status;
}

int question_cycles(struct session *s, double threshold,
	const struct output *out, struct err *err)
{
	struct report_options options = session_options(s, NULL, out);
	const struct tree *tree = sampled_tree(s, err);
	struct cycles *cycles = tree ? cycles_new(tree, err) : NULL;
	int status = -1;

	if (cycles)
		status = report_cycles(out->stream, s->format, cycles,
			threshold, &options, err);
	cycles_free(cycles);
	return status;
}

static int list_lines(struct session *s, const struct tree *tree,
	const struct list_question *question, const uint32_t *functions,
	size_t n, const struct output *out, struct err *err)
{
	struct report_options options = session_options(s, NULL, out);
	struct listing *listing = listing_new(
		tree, question->name, functions, n, &s->sources, err);
	int status = -1;

	if (listing)
		status = report_listing(out->stream, s->format, listing,
			question->all, &options, err);
	listing_free(listing);
	return status;
}

static int list_code(struct session *s, const struct tree *tree,
	const struct list_question *question, const uint32_t *functions,
	size_t n, const struct output *out, struct err *err)
{
	struct report_options options = session_options(s, NULL, out);
	struct code *code = code_new(tree, functions, n, err);
	int status = -1;

	if (code)
		status = report_code(out->stream, s->format, code,
			question->all, &s->sources, &options, err);
	code_free(code);
	return status;
}

int question_list(struct session *s, const struct list_question *question,
	const struct output *out, struct err *err)
{
	const struct tree *tree;
	uint32_t *functions;
	size_t n;
	int status = -1;

	if (find(s, question->name, false, &functions, &n, err) < 0)
		return -1;
	tree = sampled_tree(s, err);
	if (tree)
		status = (question->code ? list_code : list_lines)(
			s, tree, question, functions, n, out, err);
	free(functions);
	return status;
}

/* The trees of all resources, times first. */
static struct tree **all_trees(struct session *s, struct err *err)
{
	const struct dataset *data = s->data;
	uint32_t *resources = calloc(data->nresources + 1, sizeof *resources);
	struct tree **trees = NULL;
	size_t n = 0;

	if (!resources) {
		err_sys(err, "advise", NULL);
		return NULL;
	}
	for (int time = 1; time >= 0; time--)
		for (uint32_t r = 1; r <= data->nresources; r++)
			if ((data->resources[r].unit == CPD_USEC) == time)
				resources[n++] = r;
	trees = session_trees(s, resources, n, err);
	free(resources);
	return trees;
}

/* Frees those without samples; how many are left. */
static size_t drop_empty(struct tree **trees)
{
	size_t n = 0;

	for (size_t i = 0; trees[i]; i++)
		if (tree_total(trees[i], 0)->weight)
			trees[n++] = trees[i];
		else
			tree_free(trees[i]);
	trees[n] = NULL;
	return n;
}

int question_advise(
	struct session *s, const struct output *out, struct err *err)
{
	struct report_options options = session_options(s, NULL, out);
	struct tree **trees = all_trees(s, err);
	size_t n = trees ? drop_empty(trees) : 0;
	struct advices advices;
	int status = -1;

	if (trees && !advice_init(&advices, (const struct tree *const *)trees,
			     n, err)) {
		status = report_advice(
			out->stream, s->format, &advices, &options, err);
		advice_fini(&advices);
	}
	session_trees_free(trees);
	return status;
}
