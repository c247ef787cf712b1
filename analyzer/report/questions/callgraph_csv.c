/*
 * callgraph_csv.c - the call graph and its cycles as comma-separated values.
 *
 * A line is a function, or its relation to another one: "relation" is function,
 * caller or callee; "other" is the caller or callee.
 */
#include <inttypes.h>

#include "analyzer/report/csv_values.h"
#include "analyzer/report/questions/questions_private.h"

static int put_relation(FILE *out, const struct tree *tree,
	const char *relation, uint32_t function, uint32_t other,
	const struct tree_sums *self, const struct tree_sums *children)
{
	const struct function *f = question_function(tree, function);
	const struct function *g = question_function(tree, other);
	struct tree_sums all = callgraph_sum(*self, *children);

	fprintf(out, "callgraph,");
	if (csv_field(out, tree->data->resources[tree->view.resource].name) ||
		fprintf(out, "%s,", relation) < 0 || csv_field(out, f->name) ||
		csv_field(out, f->module) || csv_field(out, g->name) ||
		csv_field(out, g->module))
		return -1;
	fprintf(out, "%.5f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
		question_fraction(tree, all.weight), all.weight, self->weight,
		children->weight, all.samples);
	return 0;
}

static int put_entry(
	FILE *out, const struct tree *tree, const struct callgraph_entry *entry)
{
	uint32_t f = entry->function;

	if (put_relation(out, tree, "function", f, FN_NONE, &entry->self,
		    &entry->children))
		return -1;
	for (size_t i = 0; i < entry->ncallers; i++) {
		const struct callgraph_arc *arc = entry->callers[i];

		if (put_relation(out, tree, "caller", f, arc->from,
			    &arc->in_self, &arc->in_children))
			return -1;
	}
	for (size_t i = 0; i < entry->ncallees; i++) {
		const struct callgraph_arc *arc = entry->callees[i];

		if (put_relation(out, tree, "callee", f, arc->to,
			    &arc->out_self, &arc->out_children))
			return -1;
	}
	return 0;
}

int callgraph_csv(FILE *out, const struct callgraph *graph,
	const struct callgraph_choice *choice,
	const struct report_options *options)
{
	(void)options;
	fputs("profile,resource,relation,function,module,other,other_module,"
	      "fraction,weight,self,children,samples\n",
		out);
	for (size_t i = 0; i < graph->n; i++)
		if (question_chosen(graph, choice, &graph->entries[i]) &&
			put_entry(out, graph->tree, &graph->entries[i]))
			return -1;
	return 0;
}

static int put_cycle(
	FILE *out, const struct tree *tree, const struct cycle *cycle)
{
	fputs("cycles,", out);
	if (csv_field(out, tree->data->resources[tree->view.resource].name))
		return -1;
	for (int modules = 0; modules < 2; modules++) {
		fputc('"', out);
		for (uint32_t i = 0; i < cycle->length; i++) {
			const struct function *f =
				question_function(tree, cycle->functions[i]);

			if (csv_text(out, i, modules ? f->module : f->name))
				return -1;
		}
		fputs("\",", out);
	}
	fprintf(out, "%.5f,%" PRIu64 ",%" PRIu64 ",%" PRIu32 "\n",
		question_fraction(tree, cycle->sums.weight), cycle->sums.weight,
		cycle->sums.samples, cycle->rounds);
	return 0;
}

int cycles_csv(FILE *out, const struct cycles *cycles, double threshold,
	const struct report_options *options)
{
	(void)options;
	fputs("profile,resource,cycle,modules,fraction,weight,samples,rounds\n",
		out);
	for (size_t i = 0; i < cycles->n; i++)
		if (question_reaches(cycles->tree, cycles->v[i].sums.weight,
			    threshold) &&
			put_cycle(out, cycles->tree, &cycles->v[i]))
			return -1;
	return 0;
}
