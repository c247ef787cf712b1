/*
 * why.c - rows of functions or call paths, a column for each resource.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"
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

#define TEXT_ROWS 20 /* where nothing is set: about a screen */
#define NAME_MIN 14  /* columns that a name has beside those of resources, */
#define PATH_MIN 28  /* and that a path has */
#define HEAD_MAX 14  /* columns of a resource's name above its figures */

struct why_line {
	const struct why_row *row;
	const struct why_line
		*above; /* the longest path that it goes on from */
	size_t depth;
	double most; /* of its shares */
};

struct why_text {
	FILE *out;
	const struct why *why;
	const struct report_options *options;
	struct why_line *lines, **rows; /* those shown, and their order */
	size_t nrows, nfolded, nrest;
	size_t *widths;     /* of the first columns, those that have room */
	size_t ncolumns;    /* one for each of so many resources */
	size_t whole, used; /* columns of a line, and of figures */
};

/* The heaviest under any resource first. */
static int compare_most(const void *a, const void *b)
{
	const struct why_line *x = a, *y = b;

	return ORDER(y->most, x->most) ?: ORDER(x->row, y->row);
}

static int compare_paths(const void *a, const void *b)
{
	const struct why_row *x = (*(struct why_line *const *)a)->row;
	const struct why_row *y = (*(struct why_line *const *)b)->row;
	uint32_t n = x->length < y->length ? x->length : y->length;

	return memcmp(x->path, y->path, n * sizeof *x->path)
		       ?: ORDER(x->length, y->length);
}

/* First a path, then what goes on from it. */
static int compare_lines(const void *a, const void *b)
{
	const struct why_line *x = *(struct why_line *const *)a;
	const struct why_line *y = *(struct why_line *const *)b;
	size_t left = x->depth, right = y->depth;

	while (x->depth > right)
		x = x->above;
	while (y->depth > left)
		y = y->above;
	if (x == y)
		return ORDER(left, right);
	while (x->above != y->above) {
		x = x->above;
		y = y->above;
	}
	return ORDER(x->row, y->row);
}

static bool goes_on(const struct why_row *row, const struct why_row *from)
{
	return row->length > from->length &&
	       !memcmp(row->path, from->path, from->length * sizeof *row->path);
}

/* Arranges the rows as a tree; of functions each is at its root. */
static void nest(struct why_text *t)
{
	for (size_t i = 0; i < t->nrows; i++)
		t->rows[i] = &t->lines[i];
	qsort(t->rows, t->nrows, sizeof *t->rows, compare_paths);
	for (size_t i = 1; i < t->nrows; i++) {
		const struct why_line *above = t->rows[i - 1];

		while (above && !goes_on(t->rows[i]->row, above->row))
			above = above->above;
		t->rows[i]->above = above;
		t->rows[i]->depth = above ? above->depth + 1 : 0;
	}
	qsort(t->rows, t->nrows, sizeof *t->rows, compare_lines);
}

static int choose_rows(struct why_text *t)
{
	size_t top = t->options->top ? t->options->top : TEXT_ROWS;

	t->lines = calloc(t->why->n + 1, sizeof *t->lines);
	t->rows = calloc(t->why->n + 1, sizeof *t->rows);
	if (!t->lines || !t->rows)
		return -1;
	for (size_t i = 0; i < t->why->n; i++) {
		const struct why_row *row = &t->why->rows[i];
		struct why_line *line = &t->lines[t->nrows];

		if (row->wrapper && !t->options->no_fold) {
			t->nfolded++;
			continue;
		}
		line->row = row;
		for (size_t k = 0; k < t->why->ntrees; k++)
			line->most =
				fmax(line->most, why_share(t->why, row, k));
		t->nrows++;
	}
	qsort(t->lines, t->nrows, sizeof *t->lines, compare_most);
	t->nrest = t->nrows > top ? t->nrows - top : 0;
	t->nrows -= t->nrest;
	nest(t);
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

/* The resource's name above its column, in lines so wide; new memory. */
static char *head(const struct why_text *t, size_t tree, size_t width)
{
	char *name =
		report_escape(tree_resource(t->why->trees[tree])->name, "");
	char *fit = name ? path_wrap(name, width, t->options) : NULL;

	free(name);
	return fit;
}

/* All that was consumed of it, of which figures are shares. */
static char *total(
	const struct why_text *t, size_t tree, char *buf, size_t size)
{
	return layout_amount(tree_resource(t->why->trees[tree]),
		t->why->trees[tree]->whole.weight, buf, size);
}

/* 0: no memory. */
static size_t column_width(const struct why_text *t, size_t tree)
{
	char buf[128], *name = head(t, tree, SIZE_MAX);
	size_t width = name ? layout_width(name) : 0;

	if (width > HEAD_MAX && !t->options->whole)
		width = HEAD_MAX;
	for (size_t i = 0; name && i <= t->nrows; i++) {
		size_t of = layout_width(
			i < t->nrows ? figure(t, t->rows[i]->row, tree, buf,
					       sizeof buf)
				     : total(t, tree, buf, sizeof buf));

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
	t->whole = columns > used + NAME_MIN ? columns : used + NAME_MIN;
	return 0;
}

static int put_head(const struct why_text *t)
{
	const char *what =
		t->options->root ? "call path" : report_entry(t->why->trees[0]);
	struct layout_cell *cells = calloc(t->ncolumns + 1, sizeof *cells);
	char **texts = calloc(t->ncolumns + 1, sizeof *texts);
	size_t end = 0;
	bool bad = !cells || !texts;

	for (size_t i = 0; i <= t->ncolumns && !bad; i++) {
		texts[i] = i < t->ncolumns ? head(t, i, t->widths[i])
					   : strdup(what);
		end += i < t->ncolumns ? t->widths[i] + 2 : 1;
		cells[i] = (struct layout_cell){texts[i], end, i < t->ncolumns};
		end += 2;
		bad = !texts[i];
	}
	if (!bad) {
		fputs(t->options->color ? "\033[2m" : "", t->out);
		layout_cells(t->out, cells, t->ncolumns + 1, 0);
		fputs(t->options->color ? "\033[0m" : "", t->out);
	}
	for (size_t i = 0; texts && i <= t->ncolumns; i++)
		free(texts[i]);
	free(texts);
	free(cells);
	if (bad)
		return -1;
	for (size_t i = 0; i < t->ncolumns; i++) {
		char buf[64], *text = total(t, i, buf, sizeof buf);

		layout_pad(t->out, layout_width(text), t->widths[i] + 2);
		fprintf(t->out, "%s  ", text);
	}
	fputs(" in all\n", t->out);
	return 0;
}

static size_t indent(const struct why_text *t, const struct why_line *line)
{
	return layout_indent(t->options, line->depth, t->whole - t->used);
}

/* A resource that has no column is named where it stands out. */
static int put_stands_out(
	const struct why_text *t, const struct why_line *line, bool *few)
{
	size_t begin = t->used + indent(t, line);

	for (size_t i = t->ncolumns; i < t->why->ntrees; i++) {
		const struct why_row *row = line->row;
		char mark = layout_mark(t->why->trees[i], &row->of[i]);
		char buf[128], *name, *text;

		if (why_mark(t->why, row, i) != '+')
			continue;
		name = head(t, i, SIZE_MAX);
		if (!name ||
			asprintf(&text, "%s %s%c+", name,
				figure(t, row, i, buf, sizeof buf), mark) < 0)
			text = NULL;
		free(name);
		if (!text)
			return -1;
		if (begin + layout_width(text) > t->whole)
			begin = t->whole - layout_width(text);
		fprintf(t->out, "%*s%s\n", (int)begin, "", text);
		*few |= mark != ' ';
		free(text);
	}
	return 0;
}

static int put_row(const struct why_text *t, const struct why_line *line,
	const char *name, bool *few)
{
	const struct why_row *row = line->row;
	size_t blanks = indent(t, line);
	char buf[128];

	for (size_t i = 0; i < t->ncolumns; i++) {
		const char *text = figure(t, row, i, buf, sizeof buf);
		char mark = layout_mark(t->why->trees[i], &row->of[i]);

		layout_pad(t->out, layout_width(text), t->widths[i] + 2);
		fprintf(t->out, "%s%c%c", text, mark, why_mark(t->why, row, i));
		*few |= mark != ' ';
	}
	fprintf(t->out, "%*s", (int)blanks + 1, "");
	path_put(t->out, name, t->used + blanks);
	fputc('\n', t->out);
	return put_stands_out(t, line, few);
}

static int fill(const void *arg, size_t i, struct path_text *path)
{
	const struct why_text *t = arg;
	const struct why_line *line = t->rows[i];
	const struct dataset *data = t->why->trees[0]->data;
	uint32_t from =
		line->above && !t->options->line ? line->above->row->length : 0;
	const struct function *caller =
		from ? &data->functions[line->row->path[from - 1]] : NULL;

	path->width = t->whole - t->used - indent(t, line);
	path->rooted = !from;
	path->inside = from && !path_is_start(caller) &&
		       !path_is_own(caller, path_is_generated(caller));
	return path_text_add_all(
		path, data, line->row->path + from, line->row->length - from);
}

static uint32_t group(const void *arg, size_t i)
{
	const struct why_text *t = arg;
	const struct why_line *above = t->rows[i]->above;

	return above ? (uint32_t)(above - t->lines) + 1 : 0;
}

/* Names the resources that had no room. */
static int put_left_out(const struct why_text *t)
{
	struct layout_lines lines;
	FILE *out = layout_lines_begin(&lines);

	if (!out)
		return -1;
	for (size_t i = t->ncolumns; i < t->why->ntrees; i++) {
		fputs(i > t->ncolumns ? ", " : "no room for ", out);
		if (report_name(out, tree_resource(t->why->trees[i])->name))
			return layout_lines_end(&lines, -1, t->out, 0);
	}
	fputs(": told below a row where its share stands out (+)\n", out);
	return layout_lines_end(&lines, 0, t->out, layout_columns(t->options));
}

static int put_notes(const struct why_text *t, bool few)
{
	const struct report_options *options = t->options;
	bool marks = false, shell = options->in_shell;

	for (size_t i = 0; i < t->nrows; i++)
		for (size_t k = 0; k < t->why->ntrees; k++) {
			char mark = why_mark(t->why, t->rows[i]->row, k);

			marks |=
				mark == '+' || (mark == '-' && k < t->ncolumns);
		}
	if (t->nfolded && !options->root)
		layout_note(t->out, options, "%zu wrapper%s (%s)", t->nfolded,
			t->nfolded == 1 ? "" : "s",
			shell ? "fold off" : "--no-fold");
	layout_more(t->out, options, t->nrest,
		options->root ? "path" : report_entry(t->why->trees[0]),
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
	struct path_table table = {
		.options = options, .fill = fill, .group = group, .arg = &t};
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
			status = put_row(&t, t.rows[i], table.texts[i], &few);
	if (!status)
		status = put_notes(&t, few);
	if (!status)
		path_table_note(out, &table);
	path_table_fini(&table);
	free(t.lines);
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
