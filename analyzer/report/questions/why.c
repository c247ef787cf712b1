/*
 * why.c - rows of functions or call paths, a column for each resource.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/csv_values.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/questions/questions_private.h"

static const struct cpd_resource *resource(const struct why *why, size_t tree)
{
	const struct tree *t = why->trees[tree];

	return &t->data->resources[t->view.resource];
}

static const struct function *function(const struct why *why, uint32_t f)
{
	return &why->trees[0]->data->functions[f];
}

/* Lines for people where nothing is set: about a screen. */
#define TEXT_ROWS 40

static size_t shown_rows(
	const struct why *why, const struct report_options *options)
{
	return options->top && options->top < why->n ? options->top : why->n;
}

/* Text. */

static char *row_name(const struct why *why, const struct why_row *row,
	size_t width, const struct report_options *options)
{
	char **parts = calloc(row->length, sizeof *parts), *joined = NULL;
	bool good = parts != NULL;

	for (uint32_t i = 0; i < row->length && good; i++) {
		parts[i] = report_escape(
			report_shown(function(why, row->path[i]), options), "");
		good = parts[i] != NULL;
	}
	if (good)
		joined = layout_join(
			(const char *const *)parts, row->length, " > ", width);
	for (uint32_t i = 0; parts && i < row->length; i++)
		free(parts[i]);
	free(parts);
	return joined;
}

/* A resource with nothing has no figure: it was not used, or not profiled. */
static const char *figure(const struct why *why, const struct why_row *row,
	size_t tree, const struct report_options *options, char *buf,
	size_t size)
{
	if (!why->trees[tree]->whole.weight)
		return "-";
	return layout_figure(
		why->trees[tree], row->of[tree].weight, options, buf, size);
}

static size_t column_width(const struct why *why, size_t tree,
	const struct report_options *options)
{
	size_t width = layout_width(resource(why, tree)->name);
	char buf[128];

	for (size_t i = 0; i < shown_rows(why, options); i++) {
		size_t of = layout_width(figure(
			why, &why->rows[i], tree, options, buf, sizeof buf));

		width = of > width ? of : width;
	}
	return width;
}

static int put_row(FILE *out, const struct why *why, const struct why_row *row,
	const size_t *widths, size_t room, const struct report_options *options,
	bool *few)
{
	char *name = row_name(why, row, room, options);
	char buf[128];

	if (!name)
		return -1;
	for (size_t t = 0; t < why->ntrees; t++) {
		const char *text =
			figure(why, row, t, options, buf, sizeof buf);
		char mark = layout_mark(why->trees[t], row->of[t].samples);

		layout_pad(out, layout_width(text), widths[t] + 2);
		fprintf(out, "%s%c%c", text, mark, why_mark(why, row, t));
		*few |= mark != ' ';
	}
	fprintf(out, " %s\n", name);
	free(name);
	return 0;
}

static void put_head(FILE *out, const struct why *why, const size_t *widths,
	const struct report_options *options)
{
	fputs(options->color ? "\033[2m" : "", out);
	for (size_t t = 0; t < why->ntrees; t++) {
		layout_pad(out, layout_width(resource(why, t)->name),
			widths[t] + 2);
		fprintf(out, "%s  ", resource(why, t)->name);
	}
	fprintf(out, " %s%s\n", options->root ? "call path" : "function",
		options->color ? "\033[0m" : "");
}

static void put_notes(FILE *out, const struct why *why, bool few,
	const struct report_options *options)
{
	size_t shown = shown_rows(why, options);
	bool marks = false;

	for (size_t i = 0; i < shown; i++)
		for (size_t t = 0; t < why->ntrees; t++)
			marks |= why_mark(why, &why->rows[i], t) != ' ';
	if (shown < why->n)
		layout_note(out, options, "%zu more: %s", why->n - shown,
			options->in_shell ? "set top N" : "--top=N");
	if (marks)
		layout_note(out, options,
			"+ at least three times its share of %s, - at most a "
			"third, and by 5 points",
			resource(why, why->time)->name);
	if (few)
		layout_few_note(out, options);
}

int why_text(FILE *out, const struct why *why, double threshold,
	const struct report_options *given, struct err *err)
{
	struct report_options cut = *given;
	const struct report_options *options = &cut;
	size_t *widths = calloc(why->ntrees, sizeof *widths);
	size_t columns = layout_columns(options), used = 1, room;
	bool few = false;
	int status = widths ? 0 : -1;

	(void)threshold;
	cut.top = given->top ? given->top : TEXT_ROWS;
	if (!status)
		status = report_filter_lines(
			out, why->trees[why->by], options, err);
	for (size_t t = 0; t < why->ntrees && !status; t++) {
		widths[t] = column_width(why, t, options);
		used += widths[t] + 4;
	}
	room = columns > used + 16 ? columns - used : 16;
	if (!status)
		put_head(out, why, widths, options);
	for (size_t i = 0; i < shown_rows(why, options) && !status; i++)
		status = put_row(
			out, why, &why->rows[i], widths, room, options, &few);
	if (!status)
		put_notes(out, why, few, options);
	free(widths);
	return status;
}

/* JSON. */

static json_t *names_of(
	const struct why *why, const struct why_row *row, char what)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < row->length; i++) {
		const struct function *f = function(why, row->path[i]);
		const char *name = what == 'm'   ? f->module
				   : what == 'f' ? f->file
						 : f->name;

		if (json_array_append_new(array, json_text(name))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *column_object(
	const struct why *why, const struct why_row *row, size_t t)
{
	const struct tree_sums *of = &row->of[t];
	char mark[2] = {why_mark(why, row, t), '\0'};

	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "resource",
		json_text(resource(why, t)->name), "weight",
		json_number(of->weight), "hits", json_number(of->hits),
		"samples", json_number(of->samples), "fraction",
		json_fraction(why_share(why, row, t)), "mark",
		*mark == ' ' ? json_null() : json_string(mark));
}

static json_t *row_object(const struct why *why, const struct why_row *row)
{
	json_t *of = json_array();

	for (size_t t = 0; t < why->ntrees; t++)
		if (json_array_append_new(of, column_object(why, row, t))) {
			json_decref(of);
			return NULL;
		}
	return json_pack("{s:o,s:o,s:o,s:o}", "path", names_of(why, row, 'n'),
		"modules", names_of(why, row, 'm'), "files",
		names_of(why, row, 'f'), "resources", of);
}

static json_t *entries(
	const struct why *why, const struct report_options *options)
{
	json_t *array = json_array();

	for (size_t i = 0; i < shown_rows(why, options); i++)
		if (json_array_append_new(
			    array, row_object(why, &why->rows[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *columns(const struct why *why)
{
	json_t *array = json_array();

	for (size_t t = 0; t < why->ntrees; t++) {
		const struct cpd_resource *r = resource(why, t);

		if (json_array_append_new(array,
			    json_pack("{s:o,s:o,s:o,s:o}", "resource",
				    json_text(r->name), "title",
				    json_text(r->title), "unit",
				    json_text(r->gtick), "weight",
				    json_number(
					    why->trees[t]->whole.weight)))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

int why_json(FILE *out, const struct why *why, double threshold,
	const struct report_options *options, struct err *err)
{
	const struct tree_view *view = &why->trees[0]->view;
	json_t *whole = json_pack(
		"{s:s,s:i,s:s,s:o,s:o,s:o,s:f,s:o,s:o,s:o,s:s,s:o}", "schema",
		JSON_SCHEMA, "version", JSON_VERSION, "profile", "why", "root",
		options->root ? json_text(options->root) : json_null(), "by",
		json_text(resource(why, why->by)->name), "time",
		why->time < why->ntrees
			? json_text(resource(why, why->time)->name)
			: json_null(),
		"threshold", threshold, "resources", columns(why), "filters",
		json_filters(view->filters), "elided",
		json_filters(view->elided), "group",
		dataset_group_names[view->group], "entries",
		entries(why, options));

	(void)err;
	if (json_put(out, whole, 0, 0))
		return -1;
	fputc('\n', out);
	return 0;
}

/* CSV. */

static int put_names(
	FILE *out, const struct why *why, const struct why_row *row, char what)
{
	fputc('"', out);
	for (uint32_t i = 0; i < row->length; i++) {
		const struct function *f = function(why, row->path[i]);

		if (i > 0)
			fputc(';', out);
		if (csv_text(out, what == 'm'   ? f->module
				  : what == 'f' ? f->file
						: f->name))
			return -1;
	}
	fputc('"', out);
	return 0;
}

int why_csv(FILE *out, const struct why *why, double threshold,
	const struct report_options *options, struct err *err)
{
	(void)err;
	(void)threshold;
	fputs("profile,path,resource,fraction,hits,weight,samples,mark,modules,"
	      "files\n",
		out);
	for (size_t i = 0; i < shown_rows(why, options); i++) {
		const struct why_row *row = &why->rows[i];

		for (size_t t = 0; t < why->ntrees; t++) {
			char mark = why_mark(why, row, t);

			fputs("why,", out);
			if (put_names(out, why, row, 'n'))
				return -1;
			fputs(",\"", out);
			if (csv_text(out, resource(why, t)->name))
				return -1;
			fprintf(out,
				"\",%.5f,%" PRIu64 ",%" PRIu64 ",%" PRIu64
				",%.*s,",
				why_share(why, row, t), row->of[t].hits,
				row->of[t].weight, row->of[t].samples,
				mark != ' ', &mark);
			if (put_names(out, why, row, 'm'))
				return -1;
			fputc(',', out);
			if (put_names(out, why, row, 'f'))
				return -1;
			fputc('\n', out);
		}
	}
	return 0;
}
