/*
 * json.c - one JSON object per profile, on a line of its own; lists of
 * processes and threads likewise.
 *
 * Entries can be many and long, so each is made and written by itself; the
 * object's other members are made as two objects, before and after the
 * entries, and joined.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/profile/function_figures.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/report_private.h"

static json_t *head(
	const struct profile *profile, const struct report_options *options)
{
	const struct tree *tree = profile->tree;
	const struct dataset *data = tree->data;
	const struct cpd_resource *r = &data->resources[tree->view.resource];
	const struct books *books = &data->books[tree->view.resource];
	bool root = report_has_root(profile->kind) && options->root;

	return json_pack(
		"{s:s,s:i,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
		"schema", JSON_SCHEMA, "version", JSON_VERSION, "profile",
		report_kind(profile->kind), "root",
		root ? json_text(options->root) : json_null(), "resource",
		json_text(r->name), "unit", json_text(r->gtick), "interval",
		json_number(r->interval), "gticks",
		books->has_total ? json_number(books->total) : json_null(),
		"hits", json_number(tree->whole.hits), "samples",
		json_number(tree->whole.samples), "lost",
		json_number(books->loss[CPD_LOST]), "truncated",
		json_number(books->truncated), "unsampled",
		json_number(books->loss[CPD_UNSAMPLED]));
}

static json_t *tail(const struct profile *profile)
{
	const struct tree *tree = profile->tree;
	const struct dataset *data = tree->data;
	const struct cpd_resource *r = &data->resources[tree->view.resource];
	const struct books *books = &data->books[tree->view.resource];

	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:b,s:b,s:b,s:b,s:o,"
			 "s:o,s:b,s:o,s:o,s:o,s:o,s:s,s:b}",
		"title", json_text(r->title), "threshold",
		json_real(profile->threshold), "weight",
		json_number(profile->total), "kernel",
		json_number(books->loss[CPD_KERNEL]), "uncounted",
		json_number(books->loss[CPD_SETUID]), "probes",
		json_number(books->loss[CPD_PROBES]), "lost_samples",
		json_number(books->lost_samples), "clock",
		!!(r->flags & CPD_RESOURCE_CLOCK), "estimate",
		!!(r->flags & CPD_RESOURCE_ESTIMATE), "user_only",
		!!(r->flags & CPD_RESOURCE_USER_ONLY), "random",
		!!(r->flags & CPD_RESOURCE_RANDOM), "own_count",
		!!(r->flags & CPD_RESOURCE_OWN_COUNT), "processes",
		json_number(data->nprocesses), "threads",
		json_number(data->nthreads), "complete", data->file.complete,
		"filters", json_filters(tree->view.filters), "kept",
		json_kept(tree), "undecided", json_undecided(tree), "elided",
		json_filters(tree->view.elided), "group",
		dataset_group_names[tree->view.group], "below",
		profile->kind == PROFILE_FUNCTION && tree_is_below(tree));
}

/* The functions' names, the outermost first. */
static json_t *path(
	const struct profile *profile, const struct profile_entry *entry)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < entry->length; i++)
		if (json_array_append_new(array,
			    json_text(report_step(profile, entry, i)->name))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *known_string(const char *s)
{
	return *s ? json_text(s) : json_null();
}

static json_t *frame(const struct profile *profile,
	const struct profile_entry *entry, uint32_t i)
{
	const struct function *f = report_step(profile, entry, i);

	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "function",
		json_text(f->name), "module", known_string(f->module), "file",
		known_string(f->file), "line",
		f->line ? json_number(f->line) : json_null(), "site",
		known_string(report_called_from(profile, entry, i)), "address",
		f->module_id ? json_number(f->lo) : json_null());
}

static json_t *frames(
	const struct profile *profile, const struct profile_entry *entry)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < entry->length; i++)
		if (json_array_append_new(array, frame(profile, entry, i))) {
			json_decref(array);
			return NULL;
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
	return json_pack("[o,o]", json_fraction(lo), json_fraction(hi));
}

/* FIGURE: that of a function's entry; NULL for other entries. */
static json_t *entry_object(const struct profile *profile,
	const struct profile_entry *entry, const struct function_figure *figure)
{
	json_t *json = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "path",
		path(profile, entry), "frames", frames(profile, entry), "hits",
		json_number(entry->hits), "fraction",
		json_fraction(profile_fraction(profile, entry)), "weight",
		json_number(entry->weight), "samples",
		json_number(entry->samples), "interval95",
		interval(profile, entry), "kept_fraction",
		json_fraction(profile_kept_fraction(profile, entry)));

	if (json && profile->kind == PROFILE_TREE &&
		json_object_set_new(json, "depth", json_number(entry->depth)))
		goto fail;
	if (json && figure &&
		(json_object_set_new(
			 json, "total", json_number(figure->total.weight)) ||
			json_object_set_new(json, "self",
				json_number(figure->self.weight)) ||
			json_object_set_new(json, "wrapper",
				json_boolean(figure->wrapper))))
		goto fail;
	return json;
fail:
	json_decref(json);
	return NULL;
}

static int put_entries(FILE *out, const struct profile *profile,
	const struct function_figure *const *figures)
{
	for (size_t i = 0; i < profile->n; i++) {
		const struct profile_entry *entry = &profile->entries[i];

		if (i > 0)
			fputc(',', out);
		if (json_put(out,
			    entry_object(profile, entry,
				    figures ? figures[*entry->path] : NULL),
			    0, 0))
			return -1;
	}
	return 0;
}

/* Total and self of each entry; by function. */
static int put_functions(
	FILE *out, const struct profile *profile, struct err *err)
{
	const struct function_figure **by_function;
	struct function_figures figures;
	size_t n = 0;
	int status = function_figures_init(&figures, profile->tree,
		profile->kind == PROFILE_FUNCTION, profile->threshold, err);

	for (size_t i = 0; i < figures.n; i++)
		if (figures.v[i].function >= n)
			n = (size_t)figures.v[i].function + 1;
	by_function = calloc(n + 1, sizeof *by_function);
	for (size_t i = 0; by_function && i < figures.n; i++)
		by_function[figures.v[i].function] = &figures.v[i];
	if (!status && (!by_function || put_entries(out, profile, by_function)))
		status = report_no_memory(err);
	free(by_function);
	function_figures_fini(&figures);
	return status;
}

int report_json(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err)
{
	int status = 0;

	if (json_put(out, head(profile, options), 0, 1))
		return report_no_memory(err);
	fputs(",\"entries\":[", out);
	if (profile->kind == PROFILE_FUNCTION || profile->kind == PROFILE_BODY)
		status = put_functions(out, profile, err);
	else if (put_entries(out, profile, NULL))
		status = report_no_memory(err);
	if (status)
		return -1;
	fputs("],", out);
	if (json_put(out, tail(profile), 1, 0))
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
		json_number(task->id), list->threads ? "process" : "parent",
		is.above ? json_number(is.above) : json_null(),
		list->threads ? "tid" : "pid", json_integer(is.number), "name",
		json_text(is.name), "program",
		*is.exe ? json_text(is.exe) : json_null(), "duration",
		over ? json_real((double)(is.end - is.start) / 1e9)
		     : json_null(),
		"hits", json_number(task->hits), "weight",
		json_number(task->weight), "fraction",
		json_fraction(report_task_fraction(list, task->weight)),
		"kept_fraction",
		json_fraction(report_task_kept(list, task->weight)));
}

static json_t *task_table_head(const struct task_list *list)
{
	const struct tree *tree = list->tree;
	const struct cpd_resource *r =
		&tree->data->resources[tree->view.resource];

	return json_pack("{s:s,s:i,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
		"schema", JSON_SCHEMA, "version", JSON_VERSION, "profile",
		list->threads ? "threads" : "processes", "resource",
		json_text(r->name), "unit", json_text(r->gtick), "threshold",
		json_real(list->threshold), "all", json_number(list->n),
		"unassigned", json_number(list->none.weight), "filters",
		json_filters(tree->view.filters), "kept", json_kept(tree),
		"undecided", json_undecided(tree));
}

int report_tasks_json(FILE *out, const struct task_list *list,
	const struct report_options *options)
{
	(void)options;
	if (json_put(out, task_table_head(list), 0, 1))
		return -1;
	fputs(",\"entries\":[", out);
	for (uint32_t i = 0; i < list->shown; i++) {
		if (i > 0)
			fputc(',', out);
		if (json_put(out, task_object(list, &list->v[i]), 0, 0))
			return -1;
	}
	fputs("]}\n", out);
	return 0;
}
