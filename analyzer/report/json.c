/*
 * json.c - one JSON object per profile, on a line of its own; lists of
 * processes and threads likewise.
 *
 * Entries can be many and long, so each is made and written by itself; the
 * object's other members are made as two objects, before and after the
 * entries, and joined.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/report_private.h"

#define FLAGS (JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12))

static json_t *number(uint64_t n)
{
	return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n);
}

/* Five places, as the text form. */
static json_t *fraction(double x)
{
	return json_real(round(x * 1e5) / 1e5);
}

/* Names that are no UTF-8 are escaped; JSON escapes what else must be. */
static json_t *string(const char *s)
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

static json_t *head(
	const struct profile *profile, const struct report_options *options)
{
	const struct tree *tree = profile->tree;
	const struct dataset *data = tree->data;
	const struct cpd_resource *r = &data->resources[tree->view.resource];
	const struct books *books = &data->books[tree->view.resource];
	bool root = report_has_root(profile->kind) && options->root;

	return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
		"profile", report_kind(profile->kind), "root",
		root ? string(options->root) : json_null(), "resource",
		string(r->name), "unit", string(r->gtick), "interval",
		number(r->interval), "gticks",
		books->has_total ? number(books->total) : json_null(), "hits",
		number(tree->whole.hits), "samples",
		number(tree->whole.samples), "lost",
		number(books->loss[CPD_LOST]), "truncated",
		number(books->truncated), "unsampled",
		number(books->loss[CPD_UNSAMPLED]));
}

/* [{"kind":"contains","name":"f"}, ...] in the order they were given. */
static json_t *filters_array(const struct filters *filters)
{
	json_t *array = json_array();

	for (size_t i = 0; filters && i < filters->n; i++)
		if (json_array_append_new(array,
			    json_pack("{s:s,s:o}", "kind",
				    filter_names[filters->v[i].kind], "name",
				    string(filters->v[i].name)))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *sums_object(uint64_t weight, uint64_t hits, uint64_t samples)
{
	return json_pack("{s:o,s:o,s:o}", "weight", number(weight), "hits",
		number(hits), "samples", number(samples));
}

static json_t *kept_object(const struct tree *tree)
{
	const struct tree_node *kept = &tree->nodes[0];

	return sums_object(kept->weight, kept->hits, kept->samples);
}

static json_t *undecided_object(const struct tree *tree)
{
	const struct tree_sums *undecided = &tree->undecided;

	return sums_object(
		undecided->weight, undecided->hits, undecided->samples);
}

static json_t *tail(const struct profile *profile)
{
	const struct tree *tree = profile->tree;
	const struct dataset *data = tree->data;
	const struct cpd_resource *r = &data->resources[tree->view.resource];
	const struct books *books = &data->books[tree->view.resource];

	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:b,s:b,s:b,s:b,s:o,"
			 "s:o,s:b,s:o,s:o,s:o,s:o,s:s,s:b}",
		"title", string(r->title), "threshold",
		json_real(profile->threshold), "weight", number(profile->total),
		"kernel", number(books->loss[CPD_KERNEL]), "uncounted",
		number(books->loss[CPD_SETUID]), "probes",
		number(books->loss[CPD_PROBES]), "lost_samples",
		number(books->lost_samples), "clock",
		!!(r->flags & CPD_RESOURCE_CLOCK), "estimate",
		!!(r->flags & CPD_RESOURCE_ESTIMATE), "user_only",
		!!(r->flags & CPD_RESOURCE_USER_ONLY), "random",
		!!(r->flags & CPD_RESOURCE_RANDOM), "own_count",
		!!(r->flags & CPD_RESOURCE_OWN_COUNT), "processes",
		number(data->nprocesses), "threads", number(data->nthreads),
		"complete", data->file.complete, "filters",
		filters_array(tree->view.filters), "kept", kept_object(tree),
		"undecided", undecided_object(tree), "elided",
		filters_array(tree->view.elided), "group",
		dataset_group_names[tree->view.group], "below",
		profile->kind == PROFILE_FUNCTION && tree_is_below(tree));
}

/* Step I of a path, "f" or "f:db.c:41". */
static json_t *step(const struct profile *profile,
	const struct profile_entry *entry, uint32_t i)
{
	const char *name = report_step(profile, entry, i)->name;
	const char *site = report_site(profile, entry, i);
	char *joined = NULL;
	json_t *json;

	if (!*site || profile->kind == PROFILE_TREE)
		return string(name);
	if (asprintf(&joined, "%s:%s", name, site) < 0)
		return NULL;
	json = string(joined);
	free(joined);
	return json;
}

static json_t *path(
	const struct profile *profile, const struct profile_entry *entry)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < entry->length; i++)
		if (json_array_append_new(array, step(profile, entry, i))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

/* Of each step, its module or the source file that declares it. */
static json_t *step_strings(const struct profile *profile,
	const struct profile_entry *entry, bool files)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < entry->length; i++) {
		const struct function *f = report_step(profile, entry, i);

		if (json_array_append_new(
			    array, string(files ? f->file : f->module))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *interval(
	const struct profile *profile, const struct profile_entry *entry)
{
	double lo, hi;

	if (profile_is_exact(profile))
		return json_null();
	profile_interval(profile, entry, &lo, &hi);
	return json_pack("[o,o]", fraction(lo), fraction(hi));
}

static json_t *entry_object(
	const struct profile *profile, const struct profile_entry *entry)
{
	const char *site = profile->kind == PROFILE_TREE
				   ? report_site(profile, entry, 0)
				   : "";
	json_t *json;

	json = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "path",
		path(profile, entry), "modules",
		step_strings(profile, entry, false), "files",
		step_strings(profile, entry, true), "hits", number(entry->hits),
		"fraction", fraction(profile_fraction(profile, entry)),
		"weight", number(entry->weight), "samples",
		number(entry->samples), "interval95", interval(profile, entry),
		"kept_fraction",
		fraction(profile_kept_fraction(profile, entry)));
	if (json && profile->kind == PROFILE_TREE &&
		json_object_set_new(json, "depth", number(entry->depth)))
		goto fail;
	if (json && *site && json_object_set_new(json, "site", string(site)))
		goto fail;
	return json;
fail:
	json_decref(json);
	return NULL;
}

/* Writes JSON, an object, without its first and last SKIP braces; frees it. */
static int put(FILE *out, json_t *json, size_t first, size_t last)
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

int report_json(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err)
{
	if (put(out, head(profile, options), 0, 1))
		return report_no_memory(err);
	fputs(",\"entries\":[", out);
	for (size_t i = 0; i < profile->n; i++) {
		if (i > 0)
			fputc(',', out);
		if (put(out, entry_object(profile, &profile->entries[i]), 0, 0))
			return report_no_memory(err);
	}
	fputs("],", out);
	if (put(out, tail(profile), 1, 0))
		return report_no_memory(err);
	fputc('\n', out);
	return 0;
}

static json_t *task_object(
	const struct task_list *list, const struct task *task)
{
	struct task_facts is = report_task_facts(list, task);
	bool over = is.end >= is.start && is.end;

	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "id",
		number(task->id), list->threads ? "process" : "parent",
		is.above ? number(is.above) : json_null(),
		list->threads ? "tid" : "pid", json_integer(is.number), "name",
		string(is.name), "program",
		*is.exe ? string(is.exe) : json_null(), "duration",
		over ? json_real((double)(is.end - is.start) / 1e9)
		     : json_null(),
		"hits", number(task->hits), "weight", number(task->weight),
		"fraction", fraction(report_task_fraction(list, task->weight)),
		"kept_fraction",
		fraction(report_task_kept(list, task->weight)));
}

static json_t *task_table_head(const struct task_list *list)
{
	const struct tree *tree = list->tree;
	const struct cpd_resource *r =
		&tree->data->resources[tree->view.resource];

	return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "profile",
		list->threads ? "threads" : "processes", "resource",
		string(r->name), "unit", string(r->gtick), "threshold",
		json_real(list->threshold), "all", number(list->n),
		"unassigned", number(list->none.weight), "filters",
		filters_array(tree->view.filters), "kept", kept_object(tree),
		"undecided", undecided_object(tree));
}

int report_tasks_json(FILE *out, const struct task_list *list)
{
	if (put(out, task_table_head(list), 0, 1))
		return -1;
	fputs(",\"entries\":[", out);
	for (uint32_t i = 0; i < list->shown; i++) {
		if (i > 0)
			fputc(',', out);
		if (put(out, task_object(list, &list->v[i]), 0, 0))
			return -1;
	}
	fputs("]}\n", out);
	return 0;
}
