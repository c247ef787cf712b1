/*
 * callgraph_text.c - the call graph and its cycles for people.
 *
 * As gprof has them: a flat profile, then a block for each function, its
 * callers above it and those it calls below.
 */
#include <inttypes.h>

#include "lib/text.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/questions/text_lines.h"

#define CALLS 12 /* columns of a number of calls, */
#define EACH 10  /* and of what one of them takes */

/* Of callers; callees have twice as much. */
static size_t indent_of(const struct report_options *options)
{
	return layout_columns(options) < TEXT_NARROW ? 1 : 4;
}

struct block {
	FILE *out;
	const struct tree *tree;
	const struct callgraph_choice *choice;
	const struct report_options *options;
	bool few;
};

static void put_figures(struct block *b, const struct tree_sums *self,
	const struct tree_sums *children)
{
	struct tree_sums all = callgraph_sum(*self, *children);

	b->few |= text_figure(b->out, b->tree, &all, b->options);
	b->few |= text_figure(b->out, b->tree, self, b->options);
	b->few |= text_figure(b->out, b->tree, children, b->options);
}

/* gprof's columns, where CALLS were counted that took ALL; returns their width.
 */
static size_t put_calls(struct block *b, uint64_t calls, uint64_t all)
{
	char text[32] = "", each[32] = "";

	if (!b->choice->arcs)
		return 0;
	if (calls == CALLGRAPH_IN_PART) {
		snprintf(text, sizeof text, "in part");
	} else if (calls) {
		text_gticks(calls, TEXT_COUNT, text, sizeof text);
		question_each(b->tree, (double)all / (double)calls, each,
			sizeof each);
	}
	fprintf(b->out, "%*s%*s", CALLS, text, EACH, each);
	return CALLS + EACH;
}

static int put_line(struct block *b, const struct tree_sums *self,
	const struct tree_sums *children, uint64_t calls, uint32_t function,
	size_t indent)
{
	size_t width = 3 * text_figure_width(b->options) + indent + 1;

	put_figures(b, self, children);
	width += put_calls(b, calls, question_weight(self, children));
	fprintf(b->out, "%*s", (int)indent + 1, "");
	return text_function(b->out, b->tree, function, width, b->options);
}

/* Writes the sum of the arcs under the threshold. */
static int put_more(struct block *b, size_t n, const struct tree_sums *self,
	const struct tree_sums *children, size_t indent)
{
	size_t used = 3 * text_figure_width(b->options) + indent + 1;
	struct text_line line;

	if (!n)
		return 0;
	if (text_line_begin(&line))
		return -1;
	put_figures(b, self, children);
	used += put_calls(b, 0, 0);
	fprintf(b->out, "%*s", (int)indent + 1, "");
	fprintf(line.out, "%zu more function%s", n, n == 1 ? "" : "s");
	return text_line_end(&line, b->out, used, b->options);
}

static uint64_t arc_calls(
	const struct block *b, const struct callgraph_arc *arc)
{
	const struct callgraph *arcs = b->choice->arcs;

	return arcs ? callgraph_arc_calls(arcs, arc->from, arc->to) : 0;
}

/* Writes the callers with CALLERS, else the callees. */
static int put_arcs(
	struct block *b, const struct callgraph_entry *entry, bool callers)
{
	const struct callgraph_arc *const *arcs =
		callers ? entry->callers : entry->callees;
	size_t n = callers ? entry->ncallers : entry->ncallees, more = 0;
	size_t indent = indent_of(b->options) * (callers ? 1 : 2);
	struct tree_sums rest_self = {0}, rest_children = {0};

	for (size_t i = 0; i < n; i++) {
		const struct callgraph_arc *arc = arcs[i];
		const struct tree_sums *self =
			callers ? &arc->in_self : &arc->out_self;
		const struct tree_sums *children =
			callers ? &arc->in_children : &arc->out_children;

		if (!question_reaches(b->tree, question_weight(self, children),
			    b->choice->threshold)) {
			rest_self = callgraph_sum(rest_self, *self);
			rest_children = callgraph_sum(rest_children, *children);
			more++;
		} else if (put_line(b, self, children, arc_calls(b, arc),
				   callers ? arc->from : arc->to, indent)) {
			return -1;
		}
	}
	return put_more(b, more, &rest_self, &rest_children, indent);
}

static int put_entry(struct block *b, const struct callgraph_entry *entry)
{
	const struct callgraph *arcs = b->choice->arcs;

	text_rule(b->out, b->options);
	if (put_arcs(b, entry, true))
		return -1;
	text_bold(b->out, b->options, true);
	if (put_line(b, &entry->self, &entry->children,
		    arcs ? callgraph_calls(arcs, entry->function) : 0,
		    entry->function, 0))
		return -1;
	text_bold(b->out, b->options, false);
	return put_arcs(b, entry, false);
}

static void put_titles(FILE *out, const struct report_options *options,
	const char *first, const char *second, const char *third, bool calls,
	const char *names)
{
	int width = (int)text_figure_width(options);

	fprintf(out, "%*s%*s%*s", width, first, width, second, width, third);
	if (calls)
		fprintf(out, "%*s%*s", CALLS, "calls", EACH, "each");
	fprintf(out, "%*s%s\n", width == 9 ? 2 : 3, "", names);
}

/* gprof's first table: by self, with a running sum. */
static int put_flat(struct block *b, const struct callgraph *graph)
{
	const struct callgraph_entry **order;
	struct tree_sums sum = {0};
	size_t n;
	int status = 0;

	order = question_by_self(graph, b->choice->threshold, &n);
	if (!order)
		return -1;
	put_titles(
		b->out, b->options, "self", "sum", "total", false, "function");
	for (size_t i = 0; i < n && !status; i++) {
		const struct callgraph_entry *e = order[i];
		struct tree_sums all = callgraph_sum(e->self, e->children);

		sum = callgraph_sum(sum, e->self);
		b->few |= text_figure(b->out, b->tree, &e->self, b->options);
		text_figure(b->out, b->tree, &sum, b->options);
		b->few |= text_figure(b->out, b->tree, &all, b->options);
		fputc(' ', b->out);
		status = text_function(b->out, b->tree, e->function,
			3 * text_figure_width(b->options) + 1, b->options);
	}
	free(order);
	fputc('\n', b->out);
	return status;
}

int callgraph_text(FILE *out, const struct callgraph *graph,
	const struct callgraph_choice *choice,
	const struct report_options *options)
{
	struct block b = {out, graph->tree, choice, options, false};

	if (text_head(out, "Call graph", graph->tree, options))
		return -1;
	if (!choice->nroots && put_flat(&b, graph))
		return -1;
	put_titles(out, options, "total", "self", "children",
		choice->arcs != NULL,
		layout_columns(options) < TEXT_NARROW
			? "name"
			: "callers, function, callees");
	for (size_t i = 0; i < graph->n; i++)
		if (question_chosen(graph, choice, &graph->entries[i]) &&
			put_entry(&b, &graph->entries[i]))
			return -1;
	text_rule(out, options);
	if (b.few)
		layout_few_note(out, options);
	return 0;
}

/* "P > Q > P": the first is named again; behind USED columns. */
static int put_cycle(FILE *out, const struct tree *tree,
	const struct cycle *cycle, size_t used,
	const struct report_options *options)
{
	struct path_text path = {.options = options,
		.width = layout_columns(options) - used,
		.unfolded = true};
	char *text;

	for (uint32_t i = 0; i <= cycle->length; i++)
		if (path_text_add(&path,
			    question_function(
				    tree, cycle->functions[i % cycle->length]),
			    NULL)) {
			path_text_drop(&path);
			return -1;
		}
	text = path_text_end(&path);
	if (!text)
		return -1;
	path_put(out, text, used);
	fputc('\n', out);
	free(text);
	return 0;
}

int cycles_text(FILE *out, const struct cycles *cycles, double threshold,
	const struct report_options *options)
{
	const struct tree *tree = cycles->tree;
	size_t shown = 0;
	bool few = false;

	if (text_head(out, "Cycles of calls", tree, options))
		return -1;
	if (cycles->n)
		fprintf(out, "%*s   rounds  cycle\n",
			(int)text_figure_width(options), "total");
	for (size_t i = 0; i < cycles->n; i++) {
		const struct cycle *cycle = &cycles->v[i];

		if (!question_reaches(tree, cycle->sums.weight, threshold))
			continue;
		few |= text_figure(out, tree, &cycle->sums, options);
		fprintf(out, " %7" PRIu32 "  ", cycle->rounds);
		if (put_cycle(out, tree, cycle, text_figure_width(options) + 11,
			    options))
			return -1;
		shown++;
	}
	if (!cycles->n)
		layout_note(out, options,
			"no function calls itself, directly or by way of "
			"others, in any sample");
	else if (shown < cycles->n)
		layout_note(out, options,
			"%zu more cycle%s under the threshold of %g",
			cycles->n - shown, cycles->n - shown == 1 ? "" : "s",
			threshold);
	if (few)
		layout_few_note(out, options);
	return 0;
}
