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

static size_t shown_rows(
	const struct why *why, const struct report_options *options)
{
	return options->top && options->top < why->n ? options->top : why->n;
}

/* Text. */

#define TEXT_ROWS 40 /* where nothing is set: about a screen */
#define NAME_MIN 14  /* columns that a name has beside those of resources */
#define HEAD_MAX 14  /* columns of a resource's name above its figures */

struct text {
	FILE *out;
	const struct why *why;
	const struct report_options *options;
	const struct why_row **rows; /* those shown */
	size_t nrows, nfolded, nrest;
	size_t *widths;  /* of the first columns, those that have room */
	size_t ncolumns; /* one for each of so many resources */
	size_t room;     /* for a name */
};

static int choose_rows(struct text *t)
{
	size_t top = t->options->top ? t->options->top : TEXT_ROWS;

	t->rows = calloc(t->why->n + 1, sizeof *t->rows);
	if (!t->rows)
		return -1;
	for (size_t i = 0; i < t->why->n; i++) {
		const struct why_row *row = &t->why->rows[i];

		if (row->wrapper && !t->options->no_fold)
			t->nfolded++;
		else if (t->nrows < top)
			t->rows[t->nrows++] = row;
		else
			t->nrest++;
	}
	return 0;
}

static char *row_name(const struct text *t, const struct why_row *row)
{
	char **parts = calloc(row->length, sizeof *parts), *joined = NULL;
	bool good = parts != NULL;

	for (uint32_t i = 0; i < row->length && good; i++) {
		parts[i] = report_escape(
			report_shown(
				function(t->why, row->path[i]), t->options),
			"");
		good = parts[i] != NULL;
	}
	if (good)
		joined = layout_join((const char *const *)parts, row->length,
			" > ", t->room);
	for (uint32_t i = 0; parts && i < row->length; i++)
		free(parts[i]);
	free(parts);
	return joined;
}

/* A resource with nothing has no figure: it was not used, or not profiled. */
static const char *figure(const struct text *t, const struct why_row *row,
	size_t tree, char *buf, size_t size)
{
	if (!t->why->trees[tree]->whole.weight)
		return "-";
	return layout_figure(t->why->trees[tree], row->of[tree].weight,
		t->options, buf, size);
}

/* The resource's name above its column; new memory. */
static char *head(const struct text *t, size_t tree)
{
	char *name = report_escape(resource(t->why, tree)->name, "");
	char *fit = name ? layout_shorten(name, HEAD_MAX) : NULL;

	free(name);
	return fit;
}

/* 0: no memory. */
static size_t column_width(const struct text *t, size_t tree)
{
	char buf[128], *name = head(t, tree);
	size_t width = name ? layout_width(name) : 0;

	for (size_t i = 0; name && i < t->nrows; i++) {
		size_t of = layout_width(
			figure(t, t->rows[i], tree, buf, sizeof buf));

		width = of > width ? of : width;
	}
	free(name);
	return width;
}

/* Finds how many resources have a column, of the first ones, and at least one.
 */
static int measure(struct text *t)
{
	size_t columns = layout_columns(t->options), used = 1;

	t->widths = calloc(t->why->ntrees, sizeof *t->widths);
	if (!t->widths)
		return -1;
	for (size_t i = 0; i < t->why->ntrees; i++) {
		size_t width = column_width(t, i);

		if (!width)
			return -1;
		if (i && used + width + 4 + NAME_MIN > columns)
			break;
		used += width + 4;
		t->widths[t->ncolumns++] = width;
	}
	t->room = columns > used + NAME_MIN ? columns - used : NAME_MIN;
	return 0;
}

static int put_head(const struct text *t)
{
	fputs(t->options->color ? "\033[2m" : "", t->out);
	for (size_t i = 0; i < t->ncolumns; i++) {
		char *name = head(t, i);

		if (!name)
			return -1;
		layout_pad(t->out, layout_width(name), t->widths[i] + 2);
		fprintf(t->out, "%s  ", name);
		free(name);
	}
	fprintf(t->out, " %s%s\n", t->options->root ? "call path" : "function",
		t->options->color ? "\033[0m" : "");
	return 0;
}

static int put_row(const struct text *t, const struct why_row *row, bool *few)
{
	char *name = row_name(t, row);
	char buf[128];

	if (!name)
		return -1;
	for (size_t i = 0; i < t->ncolumns; i++) {
		const char *text = figure(t, row, i, buf, sizeof buf);
		char mark = layout_mark(t->why->trees[i], &row->of[i]);

		layout_pad(t->out, layout_width(text), t->widths[i] + 2);
		fprintf(t->out, "%s%c%c", text, mark, why_mark(t->why, row, i));
		*few |= mark != ' ';
	}
	fprintf(t->out, " %s\n", name);
	free(name);
	return 0;
}

/* Names the resources that had no room. */
static int put_left_out(const struct text *t)
{
	struct layout_lines lines;
	FILE *out = layout_lines_begin(&lines);

	if (!out)
		return -1;
	for (size_t i = t->ncolumns; i < t->why->ntrees; i++) {
		fputs(i > t->ncolumns ? ", " : "no room for: ", out);
		if (report_name(out, resource(t->why, i)->name, ""))
			return layout_lines_end(&lines, -1, t->out, 0);
	}
	fputc('\n', out);
	return layout_lines_end(&lines, 0, t->out, layout_columns(t->options));
}

static int put_notes(const struct text *t, bool few)
{
	const struct report_options *options = t->options;
	bool marks = false, shell = options->in_shell;

	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->ncolumns; k++)
			marks |= why_mark(t->why, t->rows[i], k) != ' ';
	if (t->nfolded)
		layout_note(t->out, options, "%zu wrapper%s (%s)", t->nfolded,
			t->nfolded == 1 ? "" : "s",
			shell ? "fold off" : "--no-fold");
	if (t->nrest)
		layout_note(t->out, options, "%zu more: %s", t->nrest,
			shell ? "set top N" : "--top=N");
	if (marks)
		layout_note(t->out, options,
			"+ at least three times its share of %s, - at most a "
			"third, and by 5 points",
			resource(t->why, t->why->time)->name);
	if (few)
		layout_few_note(t->out, options);
	return t->ncolumns < t->why->ntrees ? put_left_out(t) : 0;
}

int why_text(FILE *out, const struct why *why, double threshold,
	const struct report_options *options, struct err *err)
{
	struct text t = {.out = out, .why = why, .options = options};
	bool few = false;
	int status =
		report_filter_lines(out, why->trees[why->by], options, err);

	(void)threshold;
	if (!status)
		status =
			choose_rows(&t) || measure(&t) || put_head(&t) ? -1 : 0;
	for (size_t i = 0; i < t.nrows && !status; i++)
		status = put_row(&t, t.rows[i], &few);
	if (!status)
		status = put_notes(&t, few);
	free(t.rows);
	free(t.widths);
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
	return json_pack("{s:o,s:o,s:o,s:b,s:o}", "path",
		names_of(why, row, 'n'), "modules", names_of(why, row, 'm'),
		"files", names_of(why, row, 'f'), "wrapper", row->wrapper,
		"resources", of);
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

		if (csv_text(out, i,
			    what == 'm'   ? f->module
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
			if (csv_text(out, 0, resource(why, t)->name))
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
