/*
 * pages.c - which pages faulted how often, by what the memory is.
 */
#include <inttypes.h>

#include "analyzer/report/json_values.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/questions/text_lines.h"
#include "analyzer/report/rows.h"
#include "lib/arch/arch.h"

#define FIGURES 42 /* columns of them all */
#define NARROW (FIGURES + 26)

/* The columns before a name: in narrow lines it has one of its own. */
static size_t begin(const struct report_options *options, size_t indent)
{
	return layout_columns(options) < NARROW ? indent : FIGURES + indent - 2;
}

/* Goes on to a name, from where the FIGURES end. */
static void put_gap(FILE *out, const struct report_options *options,
	size_t figures, size_t indent)
{
	size_t column = begin(options, indent);

	if (column < figures) {
		fputc('\n', out);
		figures = 0;
	}
	layout_pad(out, figures, column);
}

static bool reaches(const struct pages *pages, const struct page_range *range,
	double threshold)
{
	return question_reaches(pages->tree, range->sums.weight, threshold);
}

/* Text. */

static int put_title(FILE *out, const struct pages *pages,
	const struct report_options *options)
{
	const struct cpd_resource *r = tree_resource(pages->tree);
	char buf[64];

	if (report_name(out, r->name))
		return -1;
	fprintf(out, ": %s%s\n",
		layout_amount(
			r, tree_total(pages->tree, 0)->weight, buf, sizeof buf),
		pages->exact ? ", each sampled" : "");
	fprintf(out, "\n%s%10s%10s%10s%10s%s%s\n",
		options->color ? "\033[2m" : "", "faults", "share", "pages",
		"again",
		begin(options, 2) < FIGURES ? "" : "  memory, ranges of it",
		options->color ? "\033[0m" : "");
	return 0;
}

static void put_figures(
	FILE *out, const struct pages *pages, const struct tree_sums *sums)
{
	char amount[64], share[64];

	fprintf(out, "%10s%10s",
		layout_amount(tree_resource(pages->tree), sums->weight, amount,
			sizeof amount),
		layout_kept(pages->tree, sums->weight, share, sizeof share));
}

static int put_range(FILE *out, const struct pages *pages,
	const struct page_range *range, const struct report_options *options)
{
	const struct dataset *data = pages->tree->data;
	const struct cpd_process *process = &data->processes[range->process];
	uint64_t times = range->sums.samples / range->n;
	struct text_line line;

	if (text_line_begin(&line))
		return -1;
	fprintf(line.out, "%" PRIx64 "-%" PRIx64 ": %" PRIu64 "%s, ",
		range->number * PAGE_BYTES,
		(range->number + range->n) * PAGE_BYTES, range->n,
		range->n == 1 ? " page" : " pages");
	if (times == 1)
		fputs("once", line.out);
	else
		fprintf(line.out, "%" PRIu64 " times", times);
	if (range->n > 1)
		fputs(" each", line.out);
	if (data->nprocesses > 1) {
		fputs(", ", line.out);
		if (report_name(line.out, process->name)) {
			text_line_drop(&line);
			return -1;
		}
		fprintf(line.out, " %d", process->pid);
	}
	put_figures(out, pages, &range->sums);
	put_gap(out, options, 20, 4);
	return text_line_end(&line, out, begin(options, 4), options);
}

static int put_memory(FILE *out, const struct pages *pages,
	const struct page_memory *memory, double threshold,
	const struct report_options *options)
{
	char first[64], again[64];
	size_t n = 0;

	put_figures(out, pages, &memory->sums);
	fprintf(out, "%10s%10s",
		layout_number(memory->pages, first, sizeof first),
		layout_number(memory->sums.samples - memory->pages, again,
			sizeof again));
	put_gap(out, options, 40, 2);
	if (text_function(out, pages->tree, memory->function, begin(options, 2),
		    options))
		return -1;
	for (; n < memory->n; n++) {
		const struct page_range *range =
			&pages->ranges.v[memory->first + n];

		if (!reaches(pages, range, threshold))
			break;
		if (put_range(out, pages, range, options))
			return -1;
	}
	if (n < memory->n)
		fprintf(out, "%*s%zu more range%s\n", (int)begin(options, 4),
			"", memory->n - n, memory->n - n == 1 ? "" : "s");
	return 0;
}

static void put_notes(FILE *out, const struct pages *pages, size_t more,
	const struct report_options *options)
{
	const struct cpd_resource *r = tree_resource(pages->tree);
	char buf[64];

	layout_more(out, options, more, "piece",
		options->in_shell ? "pages 0, set top all"
				  : "--threshold=0, --top=all");
	if (pages->elsewhere)
		layout_note(out, options, "%s at no page",
			layout_amount(r, pages->elsewhere, buf, sizeof buf));
	if (!pages->exact)
		layout_note(out, options,
			"not each fault is sampled: pages and again are of "
			"the samples, at least so many");
}

int pages_text(FILE *out, const struct pages *pages, double threshold,
	const struct report_options *options, struct err *err)
{
	size_t n = pages->memories.n, top = options->top ? options->top : n;
	size_t shown = 0;

	if (report_filter_lines(out, pages->tree, options, err) ||
		put_title(out, pages, options))
		return -1;
	for (; shown < n && shown < top; shown++) {
		const struct page_memory *memory = &pages->memories.v[shown];

		if (!question_reaches(
			    pages->tree, memory->sums.weight, threshold))
			break;
		if (put_memory(out, pages, memory, threshold, options))
			return -1;
	}
	put_notes(out, pages, n - shown, options);
	return 0;
}

/* For programs. */

struct reaching_pages {
	const struct pages *pages;
	double threshold;
};

static json_t *range_object(
	const struct pages *pages, const struct page_range *range)
{
	const struct cpd_process *process =
		&pages->tree->data->processes[range->process];

	return json_pack("{s:o,s:i,s:o,s:o,s:o,s:o,s:o,s:o}", "process",
		json_text(process->name), "pid", process->pid, "from",
		json_number(range->number * PAGE_BYTES), "pages",
		json_number(range->n), "times",
		json_number(range->sums.samples / range->n), "weight",
		json_number(range->sums.weight), "samples",
		json_number(range->sums.samples), "fraction",
		json_fraction(
			question_fraction(pages->tree, range->sums.weight)));
}

static json_t *memory_object(const void *of, size_t i)
{
	const struct reaching_pages *reaching = of;
	const struct pages *pages = reaching->pages;
	const struct page_memory *memory = &pages->memories.v[i];
	const struct page_range *ranges = pages->ranges.v + memory->first;
	json_t *list;

	if (!question_reaches(
		    pages->tree, memory->sums.weight, reaching->threshold))
		return json_null();
	list = json_array();
	for (size_t k = 0; k < memory->n &&
			   reaches(pages, &ranges[k], reaching->threshold);
		k++)
		json_add(&list, range_object(pages, &ranges[k]));
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "memory",
		json_text(
			question_function(pages->tree, memory->function)->name),
		"weight", json_number(memory->sums.weight), "samples",
		json_number(memory->sums.samples), "fraction",
		json_fraction(
			question_fraction(pages->tree, memory->sums.weight)),
		"first", json_number(memory->pages), "again",
		json_number(memory->sums.samples - memory->pages), "ranges",
		list);
}

static json_t *ranges_of(json_t *entry)
{
	return json_incref(json_object_get(entry, "ranges"));
}

int pages_data(FILE *out, const struct report_format *format,
	const struct pages *pages, double threshold,
	const struct report_options *options)
{
	const struct reaching_pages reaching = {pages, threshold};
	size_t n = pages->memories.n;
	const struct rows rows = {
		"profile,\"resource\",\"memory\",\"process\",pid,from,pages,"
		"times,weight,samples,fraction",
		options->top && options->top < n ? options->top : n,
		memory_object, &reaching, ranges_of, NULL};

	return format->write_rows(out,
		json_with(json_head(pages->tree, "pages", threshold),
			json_pack("{s:b}", "exact", pages->exact)),
		&rows);
}
