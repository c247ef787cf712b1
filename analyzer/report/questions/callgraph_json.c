/* callgraph_json.c - the call graph and its cycles, an object on one line. */
#include "analyzer/report/json_values.h"
#include "analyzer/report/questions/questions_private.h"

static json_t *function_object(const struct tree *tree, uint32_t function)
{
	const struct function *f = question_function(tree, function);

	return json_pack("{s:o,s:o,s:o,s:o}", "function", json_text(f->name),
		"module", json_known_text(f->module), "file",
		json_known_text(f->file), "line", json_known_number(f->line));
}

static json_t *sums_object(const struct tree *tree, uint32_t function,
	const struct tree_sums *self, const struct tree_sums *children)
{
	struct tree_sums all = callgraph_sum(*self, *children);
	json_t *object = function_object(tree, function);
	json_t *sums = json_pack("{s:o,s:o,s:o,s:o,s:o}", "fraction",
		json_fraction(question_fraction(tree, all.weight)), "weight",
		json_number(all.weight), "self", json_number(self->weight),
		"children", json_number(children->weight), "samples",
		json_number(all.samples));

	if (!object || !sums || json_object_update(object, sums)) {
		json_decref(object);
		object = NULL;
	}
	json_decref(sums);
	return object;
}

static json_t *callers_array(
	const struct tree *tree, const struct callgraph_entry *entry)
{
	json_t *array = json_array();

	for (size_t i = 0; i < entry->ncallers; i++) {
		const struct callgraph_arc *arc = entry->callers[i];

		if (json_array_append_new(
			    array, sums_object(tree, arc->from, &arc->in_self,
					   &arc->in_children))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *callees_array(
	const struct tree *tree, const struct callgraph_entry *entry)
{
	json_t *array = json_array();

	for (size_t i = 0; i < entry->ncallees; i++) {
		const struct callgraph_arc *arc = entry->callees[i];

		if (json_array_append_new(
			    array, sums_object(tree, arc->to, &arc->out_self,
					   &arc->out_children))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *entry_object(
	const struct tree *tree, const struct callgraph_entry *entry)
{
	json_t *object = sums_object(
		tree, entry->function, &entry->self, &entry->children);

	if (object &&
		!json_object_set_new(
			object, "callers", callers_array(tree, entry)) &&
		!json_object_set_new(
			object, "callees", callees_array(tree, entry)))
		return object;
	json_decref(object);
	return NULL;
}

int callgraph_json(FILE *out, const struct callgraph *graph,
	const struct callgraph_choice *choice,
	const struct report_options *options)
{
	bool any = false;

	(void)options;
	if (json_put(out,
		    json_head(graph->tree, "callgraph", choice->threshold), 0,
		    1))
		return -1;
	fputs(",\"entries\":[", out);
	for (size_t i = 0; i < graph->n; i++) {
		if (!question_chosen(graph, choice, &graph->entries[i]))
			continue;
		fputs(any ? "," : "", out);
		any = true;
		if (json_put(out, entry_object(graph->tree, &graph->entries[i]),
			    0, 0))
			return -1;
	}
	fputs("]}\n", out);
	return 0;
}

static json_t *cycle_object(const struct tree *tree, const struct cycle *cycle)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < cycle->length; i++)
		if (json_array_append_new(array,
			    function_object(tree, cycle->functions[i]))) {
			json_decref(array);
			return NULL;
		}
	return json_pack("{s:o,s:o,s:o,s:o,s:o}", "functions", array, "rounds",
		json_number(cycle->rounds), "fraction",
		json_fraction(question_fraction(tree, cycle->sums.weight)),
		"weight", json_number(cycle->sums.weight), "samples",
		json_number(cycle->sums.samples));
}

int cycles_json(FILE *out, const struct cycles *cycles, double threshold,
	const struct report_options *options)
{
	const struct tree *tree = cycles->tree;
	bool any = false;

	(void)options;
	if (json_put(out, json_head(tree, "cycles", threshold), 0, 1))
		return -1;
	fputs(",\"entries\":[", out);
	for (size_t i = 0; i < cycles->n; i++) {
		if (!question_reaches(
			    tree, cycles->v[i].sums.weight, threshold))
			continue;
		fputs(any ? "," : "", out);
		any = true;
		if (json_put(out, cycle_object(tree, &cycles->v[i]), 0, 0))
			return -1;
	}
	fputs("]}\n", out);
	return 0;
}
