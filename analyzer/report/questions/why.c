/*
 * why.c - rows of functions or call paths, a column for each resource.
 */
#include <stdlib.h>

#include "analyzer/report/json_values.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/questions/questions_private.h"
#include "analyzer/report/rows.h"

static size_t shown_rows(
	const struct why *why, const struct report_options *options)
{
	return options->top && options->top < why->n ? options->top : why->n;
}

/* Text. */

#define TEXT_ROWS 40 /* where nothing is set: about a screen */
#define NAME_MIN 14  /* columns that a name has beside those of resources, */
#define PATH_MIN 28  /* and that a path has */
#define HEAD_MAX 14  /* columns of a resource's name above its figures */

struct why_text {
	FILE *out;
	const struct why *why;
	const struct report_options *options;
	const struct why_row **rows; /* those shown */
	size_t nrows, nfolded, nrest;
	size_t *widths;     /* of the first columns, those that have room */
	size_t ncolumns;    /* one for each of so many resources */
	size_t whole, used; /* columns of a line, and of figures */
};

static int choose_rows(struct why_text *t)
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

/* A resource with nothing has no figure: it was not used, or not profiled. */
static const char *figure(const struct why_text *t, const struct why_row *row,
	size_t tree, char *buf, size_t size)
{
	if (!t->why->trees[tree]->whole.weight)
		return "-";
	return layout_figure(t->why->trees[tree], row->of[tree].weight,
		t->options, buf, size);
}

/* The resource's name above its column; new memory. */
static char *head(const struct why_text *t, size_t tree)
{
	char *name =
		report_escape(tree_resource(t->why->trees[tree])->name, "");
	char *fit = name ? layout_shorten(name, HEAD_MAX) : NULL;

	free(name);
	return fit;
}

/* 0: no memory. */
static size_t column_width(const struct why_text *t, size_t tree)
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
static int measure(struct why_text *t)
{
	size_t columns = layout_columns(t->options), used = 1;
	size_t least = t->options->root ? PATH_MIN : NAME_MIN;

	t->widths = calloc(t->why->ntrees, sizeof *t->widths);
	if (!t->widths)
		return -1;
	for (size_t i = 0; i < t->why->ntrees; i++) {
		size_t width = column_width(t, i);

		if (!width)
			return -1;
		if (i && used + width + 4 + least > columns)
			break;
		used += width + 4;
		t->widths[t->ncolumns++] = width;
	}
	t->used = used;
	t->whole = columns > used + least ? columns : used + least;
	return 0;
}

static int put_head(const struct why_text *t)
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

static void put_row(const struct why_text *t, const struct why_row *row,
	const char *name, bool *few)
{
	char buf[128];

	for (size_t i = 0; i < t->ncolumns; i++) {
		const char *text = figure(t, row, i, buf, sizeof buf);
		char mark = layout_mark(t->why->trees[i], &row->of[i]);

		layout_pad(t->out, layout_width(text), t->widths[i] + 2);
		fprintf(t->out, "%s%c%c", text, mark, why_mark(t->why, row, i));
		*few |= mark != ' ';
	}
	fputc(' ', t->out);
	path_put(t->out, name, t->used);
	fputc('\n', t->out);
}

static int fill(const void *arg, size_t i, struct path_text *path)
{
	const struct why_text *t = arg;

	path->width = t->whole - t->used;
	return path_text_add_all(path, t->why->trees[0]->data, t->rows[i]->path,
		t->rows[i]->length);
}

/* Names the resources that had no room. */
static int put_left_out(const struct why_text *t)
{
	struct layout_lines lines;
	FILE *out = layout_lines_begin(&lines);

	if (!out)
		return -1;
	for (size_t i = t->ncolumns; i < t->why->ntrees; i++) {
		fputs(i > t->ncolumns ? ", " : "no room for: ", out);
		if (report_name(out, tree_resource(t->why->trees[i])->name))
			return layout_lines_end(&lines, -1, t->out, 0);
	}
	fputc('\n', out);
	return layout_lines_end(&lines, 0, t->out, layout_columns(t->options));
}

static int put_notes(const struct why_text *t, bool few)
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
			tree_resource(t->why->trees[t->why->time])->name);
	if (few)
		layout_few_note(t->out, options);
	return t->ncolumns < t->why->ntrees ? put_left_out(t) : 0;
}

int why_text(FILE *out, const struct why *why,
	const struct report_options *options, struct err *err)
{
	struct why_text t = {.out = out, .why = why, .options = options};
	struct path_table table = {.options = options, .fill = fill, .arg = &t};
	bool few = false;
	int status = report_filter_lines(out, why->trees[0], options, err);

	if (!status)
		status =
			choose_rows(&t) || measure(&t) || put_head(&t) ? -1 : 0;
	table.n = t.nrows;
	if (!status)
		status = path_table_init(&table);
	for (size_t i = 0; i < t.nrows && !status; i++)
		if (!options->line || options->line == i + 1)
			put_row(&t, t.rows[i], table.texts[i], &few);
	if (!status)
		status = put_notes(&t, few);
	if (!status)
		path_table_note(out, &table);
	path_table_fini(&table);
	free(t.rows);
	free(t.widths);
	return status;
}

/* For programs. */

static json_t *column_object(
	const struct why *why, const struct why_row *row, size_t t)
{
	const struct tree_sums *of = &row->of[t];
	char mark[2] = {why_mark(why, row, t), '\0'};

	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "resource",
		json_text(tree_resource(why->trees[t])->name), "weight",
		json_number(of->weight), "hits", json_number(of->hits),
		"samples", json_number(of->samples), "fraction",
		json_fraction(why_share(why, row, t)), "mark",
		*mark == ' ' ? json_null() : json_string(mark));
}

static json_t *names(const struct why *why, const struct why_row *row,
	enum question_names what)
{
	return question_names(
		why->trees[0]->data, row->path, row->length, what);
}

static json_t *row_object(const void *arg, size_t i)
{
	const struct why *why = arg;
	const struct why_row *row = &why->rows[i];
	json_t *of = json_array();

	for (size_t t = 0; t < why->ntrees; t++)
		json_add(&of, column_object(why, row, t));
	return json_pack("{s:o,s:o,s:o,s:b,s:o}", "path",
		names(why, row, QUESTION_NAME), "modules",
		names(why, row, QUESTION_MODULE), "files",
		names(why, row, QUESTION_FILE), "wrapper", row->wrapper,
		"resources", of);
}

static json_t *resources_of(json_t *entry)
{
	return json_incref(json_object_get(entry, "resources"));
}

static json_t *columns(const struct why *why)
{
	json_t *list = json_array();

	for (size_t t = 0; t < why->ntrees; t++) {
		const struct cpd_resource *r = tree_resource(why->trees[t]);

		json_add(&list,
			json_pack("{s:o,s:o,s:o,s:o}", "resource",
				json_text(r->name), "title",
				json_text(r->title), "unit",
				json_text(r->gtick), "weight",
				json_number(why->trees[t]->whole.weight)));
	}
	return list;
}

int why_data(FILE *out, const struct report_format *format,
	const struct why *why, double threshold,
	const struct report_options *options)
{
	const struct tree_view *view = &why->trees[0]->view;
	const struct rows rows = {
		"profile,\"path\",\"resource\",fraction,hits,weight,samples,"
		"mark,\"modules\",\"files\"",
		shown_rows(why, options), row_object, why, resources_of, NULL};
	json_t *head = json_pack("{s:o,s:o,s:o,s:f,s:o,s:o,s:o,s:s}", "root",
		options->root ? json_text(options->root) : json_null(), "by",
		json_text(tree_resource(why->trees[0])->name), "time",
		why->time < why->ntrees
			? json_text(tree_resource(why->trees[why->time])->name)
			: json_null(),
		"threshold", threshold, "resources", columns(why), "filters",
		json_filters(view->filters), "elided",
		json_filters(view->elided), "group",
		dataset_group_names[view->group]);

	return format->write_rows(
		out, json_with(json_begin("why"), head), &rows);
}
