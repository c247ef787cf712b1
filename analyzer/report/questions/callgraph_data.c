/* callgraph_data.c - the call graph and its cycles, for programs. */
#include "analyzer/report/json_values.h"
#include "analyzer/report/questions/questions_private.h"
#include "analyzer/report/rows.h"

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

	return json_with(function_object(tree, function),
		json_pack("{s:o,s:o,s:o,s:o,s:o}", "fraction",
			json_fraction(question_fraction(tree, all.weight)),
			"weight", json_number(all.weight), "self",
			json_number(self->weight), "children",
			json_number(children->weight), "samples",
			json_number(all.samples)));
}

/* OBJECT with its calls, where they were counted. */
static json_t *with_calls(
	json_t *object, const struct callgraph *arcs, uint64_t calls)
{
	return arcs ? json_with(object, json_pack("{s:o}", "calls",
						calls == CALLGRAPH_IN_PART
							? json_null()
							: json_number(calls)))
		    : object;
}

/* Its callers with CALLERS, else its callees. */
static json_t *arcs(const struct tree *tree, const struct callgraph *counted,
	const struct callgraph_entry *entry, bool callers)
{
	size_t n = callers ? entry->ncallers : entry->ncallees;
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct callgraph_arc *arc =
			callers ? entry->callers[i] : entry->callees[i];

		json_t *object =
			callers ? sums_object(tree, arc->from, &arc->in_self,
					  &arc->in_children)
				: sums_object(tree, arc->to, &arc->out_self,
					  &arc->out_children);

		json_add(&list, with_calls(object, counted,
					counted ? callgraph_arc_calls(counted,
							  arc->from, arc->to)
						: 0));
	}
	return list;
}

struct chosen {
	const struct callgraph *graph;
	const struct callgraph_choice *choice;
};

static json_t *entry_object(const void *of, size_t i)
{
	const struct chosen *chosen = of;
	const struct tree *tree = chosen->graph->tree;
	const struct callgraph_entry *entry = &chosen->graph->entries[i];
	const struct callgraph *counted = chosen->choice->arcs;
	json_t *object;

	if (!question_chosen(chosen->graph, chosen->choice, entry))
		return json_null();
	object = with_calls(sums_object(tree, entry->function, &entry->self,
				    &entry->children),
		counted,
		counted ? callgraph_calls(counted, entry->function) : 0);
	return json_with(
		object, json_pack("{s:o,s:o}", "callers",
				arcs(tree, counted, entry, true), "callees",
				arcs(tree, counted, entry, false)));
}

static void add_relations(json_t **list, const char *relation, json_t *others)
{
	size_t i;
	json_t *other;

	json_array_foreach(others, i, other)
	{
		json_t *line = json_copy(other);

		json_object_del(line, "function");
		json_object_del(line, "module");
		json_add(list,
			json_with(line,
				json_pack("{s:s,s:O,s:O}", "relation", relation,
					"other",
					json_object_get(other, "function"),
					"other_module",
					json_object_get(other, "module"))));
	}
}

/* A line of CSV is a function, or its relation to another one. */
static json_t *relations(json_t *entry)
{
	json_t *list = json_pack("[{s:s}]", "relation", "function");

	add_relations(&list, "caller", json_object_get(entry, "callers"));
	add_relations(&list, "callee", json_object_get(entry, "callees"));
	return list;
}

int callgraph_data(FILE *out, const struct report_format *format,
	const struct callgraph *graph, const struct callgraph_choice *choice)
{
	const struct chosen chosen = {graph, choice};
#define COLUMNS                                                                \
	"profile,\"resource\",relation,\"function\",\"module\",\"other\","     \
	"\"other_module\",fraction,weight,self,children,samples"
	const struct rows rows = {choice->arcs ? COLUMNS ",calls" : COLUMNS,
		graph->n, entry_object, &chosen, relations, NULL};

	return format->write_rows(out,
		json_head(graph->tree, "callgraph", choice->threshold), &rows);
}

struct reaching {
	const struct cycles *cycles;
	double threshold;
};

static json_t *cycle_object(const void *of, size_t i)
{
	const struct reaching *reaching = of;
	const struct tree *tree = reaching->cycles->tree;
	const struct cycle *cycle = &reaching->cycles->v[i];
	json_t *functions = json_array();

	if (!question_reaches(tree, cycle->sums.weight, reaching->threshold)) {
		json_decref(functions);
		return json_null();
	}
	for (uint32_t k = 0; k < cycle->length; k++)
		json_add(
			&functions, function_object(tree, cycle->functions[k]));
	return json_pack("{s:o,s:o,s:o,s:o,s:o}", "functions", functions,
		"rounds", json_number(cycle->rounds), "fraction",
		json_fraction(question_fraction(tree, cycle->sums.weight)),
		"weight", json_number(cycle->sums.weight), "samples",
		json_number(cycle->sums.samples));
}

int cycles_data(FILE *out, const struct report_format *format,
	const struct cycles *cycles, double threshold)
{
	const struct reaching reaching = {cycles, threshold};
	const struct rows rows = {
		"profile,\"resource\",\"cycle=functions.function\","
		"\"modules=functions.module\",fraction,weight,samples,rounds",
		cycles->n, cycle_object, &reaching, NULL, NULL};

	return format->write_rows(
		out, json_head(cycles->tree, "cycles", threshold), &rows);
}
