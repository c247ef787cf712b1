/*
 * percall.c - what a call costs, path by path.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/json_values.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/questions/questions_private.h"
#include "analyzer/report/rows.h"

static size_t shown_rows(
	const struct percall *percall, const struct report_options *options)
{
	size_t n = percall->n;

	return options->top && options->top < n ? options->top : n;
}

/* Text. */

static const char *put_doubt(const struct percall *percall,
	const struct percall_row *row, char *buf, size_t size)
{
	double doubt = percall_doubt(percall, row);

	if (percall_value(row) < 0 || !row->of[0].weight)
		snprintf(buf, size, "-");
	else if (doubt > 0)
		snprintf(buf, size, "%.*f %%", doubt < 0.1, 100 * doubt);
	else
		snprintf(buf, size, "exact");
	return buf;
}

/*
 * Whether a path is another one with one more caller and the same figures: then
 * the caller says nothing new.
 */
static bool is_same_longer(
	const struct percall *percall, const struct percall_row *row)
{
	for (size_t i = 0; i < percall->n; i++) {
		const struct percall_row *r = &percall->rows[i];

		if (!*row->site && r->length + 1 == row->length &&
			r->of[0].weight == row->of[0].weight &&
			r->of[1].weight == row->of[1].weight &&
			!memcmp(r->path, row->path + 1,
				r->length * sizeof *r->path))
			return true;
	}
	return false;
}

/* In narrow lines the columns stand closer and a path has a line of its own. */
#define FIGURES 46 /* columns of them all */
#define NARROW (FIGURES + 26)

static bool is_narrow(const struct report_options *options)
{
	return layout_columns(options) < NARROW;
}

struct shown { /* those shown */
	const struct percall *percall;
	const struct report_options *options;
	const struct percall_row **v;
	size_t n;
};

static size_t path_column(const struct report_options *options)
{
	return is_narrow(options) ? 2 : FIGURES;
}

static int fill(const void *arg, size_t i, struct path_text *path)
{
	const struct shown *shown = arg;

	const struct percall_row *row = shown->v[i];
	const struct function *all = shown->percall->pruned[0]->data->functions;
	char *caller;
	int bad;

	path->width =
		layout_columns(shown->options) - path_column(shown->options);
	if (!*row->site)
		return path_text_add_all(path, shown->percall->pruned[0]->data,
			row->path, row->length);
	if (asprintf(&caller, "%s:%s",
		    report_shown(&all[row->path[0]], shown->options),
		    row->site) < 0)
		return -1;
	bad = path_text_add(path, &all[row->path[0]], caller) ||
	      path_text_add(path, &all[row->path[1]], NULL);
	free(caller);
	return bad ? -1 : 0;
}

static void put_row(FILE *out, const struct percall *percall,
	const struct percall_row *row, const char *name,
	const struct report_options *options)
{
	const struct tree *cost = percall->pruned[0];
	char value[64], doubt[64], calls[64], share[64];
	bool narrow = is_narrow(options);

	layout_number(row->of[1].weight, calls, sizeof calls);
	fprintf(out, "%10s%c%*s%*s%*s%s",
		question_each(percall->pruned[0], percall_value(row), value,
			sizeof value),
		layout_mark(cost, &row->of[0]), narrow ? 8 : 9,
		put_doubt(percall, row, doubt, sizeof doubt), narrow ? 10 : 14,
		calls, 9,
		layout_kept(cost, row->of[0].weight, share, sizeof share),
		narrow ? "\n  " : "  ");
	path_put(out, name, path_column(options));
	fputc('\n', out);
}

static int put_rows(FILE *out, const struct percall *percall,
	const struct report_options *options)
{
	size_t n = shown_rows(percall, options);
	struct shown shown = {
		percall, options, calloc(n + 1, sizeof *shown.v), 0};
	struct path_table table = {
		.options = options, .fill = fill, .arg = &shown};
	int bad = shown.v ? 0 : -1;

	for (size_t i = 0; i < n && !bad; i++)
		if (!is_same_longer(percall, &percall->rows[i]))
			shown.v[shown.n++] = &percall->rows[i];
	table.n = shown.n;
	if (!bad)
		bad = path_table_init(&table);
	for (size_t i = 0; i < shown.n && !bad; i++)
		if (!options->line || options->line == i + 1)
			put_row(out, percall, shown.v[i], table.texts[i],
				options);
	if (!bad)
		path_table_note(out, &table);
	path_table_fini(&table);
	free(shown.v);
	return bad;
}

static void put_notes(FILE *out, const struct percall *percall,
	const struct report_options *options)
{
	size_t shown = shown_rows(percall, options), same = 0;
	const struct tree *cost = percall->pruned[0];
	bool unknown = false, few = false;

	for (size_t i = 0; i < shown; i++) {
		const struct percall_row *row = &percall->rows[i];

		same += is_same_longer(percall, row);
		unknown |= percall_value(row) < 0;
		few |= layout_mark(cost, &row->of[0]) != ' ';
	}
	layout_more(out, options, percall->n - shown, "path",
		options->in_shell ? "set top N" : "--top=N");
	if (same)
		layout_note(out, options,
			"%zu longer path%s, with the figures of a shorter one",
			same, same == 1 ? "" : "s");
	if (unknown)
		layout_note(out, options,
			"no call of that path was counted: it began before "
			"collecting did, or was lost");
	if (few)
		layout_few_note(out, options);
}

/* What is divided by what. */
static int put_title(FILE *out, const struct percall *percall)
{
	const struct cpd_resource *r = tree_resource(percall->pruned[0]);
	const struct cpd_resource *calls = tree_resource(percall->pruned[1]);
	const struct books *books = tree_books(percall->pruned[0]);
	uint64_t lost = percall_lost(percall);
	char amount[128];

	if (report_name(out, r->name))
		return -1;
	fputs(" per call of ", out);
	if (report_name(out, percall->function))
		return -1;
	if (percall_counts_all(percall))
		fputs(", every call counted", out);
	else if (calls->interval > 1 || !lost)
		fprintf(out, ", calls counted every %" PRIu64, calls->interval);
	if (lost)
		fprintf(out, "; %s of %s calls lost",
			layout_number(lost, amount, sizeof amount),
			strcmp(calls->name, PERCALL_ARCS) ? "its" : "all");
	if (books->loss[CPD_PROBES])
		fprintf(out, "; %s of [probes] are in no call",
			report_amount(r, books->loss[CPD_PROBES], amount,
				sizeof amount));
	fputc('\n', out);
	return 0;
}

/* What the calls have one by one. */
static void put_spread(FILE *out, const struct percall *percall)
{
	static const struct {
		const char *word;
		double part;
	} parts[] = {
		{"least", 0}, {"median", 0.5}, {"99 %", 0.99}, {"most", 1}};
	const struct cpd_resource *r = tree_resource(percall->pruned[0]);
	const struct spread *spread = &percall->spread;
	char figure[64];

	if (!percall->spread_known)
		return;
	if ((double)spread->placed <
		(double)r->interval * (double)spread->calls.n) {
		fprintf(out,
			"over the calls: not known, most have no sample; a "
			"smaller interval shows it\n");
		return;
	}
	fputs("over the calls: ", out);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		fprintf(out, "%s%s %s", i ? ", " : "", parts[i].word,
			question_each(percall->pruned[0],
				(double)spread_at(spread, parts[i].part),
				figure, sizeof figure));
	if (r->interval > 1)
		fprintf(out, "; in steps of %s",
			question_each(percall->pruned[0], (double)r->interval,
				figure, sizeof figure));
	fputc('\n', out);
}

int percall_text(FILE *out, const struct percall *percall,
	const struct report_options *options, struct err *err)
{
	struct layout_lines lines;
	FILE *title;
	int bad;

	if (report_filter_lines(out, percall->pruned[0], options, err))
		return -1;
	title = layout_lines_begin(&lines);
	if (!title)
		return -1;
	bad = put_title(title, percall);
	put_spread(title, percall);
	if (layout_lines_end(&lines, bad, out, layout_columns(options)))
		return -1;
	fprintf(out, "\n%s%10s %*s%*s%9s%s%s\n",
		options->color ? "\033[2m" : "", "per call",
		is_narrow(options) ? 8 : 9, "95 % +-",
		is_narrow(options) ? 10 : 14, "calls", "share",
		is_narrow(options) ? "" : "  call path",
		options->color ? "\033[0m" : "");
	if (put_rows(out, percall, options))
		return -1;
	put_notes(out, percall, options);
	return 0;
}

/* For programs. */

static json_t *names(const struct percall *percall,
	const struct percall_row *row, enum question_names what)
{
	return question_names(
		percall->pruned[0]->data, row->path, row->length, what);
}

static json_t *row_object(const void *of, size_t i)
{
	const struct percall *percall = of;
	const struct percall_row *row = &percall->rows[i];
	double value = percall_value(row);
	double doubt = percall_doubt(percall, row);
	bool known = value >= 0;
	uint64_t whole = percall->pruned[0]->whole.weight;
	json_t *object = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "path",
		names(percall, row, QUESTION_NAME), "modules",
		names(percall, row, QUESTION_MODULE), "weight",
		json_number(row->of[0].weight), "samples",
		json_number(row->of[0].samples), "calls",
		json_number(row->of[1].weight), "per_call",
		known ? json_real(value) : json_null(), "doubt",
		known && row->of[0].weight ? json_fraction(doubt) : json_null(),
		"fraction",
		json_fraction(
			whole ? (double)row->of[0].weight / (double)whole : 0));

	return percall->sites
		       ? json_with(object, json_pack("{s:o}", "site",
						   json_known_text(row->site)))
		       : object;
}

static json_t *spread_object(const struct percall *percall)
{
	const struct spread *spread = &percall->spread;

	return json_pack("{s:o,s:o,s:o,s:o,s:o}", "least",
		json_number(spread_at(spread, 0)), "median",
		json_number(spread_at(spread, 0.5)), "p99",
		json_number(spread_at(spread, 0.99)), "most",
		json_number(spread_at(spread, 1)), "step",
		json_number(tree_resource(percall->pruned[0])->interval));
}

int percall_data(FILE *out, const struct report_format *format,
	const struct percall *percall, double threshold,
	const struct report_options *options)
{
#define COLUMNS                                                                \
	"profile,\"resource\",\"path\",per_call:g6,doubt,calls,weight,"        \
	"samples,fraction,\"modules\""
	const struct rows rows = {
		percall->sites ? COLUMNS ",\"site\"" : COLUMNS,
		shown_rows(percall, options), row_object, percall, NULL, NULL};
	json_t *head = json_pack("{s:o,s:o,s:o,s:o,s:b,s:f,s:o}", "function",
		json_text(percall->function), "resource",
		json_text(tree_resource(percall->pruned[0])->name), "unit",
		json_text(tree_resource(percall->pruned[0])->gtick), "calls",
		json_text(tree_resource(percall->pruned[1])->name),
		"calls_exact", percall_counts_all(percall), "threshold",
		threshold, "filters",
		json_filters(percall->pruned[0]->view.filters));

	if (percall->spread_known)
		json_object_set_new(head, "spread", spread_object(percall));
	return format->write_rows(
		out, json_with(json_begin("percall"), head), &rows);
}
