/*
 * function_table.c - functions with total and self side by side.
 *
 * What is not listed has a line at the end, so that self adds up to all.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/profile/function_figures.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/report_private.h"
#include "lib/order.h"
#include "lib/text.h"

#define BAR 10          /* columns of a full bar */
#define BAR_COLUMNS 100 /* lines at least as wide have one */
#define WIDE 60         /* lines at least as wide have blanks to spare */
#define PLACE_MIN 12    /* columns for where a function is */
#define NAME_MIN 12     /* with fewer a name has a line of its own, */
#define NAME_BELOW 4    /* which begins so */

struct table {
	FILE *out;
	const struct profile *profile;
	const struct tree *tree;
	const struct report_options *options;
	struct function_figure *rows; /* in the order shown */
	size_t nrows, by_total; /* the first of them: the heaviest by total, in
				   a summary before those by self */
	struct tree_sums folded, rest; /* self */
	uint64_t nfolded, nrest;
	size_t figure; /* widths */
	size_t name, place;
	size_t lead;     /* blanks before a figure */
	size_t interval; /* columns of one, and the blanks around it */
	bool bars, kept, intervals, few;
	bool below; /* names have lines of their own */
};

/* Which functions are listed. */

static const struct function *function(
	const struct table *t, const struct function_figure *row)
{
	return &t->tree->data->functions[row->function];
}

static bool wanted(const struct table *t, const struct function_figure *f)
{
	uint64_t weight = t->profile->kind == PROFILE_BODY ? f->self.weight
							   : f->total.weight;

	return weight > 0 && (double)weight >= tree_cutoff(t->profile->tree,
						       t->profile->threshold);
}

/* What only calls, or starts the program and its threads. */
static bool is_folded(const struct table *t, const struct function_figure *f)
{
	return !t->options->no_fold && t->tree->view.group == GROUP_FUNCTION &&
	       (f->wrapper || (path_is_start(function(t, f)) &&
				      !(path_hands_over(function(t, f)) &&
					      f->self.weight)));
}

static bool is_listed(const struct table *t, const struct function_figure *f)
{
	return wanted(t, f) && !is_folded(t, f);
}

static int compare_selves(const void *a, const void *b)
{
	const struct function_figure *const *x = a, *const *y = b;

	if (!*x || !*y) /* those that have a row are last */
		return ORDER(!*x, !*y);
	return ORDER((*y)->self.weight, (*x)->self.weight) ?: ORDER(*x, *y);
}

/* Gives up to MOST functions more a row of their own, in the given ORDER;
   BY_SELF: such as have a share of their own. */
static void add_rows(struct table *t, const struct function_figure **order,
	size_t n, size_t most, bool by_self)
{
	for (size_t i = 0; i < n && most; i++) {
		const struct function_figure *f = order[i];

		if (!f || !is_listed(t, f) || (by_self && !f->self.weight))
			continue;
		t->rows[t->nrows++] = *f;
		order[i] = NULL;
		most--;
	}
}

/*
 * A summary has few rows.  The last third of them is for the functions that are
 * the heaviest by themselves among the others: these may lie below many that
 * only call.  Returns how many rows come before.
 */
static size_t rows_by_total(
	const struct table *t, const struct function_figures *figures)
{
	size_t top = t->options->top, first = top - top / 3, n = 0, selves = 0;

	for (size_t i = 0; i < figures->n; i++)
		if (is_listed(t, &figures->v[i]) && ++n > first)
			selves += figures->v[i].self.weight > 0;
	if (!t->options->inside || !top || n <= top)
		return top ? top : n;
	return selves < top - first ? top - selves : first;
}

/* Makes the rows, and the sums of those left out. */
static int choose(struct table *t, const struct function_figures *figures)
{
	const struct function_figure **order =
		calloc(figures->n + 1, sizeof *order);
	size_t n = figures->n, top = t->options->top;

	t->rows = calloc(n + 1, sizeof *t->rows);
	if (!order || !t->rows) {
		free(order);
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		order[i] = &figures->v[i];
	if (t->profile->kind == PROFILE_BODY)
		qsort(order, n, sizeof *order, compare_selves);
	add_rows(t, order, n, rows_by_total(t, figures), false);
	t->by_total = t->nrows;
	if (t->nrows < top) {
		qsort(order, n, sizeof *order, compare_selves);
		add_rows(t, order, n, top - t->nrows, true);
	}
	for (size_t i = 0; i < n; i++) {
		bool folded = order[i] && wanted(t, order[i]) &&
			      is_folded(t, order[i]);

		if (!order[i])
			continue;
		tree_sums_add(folded ? &t->folded : &t->rest, &order[i]->self);
		*(folded ? &t->nfolded : &t->nrest) += 1;
	}
	free(order);
	return 0;
}

/* Columns. */

/* "git+0x82d60" tells its module. */
static bool is_nameless(const struct function *f)
{
	size_t n = strlen(f->module);

	return n && !strncmp(f->shown, f->module, n) &&
	       !strncmp(f->shown + n, "+0x", 3);
}

/* Where a function is: "longobject.c:212", or its module. */
static char *place(const struct table *t, const struct function_figure *row)
{
	const struct function *f = function(t, row);
	char *joined, *escaped;

	if (is_nameless(f))
		return strdup("");
	if (!*f->file)
		return report_escape(f->module, "");
	if (asprintf(&joined, f->line ? "%s:%" PRIu32 : "%s",
		    text_base_name(f->file), f->line) < 0)
		return NULL;
	escaped = report_escape(joined, "");
	free(joined);
	return escaped;
}

static void widen(size_t *width, size_t to)
{
	if (to > *width)
		*width = to;
}

static void widen_figure(struct table *t, uint64_t weight)
{
	char buf[128];

	widen(&t->figure, layout_width(layout_figure(t->tree, weight,
				  t->options, buf, sizeof buf)));
}

/* The width of the columns before the names. */
static size_t before_names(const struct table *t)
{
	return 2 * (t->figure + t->lead + 1) + (t->kept ? 10 : 0) +
	       (t->intervals ? t->interval : 0) + (t->bars ? BAR + 2 : 0) + 1;
}

static int measure(struct table *t)
{
	size_t columns = layout_columns(t->options), names = 8, places = 0;
	size_t room;

	t->figure = strlen("100.0 %");
	t->lead = columns < WIDE ? 1 : 2;
	t->interval = columns < WIDE ? 15 : 16;
	widen_figure(t, t->rest.weight);
	for (size_t i = 0; i < t->nrows; i++) {
		char *name = report_escape(
			report_shown(function(t, &t->rows[i]), t->options), "");
		char *where = place(t, &t->rows[i]);

		if (name && where) {
			widen(&names, layout_width(name));
			widen(&places, layout_width(where));
			widen_figure(t, t->rows[i].total.weight);
			widen_figure(t, t->rows[i].self.weight);
		}
		free(name);
		free(where);
		if (!name || !where)
			return -1;
	}
	t->kept = report_has_filters(t->tree);
	t->intervals = t->options->intervals && !profile_of_all(t->tree);
	t->bars = t->options->bars && columns >= BAR_COLUMNS;
	if (before_names(t) > columns)
		t->kept = false;
	room = columns > before_names(t) ? columns - before_names(t) : 0;
	t->below = names > room && room < NAME_MIN;
	if (t->below) {
		t->name = columns - NAME_BELOW;
		return 0;
	}
	t->place = places;
	if (names + 2 + places > room && !t->options->whole) {
		t->place = names + 2 < room ? room - names - 2 : 0;
		widen(&t->place, room / 3);
		t->place = t->place < PLACE_MIN ? 0
			   : places < t->place  ? places
						: t->place;
	}
	room -= t->place ? t->place + 2 : 0;
	t->name = names < room ? names : room;
	return 0;
}

/* Lines. */

static void put_figure(struct table *t, const struct tree_sums *sums)
{
	char buf[128], mark = layout_mark(t->tree, sums);
	const char *text = layout_figure(
		t->tree, sums->weight, t->options, buf, sizeof buf);

	layout_pad(t->out, layout_width(text), t->figure + t->lead);
	fprintf(t->out, "%s%c", text, mark);
	t->few |= mark != ' ';
}

static void put_interval(struct table *t, const struct tree_sums *total)
{
	struct profile_entry entry = {.weight = total->weight,
		.hits = total->hits,
		.samples = total->samples};
	double lo, hi;
	char buf[64];

	profile_interval(t->profile, &entry, &lo, &hi);
	snprintf(buf, sizeof buf, "%.1f..%.1f %%", 100 * lo, 100 * hi);
	layout_pad(t->out, layout_width(buf), t->interval - 1);
	fprintf(t->out, "%s ", buf);
}

static void put_bar(struct table *t, uint64_t weight)
{
	uint64_t all = t->tree->whole.weight;
	int n = all ? (int)(BAR * (double)weight / (double)all + 0.5) : 0;

	fprintf(t->out, " %-*.*s ", BAR, n, "##########");
}

/* Total and self. */
static void put_both(struct table *t, const struct function_figure *row)
{
	if (row->total.weight) {
		put_figure(t, &row->total);
	} else { /* of many functions totals do not add up */
		layout_pad(t->out, 0, t->figure + t->lead + 1);
	}
	put_figure(t, &row->self);
}

static void put_figures(struct table *t, const struct function_figure *row)
{
	char buf[64];

	put_both(t, row);
	if (t->kept && row->total.weight)
		fprintf(t->out, "%9s ",
			layout_kept(
				t->tree, row->total.weight, buf, sizeof buf));
	else if (t->kept)
		layout_pad(t->out, 0, 10);
	if (t->intervals && row->total.weight)
		put_interval(t, &row->total);
	else if (t->intervals)
		layout_pad(t->out, 0, t->interval);
	if (t->bars)
		put_bar(t, row->total.weight);
	fputc(' ', t->out);
}

/* A row's name is a path of one step. */
static int fill_name(const void *arg, size_t i, struct path_text *path)
{
	const struct table *t = arg;

	path->width = t->name;
	return path_text_add(path, function(t, &t->rows[i]), NULL);
}

/* The place stands beside the NAME. */
static int put_row(
	struct table *t, const struct function_figure *row, const char *name)
{
	size_t used = t->below ? NAME_BELOW : before_names(t);
	char *where = t->place ? place(t, row) : strdup("");
	char *fit = strdup(name), *below = NULL;
	int status = -1;

	if (where)
		below = path_wrap(where, t->place, t->options);
	if (fit && below) {
		struct layout_cell cells[] = {
			{fit, used, false}, {below, used + t->name + 2, false}};

		put_figures(t, row);
		if (t->below)
			fprintf(t->out, "\n%*s", NAME_BELOW, "");
		layout_cells(t->out, cells, 2, used);
		status = 0;
	}
	free(where);
	free(fit);
	free(below);
	return status;
}

/*
 * Writes the line of functions without rows.  In narrow lines the text begins
 * in the empty columns before those of names.
 */
static void put_sum(struct table *t, const struct tree_sums *self, char *text,
	const char *way_out)
{
	struct function_figure row = {.self = *self};
	size_t columns = layout_columns(t->options), used = before_names(t);
	char *fit;

	if (columns >= WIDE) {
		put_figures(t, &row);
	} else {
		used = 2 * (t->figure + t->lead + 1) + 1;
		put_both(t, &row);
		fputc(' ', t->out);
	}
	if (used + layout_width(text) > columns)
		text[strlen(text) - strlen(way_out)] = '\0';
	fit = path_wrap(
		text, columns > used + 8 ? columns - used : 8, t->options);
	path_put(t->out, fit ? fit : "", used);
	free(fit);
	fputc('\n', t->out);
}

/* What has no row, in one line where there is room. */
static void put_sums(struct table *t)
{
	const char *way_out =
		t->options->in_shell ? " (fold off)" : " (--no-fold)";
	char rest[64], folded[64], number[32], text[160];
	bool both = t->nrest && t->nfolded;
	const char *what = report_entry(t->tree);

	snprintf(rest, sizeof rest, "%s more %s%s",
		layout_number(t->nrest, number, sizeof number), what,
		text_plural(what, t->nrest));
	snprintf(folded, sizeof folded, "%s wrapper%s%s",
		layout_number(t->nfolded, number, sizeof number),
		t->nfolded == 1 ? "" : "s", way_out);
	snprintf(text, sizeof text, "%s, %s", rest, folded);
	if (both && layout_columns(t->options) >= WIDE) {
		tree_sums_add(&t->rest, &t->folded);
		put_sum(t, &t->rest, text, way_out);
		return;
	}
	if (t->nfolded)
		put_sum(t, &t->folded, folded, way_out);
	if (t->nrest)
		put_sum(t, &t->rest, rest, "");
}

static void put_head(struct table *t)
{
	const char *dim = t->options->color ? "\033[2m" : "";
	size_t columns = layout_columns(t->options);
	const char *what = report_entry(t->profile->tree);
	size_t begin = t->below ? NAME_BELOW : before_names(t);

	fputs(dim, t->out);
	layout_pad(t->out, strlen("total"), t->figure + t->lead);
	fputs("total ", t->out);
	layout_pad(t->out, strlen("self"), t->figure + t->lead);
	fputs("self ", t->out);
	if (t->kept)
		fputs("  of kept ", t->out);
	if (t->intervals)
		fprintf(t->out, "%*s", (int)t->interval, "95 % interval");
	if (t->bars)
		layout_pad(t->out, 0, BAR + 2);
	fprintf(t->out, t->below ? "\n%*s%s%s%s\n" : "%*s%s%s%s\n",
		t->below ? NAME_BELOW : 1, "",
		begin + strlen(what) > columns ? "name" : what,
		t->by_total < t->nrows ? ", by total" : "",
		t->options->color ? "\033[0m" : "");
}

static void put_second_head(const struct table *t)
{
	fprintf(t->out, "%s%*sothers, top by self%s\n",
		t->options->color ? "\033[2m" : "",
		t->below ? NAME_BELOW : (int)before_names(t), "",
		t->options->color ? "\033[0m" : "");
}

static int put_rows(struct table *t, struct err *err)
{
	struct path_table names = {.options = t->options,
		.n = t->nrows,
		.fill = fill_name,
		.arg = t};
	int status =
		path_table_init(&names) ? err_memory(err, NULL, "report") : 0;

	if (!status)
		put_head(t);
	for (size_t i = 0; i < t->nrows && !status; i++) {
		status = work_step(
			t->tree->view.work, "writing", i, t->nrows, err);
		if (!status && i && i == t->by_total)
			put_second_head(t);
		if (!status && put_row(t, &t->rows[i], names.texts[i]))
			status = err_memory(err, NULL, "report");
	}
	path_table_fini(&names);
	if (status)
		return -1;
	put_sums(t);
	if (t->few)
		layout_few_note(t->out, t->options);
	return 0;
}

int report_function_table(FILE *out, const struct profile *profile,
	const struct report_options *options, struct err *err)
{
	struct table t = {.out = out,
		.profile = profile,
		.tree = profile->tree,
		.options = options};
	struct function_figures figures;
	int status = function_figures_init(&figures, profile->tree,
		profile->kind == PROFILE_FUNCTION ? FIGURES_BELOW
						  : FIGURES_LISTED,
		profile->threshold, err);

	if (status)
		return -1;
	if (choose(&t, &figures) || measure(&t))
		status = err_memory(err, NULL, "report");
	else
		status = put_rows(&t, err);
	free(t.rows);
	function_figures_fini(&figures);
	return status;
}
