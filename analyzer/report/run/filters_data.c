/* filters_data.c - the filters of a tree and what they keep, for programs. */
#include "analyzer/report/json_values.h"
#include "analyzer/report/report_private.h"

int report_filter_facts(FILE *out, const struct report_format *format,
	const struct tree *tree, struct err *err)
{
	const struct cpd_resource *r = tree_resource(tree);
	json_t *facts = json_with(json_begin("filters"),
		json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:s}", "resource",
			json_text(r->name), "unit", json_text(r->gtick),
			"weight", json_number(tree->whole.weight), "filters",
			json_filters(tree->view.filters), "kept",
			json_kept(tree), "undecided", json_undecided(tree),
			"elided", json_filters(tree->view.elided), "group",
			dataset_group_names[tree->view.group]));

	return format->write_facts(out, facts) ? err_memory(err, NULL, "report")
					       : 0;
}
