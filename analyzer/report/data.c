/*
 * data.c - profiles, and lists of processes and threads, for programs.
 *
 * In CSV "depth" is the place below the root for entries of the tree and empty
 * for all others; "fraction" is of the whole run, "kept_fraction" of what the
 * filters keep.
 */
#include <jansson.h>
#include <stdlib.h>

#include "analyzer/profile/function_figures.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/report_private.h"
#include "analyzer/report/rows.h"

static json_t *head(
	const struct profile *profile, const struct report_options *options)
{
	const struct tree *tree = profile->tree;
	const struct cpd_resource *r = tree_resource(tree);
	const struct books *books = tree_books(tree);
	bool root = profile_has_root(profile->kind) && options->root;

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
	const struct cpd_resource *r = tree_resource(tree);
	const struct books *books = tree_books(tree);

	return json_pack(
		"{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:b,s:b,s:b,s:b,s:o,"
		"s:o,s:b,s:o,s:o,s:o,s:o,s:s,s:b}",
		"title", json_text(r->title), "threshold",
		json_real(profile->threshold), "weight",
		json_number(profile->total), "kernel",
		json_number(books->loss[CPD_KERNEL]), "uncounted",
		json_number(books->loss[CPD_SETUID]), "probes",
		json_number(books->loss[CPD_PROBES]), "before",
		json_number(books->loss[CPD_BEFORE]), "lost_samples",
		json_number(books->lost_samples), "clock",
		!!(r->flags & CPD_RESOURCE_CLOCK), "estimate",
		!!(r->flags & CPD_RESOURCE_ESTIMATE), "user_only",
		!!(r->flags & CPD_RESOURCE_USER_ONLY), "random",
		!!(r->flags & CPD_RESOURCE_RANDOM), "own_count",
		!!(r->flags & CPD_RESOURCE_OWN_COUNT), "processes",
		json_number(dataset_processes(data)), "threads",
		json_number(dataset_threads_run(data)), "complete",
		data->file.complete, "filters",
		json_filters(tree->view.filters), "kept", json_kept(tree),
		"undecided", json_undecided(tree), "elided",
		json_filters(tree->view.elided), "group",
		dataset_group_names[tree->view.group], "below",
		profile->kind == PROFILE_FUNCTION && tree_is_below(tree));
}

static json_t *frame(const struct function *f, const char *site)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "function",
		json_text(f->name), "module", json_known_text(f->module),
		"file", json_known_text(f->file), "line",
		f->line ? json_number(f->line) : json_null(), "site",
		json_known_text(site), "address",
		f->module_id ? json_number(f->lo) : json_null());
}

/* The functions, the outermost first: their names, or FRAMES. */
static json_t *path(const struct profile *profile,
	const struct profile_entry *entry, bool frames)
{
	json_t *list = json_array();
	struct report_gap gap;

	for (uint32_t i = 0; i < entry->length; i++) {
		const struct function *f = report_step(profile, entry, i);
		const char *site = report_called_from(profile, entry, i);

		if (report_gap_at(&gap, entry->length, &i)) {
			f = &gap.function;
			site = "";
		}
		json_add(&list, frames ? frame(f, site) : json_text(f->name));
	}
	return list;
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

struct entries {
	const struct profile *profile;
	struct function_figures figures;
	/* By function, where entries are functions; NULL elsewhere. */
	const struct function_figure **by_function;
};

static json_t *entry_object(const void *of, size_t i)
{
	const struct entries *entries = of;
	const struct profile *profile = entries->profile;
	const struct profile_entry *entry = &profile->entries[i];
	const struct function_figure *figure =
		entries->by_function ? entries->by_function[*entry->path]
				     : NULL;
	json_t *json = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "path",
		path(profile, entry, false), "frames",
		path(profile, entry, true), "hits", json_number(entry->hits),
		"fraction", json_fraction(profile_fraction(profile, entry)),
		"weight", json_number(entry->weight), "samples",
		json_number(entry->samples), "interval95",
		interval(profile, entry), "kept_fraction",
		json_fraction(profile_kept_fraction(profile, entry)));

	if (profile->kind == PROFILE_TREE)
		json = json_with(json,
			json_pack("{s:o}", "depth", json_number(entry->depth)));
	return !figure ? json
		       : json_with(json,
				 json_pack("{s:o,s:o,s:b}", "total",
					 json_number(figure->total.weight),
					 "self",
					 json_number(figure->self.weight),
					 "wrapper", figure->wrapper));
}

/* Finds total and self of each entry. */
static int find_figures(struct entries *entries, struct err *err)
{
	const struct profile *profile = entries->profile;
	struct function_figures *figures = &entries->figures;

	if (profile->kind != PROFILE_FUNCTION && profile->kind != PROFILE_BODY)
		return 0;
	if (function_figures_init(figures, profile->tree,
		    profile->kind == PROFILE_FUNCTION ? FIGURES_BELOW
						      : FIGURES_LISTED,
		    profile->threshold, err))
		return -1;
	entries->by_function = calloc(dataset_numbers(profile->tree->data),
		sizeof *entries->by_function);
	if (!entries->by_function)
		return err_memory(err, NULL, "report");
	for (size_t i = 0; i < figures->n; i++)
		entries->by_function[figures->v[i].function] = &figures->v[i];
	return 0;
}

int report_profile(FILE *out, const struct report_format *format,
	const struct profile *profile, const struct report_options *options,
	struct err *err)
{
	struct entries entries = {.profile = profile};
	struct rows rows = {
		"profile,\"resource\",\"path\",fraction,hits,weight,samples,"
		"depth,kept_fraction,\"modules=frames.module\","
		"\"files=frames.file\",\"sites=frames.site\"",
		profile->n, entry_object, &entries, NULL, NULL};
	int status;

	if (format->write)
		return format->write(out, profile, options, err);
	rows.tail = tail(profile);
	status = find_figures(&entries, err);
	if (!status && format->write_rows(out, head(profile, options), &rows))
		status = err_memory(err, NULL, "report");
	free(entries.by_function);
	function_figures_fini(&entries.figures);
	json_decref(rows.tail);
	return status;
}

static json_t *task_object(const void *of, size_t i)
{
	const struct task_list *list = of;
	const struct task *task = &list->v[i];
	struct task_facts is = report_task_facts(list, task);
	bool over = is.end >= is.start && is.end;
	json_t *object = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
		"id", json_number(task->id),
		list->of.threads ? "process" : "parent",
		is.above ? json_number(is.above) : json_null(),
		list->of.threads ? "tid" : "pid", json_integer(is.number),
		"name", json_text(is.name), "program",
		*is.exe ? json_text(is.exe) : json_null(), "duration",
		over ? json_real((double)(is.end - is.start) / 1e9)
		     : json_null(),
		"hits", json_number(task->hits), "weight",
		json_number(task->weight), "fraction",
		json_fraction(report_task_fraction(list, task->weight)),
		"kept_fraction",
		json_fraction(report_task_kept(list, task->weight)));

	if (object && list->of.threads) {
		json_object_set_new(object, "runs",
			is.runs ? json_text(is.runs->name) : json_null());
	} else if (object) {
		char *args =
			report_arguments(list->of.tree->data, task->id, false);

		json_object_set_new(object, "arguments",
			args && *args ? json_text(args) : json_null());
		free(args);
	}
	return object;
}

static json_t *task_table_head(const struct task_list *list)
{
	const struct tree *tree = list->of.tree;
	const struct cpd_resource *r = tree_resource(tree);

	return json_with(json_begin(list->of.threads ? "threads" : "processes"),
		json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "resource",
			json_text(r->name), "unit", json_text(r->gtick),
			"threshold", json_real(list->of.threshold), "all",
			json_number(list->n), "unassigned",
			json_number(list->none.weight), "filters",
			json_filters(tree->view.filters), "kept",
			json_kept(tree), "undecided", json_undecided(tree)));
}

int report_tasks_data(FILE *out, const struct report_format *format,
	const struct task_list *list)
{
	const struct rows rows = {
		list->of.threads
			? "profile,\"resource\",\"name\",\"program\",id,"
			  "process,tid,fraction,hits,weight,duration:f6,"
			  "kept_fraction,\"runs\""
			: "profile,\"resource\",\"name\",\"program\",id,parent,"
			  "pid,fraction,hits,weight,duration:f6,kept_fraction,"
			  "\"arguments\"",
		list->shown, task_object, list, NULL, NULL};

	return format->write_rows(out, task_table_head(list), &rows);
}
