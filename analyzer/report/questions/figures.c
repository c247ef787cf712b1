/* figures.c - what all writers ask of a tree. */
#include <stdlib.h>

#include "analyzer/report/json_values.h"
#include "analyzer/report/questions/questions_private.h"

uint64_t question_weight(
	const struct tree_sums *self, const struct tree_sums *children)
{
	return callgraph_sum(*self, *children).weight;
}

const char *question_each(
	const struct tree *tree, double x, char *buf, size_t size)
{
	const struct cpd_resource *r = tree_resource(tree);

	if (x < 0)
		snprintf(buf, size, "?");
	else if (r->unit == CPD_USEC && x > 0 && x < 1)
		snprintf(buf, size, "%.3g ns", 1000 * x);
	else if (r->unit == CPD_USEC)
		snprintf(buf, size, "%.3g %s",
			x < 1000  ? x
			: x < 1e6 ? x / 1e3
				  : x / 1e6,
			x < 1000  ? "us"
			: x < 1e6 ? "ms"
				  : "s");
	else
		snprintf(buf, size, "%.3g", x);
	return buf;
}

bool question_reaches(
	const struct tree *tree, uint64_t weight, double threshold)
{
	return weight > 0 && (double)weight >= tree_cutoff(tree, threshold);
}

bool question_chosen(const struct callgraph *graph,
	const struct callgraph_choice *choice,
	const struct callgraph_entry *entry)
{
	for (size_t i = 0; i < choice->nroots; i++)
		if (choice->roots[i] == entry->function)
			return true;
	return !choice->nroots &&
	       question_reaches(graph->tree,
		       question_weight(&entry->self, &entry->children),
		       choice->threshold);
}

double question_fraction(const struct tree *tree, uint64_t weight)
{
	return tree->whole.weight ? (double)weight / (double)tree->whole.weight
				  : 0;
}

const struct function *question_function(
	const struct tree *tree, uint32_t function)
{
	return &tree->data->functions[function];
}

json_t *question_names(const struct dataset *data, const uint32_t *functions,
	uint32_t n, enum question_names what)
{
	json_t *list = json_array();
	struct report_gap gap;

	for (uint32_t i = 0; i < n; i++) {
		const struct function *f = &data->functions[functions[i]];

		if (report_gap_at(&gap, n, &i))
			f = &gap.function;
		json_add(&list, json_text(what == QUESTION_NAME     ? f->name
					  : what == QUESTION_MODULE ? f->module
								    : f->file));
	}
	return list;
}
