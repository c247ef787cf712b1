/*
 * diff_text.c - a diff for people, and as comma-separated values.
 */
#include <math.h>
#include <stdlib.h>

#include "analyzer/report/csv_values.h"
#include "analyzer/report/diff.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "lib/text.h"

#define FIGURE_WIDTH 10 /* "+12.3 ms" */
#define FIGURES 4       /* before, after, change, of all */
#define NARROW 80       /* columns that hold the last two of them alone, */
#define TIGHT 60        /* and those that have a path on a line of its own */

static const struct cpd_resource *resource_of(const struct diff *diff)
{
	return tree_resource(diff->a.trees[0]);
}

const char *report_diff_verdict(enum diff_verdict verdict)
{
	static const char *const names[] = {[DIFF_SAME] = "same",
		[DIFF_EXACT] = "exact",
		[DIFF_REAL] = "real",
		[DIFF_NOISE] = "noise",
		[DIFF_UNSURE] = "unsure"};

	return names[verdict];
}

static bool is_single(const struct diff *diff)
{
	return diff->a.n == 1 && diff->b.n == 1;
}

/* A mean of few gticks is shown with a digit behind the point. */
static double shown(double gticks)
{
	return fabs(gticks) < 1000 ? round(gticks * 10) / 10 : round(gticks);
}

static char *amount(const struct cpd_resource *resource, double gticks,
	char *buf, size_t size)
{
	static const char *const ones[] = {
		[CPD_COUNT] = "", [CPD_BYTES] = " B", [CPD_USEC] = " us"};
	double few = shown(gticks);

	if (few == round(few))
		return layout_amount(resource, (uint64_t)few, buf, size);
	snprintf(buf, size, "%.1f%s", few, ones[resource->unit]);
	return buf;
}

/* Of two figures that are shown, so that it is what they differ by. */
static double change_of(const struct diff_figure *figure)
{
	return shown(figure->b) - shown(figure->a);
}

char *report_diff_change(const struct cpd_resource *resource, double gticks,
	char *buf, size_t size)
{
	char text[64];

	snprintf(buf, size, "%s%s",
		gticks > 0   ? "+"
		: gticks < 0 ? "-"
			     : "",
		amount(resource, fabs(gticks), text, sizeof text));
	return buf;
}

/* GTICKS in % of ALL, what side A took; a blank before it is in the column. */
static char *part_of(double all, double gticks, char *buf, size_t size)
{
	if (all > 0 && gticks >= 9999 * all)
		snprintf(buf, size, "%+.0e %%", 100 * gticks / all);
	else if (all > 0)
		snprintf(buf, size, "%+.*f %%", gticks >= 10 * all ? 0 : 1,
			100 * gticks / all);
	else
		snprintf(buf, size, "new");
	return buf;
}

static char *percent(
	const struct diff *diff, double gticks, char *buf, size_t size)
{
	return part_of(diff->total.a, gticks, buf, size);
}

static void put_side(FILE *out, const struct cpd_resource *r, const char *side,
	size_t n, double mean)
{
	char buf[64];

	fprintf(out, "%s %zu run%s: %s%s   ", side, n, n == 1 ? "" : "s",
		amount(r, mean, buf, sizeof buf), n == 1 ? "" : " a run");
}

/* "cpu   before 1 run: 1.23 s   after 1 run: 1.24 s   +10.0 ms, +0.8 %" */
static void put_means(FILE *out, const struct cpd_resource *r,
	const struct diff_figure *mean, size_t na, size_t nb)
{
	char change[64], part[64], name[64];

	fprintf(out, "%s   ", text_escape(r->name, name, sizeof name));
	put_side(out, r, "before", na, mean->a);
	put_side(out, r, "after", nb, mean->b);
	if (mean->verdict == DIFF_SAME)
		fprintf(out, "the same%s",
			na == 1 && nb == 1 ? "" : " in every run");
	else
		fprintf(out, "%s, %s",
			report_diff_change(
				r, change_of(mean), change, sizeof change),
			part_of(mean->a, mean->b - mean->a, part, sizeof part));
}

/* The means of a run, and whether they differ by more than noise. */
static void put_figure(FILE *out, const struct cpd_resource *r,
	const struct diff_figure *mean, size_t na, size_t nb)
{
	put_means(out, r, mean, na, nb);
	fputs(mean->verdict == DIFF_NOISE    ? ", within noise\n"
		: mean->verdict == DIFF_REAL ? ", more than noise\n"
					     : "\n",
		out);
}

int report_diff_wall(FILE *out, const struct cpd_resource *wall,
	const struct diff_figure *mean, size_t na, size_t nb,
	const struct report_options *options)
{
	struct layout_lines lines;

	if (!layout_lines_begin(&lines))
		return -1;
	put_figure(lines.stream, wall, mean, na, nb);
	return layout_lines_end(&lines, 0, out, layout_columns(options));
}

/* What the change may be, and what would have been seen in four of five
   comparisons. */
static void say_interval(FILE *out, const struct diff *diff)
{
	const struct cpd_resource *r = resource_of(diff);
	char lo[64], hi[64], least[64], part[64];

	fprintf(out, "the change is %s to %s, 95 %% sure for all %zu lines",
		report_diff_change(r, diff->total.lo, lo, sizeof lo),
		report_diff_change(r, diff->total.hi, hi, sizeof hi),
		diff->looked);
	if (diff->smallest > 0)
		fprintf(out, "; these runs can show one of %s (%s) or more",
			amount(r, diff->smallest, least, sizeof least),
			percent(diff, diff->smallest, part, sizeof part));
	fputc('\n', out);
}

static double threads(const struct diff_side *side)
{
	double sum = 0;

	for (size_t i = 0; i < side->n; i++)
		sum += dataset_threads_run(side->trees[i]->data);
	return sum / (double)side->n;
}

/* Time that all threads have at once, other numbers of threads have more of. */
static void say_threads(FILE *out, const struct diff *diff)
{
	double a = threads(&diff->a), b = threads(&diff->b);

	if (dataset_is_waiting(resource_of(diff)) && fabs(a - b) >= 0.5)
		fprintf(out,
			"each is the sum of its threads: %.0f before, %.0f "
			"after\n",
			a, b);
}

/* Writes the change of the total and how sure it is, in two lines. */
static void say_total(FILE *out, const struct diff *diff)
{
	const struct diff_figure *total = &diff->total;

	put_figure(out, resource_of(diff), total, diff->a.n, diff->b.n);
	say_threads(out, diff);
	switch (total->verdict) {
	case DIFF_SAME:
		break;
	case DIFF_EXACT:
		fputs("every event is counted, and the runs before repeat: the "
		      "change is exact\n",
			out);
		break;
	case DIFF_REAL:
	case DIFF_NOISE:
		say_interval(out, diff);
		break;
	default:
		fprintf(out, "one run a side: %s: give 3 a side\n",
			diff->counts ? "the count is exact, but runs vary"
			: total->lo <= 0 && total->hi >= 0
				? "within sampling error"
				: "beyond sampling error, but runs vary");
	}
}

static int put_total(FILE *out, const struct diff *diff,
	const struct report_options *options)
{
	struct layout_lines lines;

	if (!layout_lines_begin(&lines))
		return -1;
	say_total(lines.stream, diff);
	return layout_lines_end(&lines, 0, out, layout_columns(options));
}

static const char *name_of(const struct diff *diff, uint32_t f)
{
	return diff->functions[f].name;
}

/* Changed paths, or functions. */
struct changes {
	const struct diff *diff;
	const struct diff_entry *entries;
	size_t width; /* of a path's line */
};

static int fill(const void *arg, size_t at, struct path_text *text)
{
	const struct changes *c = arg;
	const struct diff_entry *entry = &c->entries[at];
	char *both;
	int bad = 0;

	text->width = c->width;
	for (uint32_t i = 0; !bad && i < entry->length; i++) {
		const struct diff_function *f =
			&c->diff->functions[entry->path[i]];

		if (!f->renamed) {
			bad = path_text_add(text, f->is, NULL);
		} else {
			bad = asprintf(
				&both, "%s -> %s", f->is->brief, f->renamed);
			if (bad >= 0) {
				bad = path_text_add(text, f->is, both);
				free(both);
			}
		}
	}
	return bad;
}

/* A ~ stands behind a change that is likely; with one run a side none is. */
static void put_entry(FILE *out, const struct diff *diff,
	const struct diff_figure *figure, bool narrow)
{
	const struct cpd_resource *r = resource_of(diff);
	char a[64], b[64], change[64], part[64];

	if (!narrow)
		fprintf(out, "%*s%*s", FIGURE_WIDTH,
			amount(r, figure->a, a, sizeof a), FIGURE_WIDTH,
			amount(r, figure->b, b, sizeof b));
	fprintf(out, "%*s%*s%c", FIGURE_WIDTH,
		report_diff_change(r, change_of(figure), change, sizeof change),
		FIGURE_WIDTH,
		percent(diff, figure->b - figure->a, part, sizeof part),
		figure->verdict == DIFF_UNSURE && !is_single(diff) ? '~' : ' ');
}

static void put_heads(FILE *out, const char *title, bool narrow, bool selves)
{
	fputc('\n', out);
	if (!narrow)
		fprintf(out, "%*s%*s", FIGURE_WIDTH, "before", FIGURE_WIDTH,
			"after");
	fprintf(out, "%*s%*s ", FIGURE_WIDTH, "change", FIGURE_WIDTH, "of all");
	if (selves)
		fprintf(out, "%*s", FIGURE_WIDTH, "self");
	fprintf(out, "  %s%s\n", title, narrow ? "" : ", with callees");
}

/* The changed paths, or the functions, which have a change of their own. */
static int put_entries(FILE *out, const struct diff *diff,
	const struct report_options *options, bool functions)
{
	const struct diff_entry *entries =
		functions ? diff->changed : diff->paths;
	size_t n = functions ? diff->nchanged : diff->npaths;
	size_t top = options->top && options->top < n ? options->top : n;
	size_t columns = layout_columns(options);
	bool narrow = columns < NARROW, selves = functions && !narrow;
	size_t used =
		columns < TIGHT
			? 2
			: (narrow ? 2 : FIGURES + selves) * FIGURE_WIDTH + 3;
	struct changes c = {diff, entries, columns - used};
	struct path_table table = {
		.options = options, .n = top, .fill = fill, .arg = &c};
	int bad = n ? path_table_init(&table) : 0;
	char self[64];

	if (n && !bad)
		put_heads(out, functions ? "function" : "call path", narrow,
			selves);
	for (size_t i = 0; i < top && !bad; i++) {
		put_entry(out, diff, &entries[i].figure, narrow);
		if (selves)
			fprintf(out, "%*s", FIGURE_WIDTH,
				report_diff_change(resource_of(diff),
					change_of(&entries[i].self), self,
					sizeof self));
		fputs(columns < TIGHT ? "\n  " : "  ", out);
		path_put(out, table.texts[i], used);
		fputc('\n', out);
	}
	if (!bad) {
		layout_more(out, options, n - top,
			functions ? "function" : "path", "--top=all");
		path_table_note(out, &table);
	}
	path_table_fini(&table);
	return bad;
}

/* Whether one of the first TOP changes, or of all if that is 0, is. */
static bool has_likely(const struct diff *diff, size_t top)
{
	for (size_t i = 0; i < diff->npaths && (!top || i < top); i++)
		if (diff->paths[i].figure.verdict == DIFF_UNSURE)
			return true;
	for (size_t i = 0; i < diff->nchanged && (!top || i < top); i++)
		if (diff->changed[i].figure.verdict == DIFF_UNSURE)
			return true;
	return false;
}

/* Of a process that ran already a run has what it did while it was watched. */
static void put_windows(FILE *out, const struct diff *diff,
	const struct report_options *options)
{
	const struct dataset *a = diff->a.trees[0]->data,
			     *b = diff->b.trees[0]->data;
	const struct cpd_resource us = {.unit = CPD_USEC};
	char before[64], after[64];

	if (diff->total.verdict == DIFF_SAME || !dataset_noted(a, "attached") ||
		!dataset_noted(b, "attached"))
		return;
	layout_note(out, options,
		"both were attached to, for %s and %s: compare shares, or how "
		"much work was done",
		layout_amount(&us, (a->end.time - a->head.start) / 1000, before,
			sizeof before),
		layout_amount(&us, (b->end.time - b->head.start) / 1000, after,
			sizeof after));
}

static void put_rest(FILE *out, const struct diff *diff,
	const struct report_options *options)
{
	fputc('\n', out);
	if (!diff->npaths && !diff->nchanged)
		layout_note(out, options,
			"no path and no function changed by more than noise; "
			"of one function alone: --contains=F");
	else if (diff->noise)
		layout_note(out, options,
			"%zu other path%s and function%s changed within noise.",
			diff->noise, diff->noise == 1 ? "" : "s",
			diff->noise == 1 ? "" : "s");
	if (!is_single(diff) && has_likely(diff, options->top))
		layout_note(out, options,
			"~ is likely, not sure: one in a comparison may be by "
			"chance; more runs tell");
}

int report_diff_text(FILE *out, const struct diff *diff,
	const struct report_options *options, struct err *err)
{
	if (put_total(out, diff, options) ||
		put_entries(out, diff, options, false) ||
		put_entries(out, diff, options, true))
		return err_memory(err, NULL, "report");
	put_windows(out, diff, options);
	put_rest(out, diff, options);
	return 0;
}

/* One line of CSV: names are joined with ";" and quoted. */
static int put_csv(FILE *out, const struct diff *diff, const char *kind,
	const struct diff_entry *entry)
{
	const struct diff_figure *figure = &entry->figure;

	fprintf(out, "%s,\"", kind);
	for (uint32_t i = 0; i < entry->length; i++)
		if (csv_text(out, i, name_of(diff, entry->path[i])))
			return -1;
	fprintf(out, "\",%.17g,%.17g,%.17g,%.17g,%.17g,%s,\"", figure->a,
		figure->b, figure->b - figure->a, figure->lo, figure->hi,
		report_diff_verdict(figure->verdict));
	if (csv_text(out, 0, resource_of(diff)->name))
		return -1;
	fputs("\",\"", out);
	for (uint32_t i = 0; i < entry->length; i++)
		if (csv_text(out, i, diff->functions[entry->path[i]].module))
			return -1;
	fputs("\"\n", out);
	return 0;
}

int report_diff_csv(FILE *out, const struct diff *diff,
	const struct report_options *options, struct err *err)
{
	struct diff_entry total = {.figure = diff->total};
	int bad = 0;

	(void)options;
	fputs("kind,path,before,after,change,low,high,verdict,"
	      "resource,modules\n",
		out);
	bad = put_csv(out, diff, "total", &total);
	for (size_t i = 0; !bad && i < diff->npaths; i++)
		bad = put_csv(out, diff, "path", &diff->paths[i]);
	for (size_t i = 0; !bad && i < diff->nchanged; i++)
		bad = put_csv(out, diff, "function", &diff->changed[i]);
	return bad ? err_memory(err, NULL, "report") : 0;
}
