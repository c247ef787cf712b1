/* json_values.c - what all JSON reports have in common. */
#include "analyzer/report/json_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/report_private.h"

/* A terminal acts on no byte of it, and nothing of a name is lost. */
#define FLAGS                                                                  \
	(JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII |              \
		JSON_REAL_PRECISION(12))

json_t *json_number(uint64_t n)
{
	return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

/* Five places, as the text form. */
json_t *json_fraction(double x)
{
	return json_real(round(x * 1e5) / 1e5);
}

/* Names that are no UTF-8 are escaped; JSON escapes what else must be. */
json_t *json_text(const char *s)
{
	json_t *json = json_string(s);
	char *escaped;

	if (json)
		return json;
	escaped = report_escape(s, "");
	if (!escaped)
		return NULL;
	json = json_string(escaped);
	free(escaped);
	return json;
}

json_t *json_known_text(const char *s)
{
	return *s ? json_text(s) : json_null();
}

json_t *json_known_number(uint64_t n)
{
	return n ? json_number(n) : json_null();
}

void json_add(json_t **list, json_t *object)
{
	if (*list && !json_array_append_new(*list, object))
		return;
	json_decref(*list);
	*list = NULL;
}

json_t *json_with(json_t *object, json_t *more)
{
	if (object && more && !json_object_update(object, more)) {
		json_decref(more);
		return object;
	}
	json_decref(object);
	json_decref(more);
	return NULL;
}

json_t *json_begin(const char *profile)
{
	return json_pack("{s:s,s:i,s:s}", "schema", JSON_SCHEMA, "version",
		JSON_VERSION, "profile", profile);
}

/* [{"kind":"contains","name":"f"}, ...] in the order they were given. */
json_t *json_filters(const struct filters *filters)
{
	json_t *array = json_array();

	for (size_t i = 0; filters && i < filters->n; i++)
		json_add(
			&array, json_pack("{s:s,s:o}", "kind",
					filter_names[filters->v[i].kind],
					"name", json_text(filters->v[i].name)));
	return array;
}

static json_t *sums_object(uint64_t weight, uint64_t hits, uint64_t samples)
{
	return json_pack("{s:o,s:o,s:o}", "weight", json_number(weight), "hits",
		json_number(hits), "samples", json_number(samples));
}

json_t *json_kept(const struct tree *tree)
{
	const struct tree_sums *kept = tree_total(tree, 0);

	return sums_object(kept->weight, kept->hits, kept->samples);
}

json_t *json_undecided(const struct tree *tree)
{
	const struct tree_sums *undecided = &tree->undecided;

	return sums_object(
		undecided->weight, undecided->hits, undecided->samples);
}

json_t *json_head(
	const struct tree *tree, const char *profile, double threshold)
{
	const struct cpd_resource *r = tree_resource(tree);

	return json_with(json_begin(profile),
		json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "resource",
			json_text(r->name), "unit", json_text(r->gtick),
			"interval", json_number(r->interval), "weight",
			json_number(tree->whole.weight), "threshold",
			json_real(threshold), "filters",
			json_filters(tree->view.filters), "kept",
			json_kept(tree), "undecided", json_undecided(tree)));
}

/* Writes JSON, an object, without its first and last SKIP braces; frees it. */
int json_put(FILE *out, json_t *json, size_t first, size_t last)
{
	char *text = json ? json_dumps(json, FLAGS) : NULL;
	size_t n = text ? strlen(text) : 0;

	json_decref(json);
	if (!text)
		return -1;
	fwrite(text + first, 1, n - first - last, out);
	free(text);
	return 0;
}
