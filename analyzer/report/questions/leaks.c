/*
 * leaks.c - what lives at the end, path by path, with its age.
 */
#include <stdlib.h>

#include "analyzer/report/json_values.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/questions/questions_private.h"
#include "analyzer/report/rows.h"

static size_t shown_rows(
	const struct leaks *leaks, const struct report_options *options)
{
	size_t n = leaks->shown.n;

	return options->top && options->top < n ? options->top : n;
}

static const struct leak *row(const struct leaks *leaks, size_t i)
{
	return &leaks->all.v[leaks->shown.v[i]];
}

/* Text.  In narrow lines a path has a line of its own. */

#define FIGURES 42 /* columns of them all */
#define NARROW (FIGURES + 26)

struct leaks_text {
	FILE *out;
	const struct leaks *leaks;
	const struct report_options *options;
	bool narrow, few;
};

static size_t path_column(const struct leaks_text *t)
{
	return t->narrow ? 2 : FIGURES;
}

static int fill(const void *arg, size_t i, struct path_text *path)
{
	const struct leaks_text *t = arg;
	const struct leak *leak = row(t->leaks, i);

	path->width = layout_columns(t->options) - path_column(t);
	return path_text_add_all(path, t->leaks->tree->data,
		leaks_path(t->leaks, leak), leak->length);
}

/* How much it is, of how much it is an estimate, and when. */
static void put_title(const struct leaks_text *t)
{
	const struct tree *tree = t->leaks->tree;
	const struct cpd_resource *r = tree_resource(tree);
	uint64_t doubt = filters_on_time(tree->view.filters)
				 ? 0
				 : tree_books(tree)->doubt;
	char buf[64];

	fprintf(t->out, "%s: %s", r->name,
		layout_amount(r, tree_total(tree, 0)->weight, buf, sizeof buf));
	if (doubt)
		fprintf(t->out, ", give or take %s",
			layout_amount(r, doubt, buf, sizeof buf));
	fprintf(t->out, "\n\n%s%10s %9s%10s%10s%s%s\n",
		t->options->color ? "\033[2m" : "", "amount", "share", "oldest",
		"median", t->narrow ? "" : "  call path",
		t->options->color ? "\033[0m" : "");
}

static void put_row(
	struct leaks_text *t, const struct leak *leak, const char *name)
{
	static const struct cpd_resource us = {.unit = CPD_USEC};
	const struct tree *tree = t->leaks->tree;
	char amount[64], share[64], oldest[64], median[64];
	char mark = layout_mark(tree, &leak->sums);

	fprintf(t->out, "%10s%c%9s%10s%10s%s",
		layout_amount(tree_resource(tree), leak->sums.weight, amount,
			sizeof amount),
		mark, layout_kept(tree, leak->sums.weight, share, sizeof share),
		layout_amount(&us, leak->oldest / 1000, oldest, sizeof oldest),
		layout_amount(&us, leak->median / 1000, median, sizeof median),
		t->narrow ? "\n  " : "  ");
	path_put(t->out, name, path_column(t));
	fputc('\n', t->out);
	t->few |= mark != ' ';
}

static void put_notes(const struct leaks_text *t)
{
	const struct report_options *options = t->options;
	size_t shown = shown_rows(t->leaks, options);

	layout_more(t->out, options, t->leaks->shown.n - shown, "path",
		options->in_shell ? "set top N" : "--top=N");
	if (t->leaks->nrest)
		layout_note(t->out, options,
			"%zu path%s below the threshold: %s", t->leaks->nrest,
			t->leaks->nrest == 1 ? "" : "s",
			options->in_shell ? "leaks 0" : "--threshold=0");
	if (t->few)
		layout_few_note(t->out, options);
	report_unfollowed(t->out, t->leaks->tree->data,
		t->leaks->tree->view.resource, options);
}

int leaks_text(FILE *out, const struct leaks *leaks,
	const struct report_options *options, struct err *err)
{
	struct leaks_text t = {.out = out,
		.leaks = leaks,
		.options = options,
		.narrow = layout_columns(options) < NARROW};
	struct path_table table = {.options = options,
		.n = shown_rows(leaks, options),
		.fill = fill,
		.arg = &t};
	int bad = report_filter_lines(out, leaks->tree, options, err);

	if (!bad)
		bad = path_table_init(&table);
	if (!bad)
		put_title(&t);
	for (size_t i = 0; i < table.n && !bad; i++)
		if (!options->line || options->line == i + 1)
			put_row(&t, row(leaks, i), table.texts[i]);
	if (!bad) {
		put_notes(&t);
		path_table_note(out, &table);
	}
	path_table_fini(&table);
	return bad;
}

/* For programs. */

static json_t *names(const struct leaks *leaks, const struct leak *leak,
	enum question_names what)
{
	return question_names(
		leaks->tree->data, leaks_path(leaks, leak), leak->length, what);
}

static json_t *row_object(const void *of, size_t i)
{
	const struct leaks *leaks = of;
	const struct leak *leak = row(leaks, i);

	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:f,s:f}", "path",
		names(leaks, leak, QUESTION_NAME), "modules",
		names(leaks, leak, QUESTION_MODULE), "files",
		names(leaks, leak, QUESTION_FILE), "weight",
		json_number(leak->sums.weight), "samples",
		json_number(leak->sums.samples), "fraction",
		json_fraction(
			question_fraction(leaks->tree, leak->sums.weight)),
		"oldest", (double)leak->oldest / 1e9, "median",
		(double)leak->median / 1e9);
}

int leaks_data(FILE *out, const struct report_format *format,
	const struct leaks *leaks, double threshold,
	const struct report_options *options)
{
	const struct rows rows = {
		"profile,\"resource\",\"path\",weight,samples,fraction,"
		"oldest:g6,median:g6,\"modules\",\"files\"",
		shown_rows(leaks, options), row_object, leaks, NULL, NULL};

	return format->write_rows(
		out, json_head(leaks->tree, "leaks", threshold), &rows);
}
