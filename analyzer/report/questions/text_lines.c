/* text_lines.c - figures, names and ends of lines. */
#include "analyzer/report/questions/text_lines.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "lib/order.h"

#define TAB 8
#define RULE 53
#define NAME_MIN 8 /* columns of a name, however narrow the line */

size_t text_figure_width(const struct report_options *options)
{
	return layout_columns(options) < TEXT_NARROW ? 9 : 10;
}

bool text_figure(FILE *out, const struct tree *tree,
	const struct tree_sums *sums, const struct report_options *options)
{
	char mark = layout_mark(tree, sums), buf[128];
	const char *text =
		layout_figure(tree, sums->weight, options, buf, sizeof buf);

	layout_pad(out, layout_width(text), text_figure_width(options) - 1);
	fprintf(out, "%s%c", text, mark);
	return mark != ' ';
}

void text_no_figure(FILE *out, const struct report_options *options)
{
	fprintf(out, "%*s", (int)text_figure_width(options), "");
}

static int say_head(FILE *out, const char *what, const struct tree *tree)
{
	const struct cpd_resource *r = tree_resource(tree);
	char amount[128];

	fprintf(out, "%s of ", what);
	if (report_name(out, r->name))
		return -1;
	fprintf(out, ": %s in %" PRIu64 " sample%s\n",
		report_amount(r, tree->whole.weight, amount, sizeof amount),
		tree->whole.samples, tree->whole.samples == 1 ? "" : "s");
	return report_filters(out, tree, true);
}

int text_head(FILE *out, const char *what, const struct tree *tree,
	const struct report_options *options)
{
	struct layout_lines lines;

	return layout_lines_begin(&lines)
		       ? layout_lines_end(&lines,
				 say_head(lines.stream, what, tree), out,
				 layout_columns(options))
		       : -1;
}

void text_rule(FILE *out, const struct report_options *options)
{
	size_t n = layout_columns(options);

	for (n = n < RULE ? n : RULE; n > 0; n--)
		fputc('-', out);
	fputc('\n', out);
}

void text_bold(FILE *out, const struct report_options *options, bool on)
{
	if (options->color)
		fputs(on ? "\033[1m" : "\033[0m", out);
}

int text_function(FILE *out, const struct tree *tree, uint32_t function,
	size_t used, const struct report_options *options)
{
	struct text_line line;

	if (text_line_begin(&line))
		return -1;
	if (report_name(line.out,
		    report_shown(question_function(tree, function), options))) {
		text_line_drop(&line);
		return -1;
	}
	return text_line_end(&line, out, used, options);
}

int text_line_begin(struct text_line *line)
{
	*line = (struct text_line){0};
	line->out = open_memstream(&line->text, &line->size);
	return line->out ? 0 : -1;
}

int text_line_end(struct text_line *line, FILE *out, size_t used,
	const struct report_options *options)
{
	size_t columns = layout_columns(options);
	char *fit = NULL;

	if (fclose(line->out) == 0)
		fit = path_wrap(line->text,
			columns > used + NAME_MIN ? columns - used : NAME_MIN,
			options);
	if (fit) {
		path_put(out, fit, used);
		fputc('\n', out);
	}
	free(line->text);
	free(fit);
	return fit ? 0 : -1;
}

void text_line_drop(struct text_line *line)
{
	fclose(line->out);
	free(line->text);
}

/* Blanks up to the next tab stop. */
static char *expand_tabs(const char *text)
{
	size_t column = 0, n = 0;
	char *to;

	for (const char *s = text; *s; s++)
		n += *s == '\t' ? TAB : 1;
	to = malloc(n + 1);
	if (!to)
		return NULL;
	n = 0;
	for (; *text; text++) {
		size_t end = column + 1;

		if (*text == '\t')
			end = (column / TAB + 1) * TAB;
		else
			to[n] = *text;
		/* A byte within a character takes no column. */
		if ((*text & 0xc0) == 0x80)
			end = column;
		if (*text == '\t')
			memset(to + n, ' ', end - column);
		n += *text == '\t' ? end - column : 1;
		column = end;
	}
	to[n] = '\0';
	return to;
}

char *text_source(const char *text)
{
	char *plain = expand_tabs(text);
	char *escaped = plain ? report_escape(plain, "") : NULL;

	free(plain);
	return escaped;
}

static int compare_self(const void *a, const void *b)
{
	const struct callgraph_entry *x =
		*(const struct callgraph_entry *const *)a;
	const struct callgraph_entry *y =
		*(const struct callgraph_entry *const *)b;

	return ORDER(y->self.weight, x->self.weight) ?: ORDER(x, y);
}

const struct callgraph_entry **question_by_self(
	const struct callgraph *graph, double threshold, size_t *n)
{
	const struct callgraph_entry **order =
		calloc(graph->n + 1, sizeof *order);

	*n = 0;
	for (size_t i = 0; order && i < graph->n; i++)
		if (question_reaches(graph->tree, graph->entries[i].self.weight,
			    threshold))
			order[(*n)++] = &graph->entries[i];
	if (*n)
		qsort(order, *n, sizeof *order, compare_self);
	return order;
}
