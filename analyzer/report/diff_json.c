/*
 * diff_json.c - a diff as one JSON object on a line.
 */
#include <jansson.h>
#include <stdlib.h>

#include "analyzer/report/diff.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/report_private.h"

static json_t *figure_object(const struct diff_figure *figure)
{
	return json_pack("{s:f,s:f,s:f,s:[f,f],s:s}", "before", figure->a,
		"after", figure->b, "change", figure->b - figure->a,
		"interval95", figure->lo, figure->hi, "verdict",
		report_diff_verdict(figure->verdict));
}

static json_t *path_array(
	const struct diff *diff, const struct diff_entry *entry)
{
	json_t *path = json_array();

	for (uint32_t i = 0; i < entry->length; i++) {
		const struct diff_function *f =
			&diff->functions[entry->path[i]];
		json_t *step = json_pack("{s:o,s:o}", "function",
			json_text(f->name), "module", json_text(f->module));

		if (f->renamed)
			json_object_set_new(
				step, "renamed", json_text(f->renamed));
		json_array_append_new(path, step);
	}
	return path;
}

static json_t *entries_array(const struct diff *diff,
	const struct diff_entry *entries, size_t n, bool functions)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *entry = figure_object(&entries[i].figure);

		json_object_set_new(
			entry, "path", path_array(diff, &entries[i]));
		if (functions)
			json_object_set_new(
				entry, "self", figure_object(&entries[i].self));
		json_array_append_new(array, entry);
	}
	return array;
}

int report_diff_json(FILE *out, const struct diff *diff,
	const struct report_options *options, struct err *err)
{
	const struct tree *tree = diff->a.trees[0];
	const struct cpd_resource *r = tree_resource(tree);
	json_t *json = json_pack(
		"{s:s,s:i,s:s,s:o,s:o,s:i,s:i,s:o,s:o,s:o,s:I,s:f}", "schema",
		JSON_SCHEMA, "version", JSON_VERSION, "profile", "diff",
		"resource", json_text(r->name), "unit", json_text(r->gtick),
		"runs_before", (int)diff->a.n, "runs_after", (int)diff->b.n,
		"total", figure_object(&diff->total), "paths",
		entries_array(diff, diff->paths, diff->npaths, false),
		"functions",
		entries_array(diff, diff->changed, diff->nchanged, true),
		"within_noise", (json_int_t)diff->noise, "smallest_change",
		diff->smallest);

	(void)options;
	return facts_json(out, json) ? err_memory(err, NULL, "report") : 0;
}
