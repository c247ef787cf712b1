/*
 * lines_text.c - source lines and instructions for people.
 *
 * Only what is near a figure is shown.  A gap is a line of dots.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/questions/text_lines.h"
#include "lib/text.h"

#define ROOM_MIN 8 /* columns of a line of source, however narrow */

struct lines_table {
	FILE *out;
	const struct tree *tree;
	const struct report_options *options;
	bool all;
	bool few;
	int digits; /* of line numbers or addresses */
};

/* Lines of source are broken only where a width is known. */
static struct report_options width(const struct report_options *options)
{
	struct report_options wide = *options;

	if (options->whole)
		wide.columns = 4096;
	return wide;
}

static void put_figures(struct lines_table *l, const struct tree_sums *total,
	const struct tree_sums *self)
{
	if (total->weight)
		l->few |= text_figure(l->out, l->tree, total, l->options);
	else
		text_no_figure(l->out, l->options);
	if (self->weight)
		l->few |= text_figure(l->out, l->tree, self, l->options);
	else
		text_no_figure(l->out, l->options);
}

static void put_titles(struct lines_table *l, const char *third)
{
	int width = (int)text_figure_width(l->options);

	fprintf(l->out, "%*s%*s   %s\n", width, "total", width, "self", third);
}

static bool is_narrow(const struct lines_table *l)
{
	return layout_columns(l->options) < TEXT_NARROW;
}

/* The columns of figures and a number. */
static size_t used(const struct lines_table *l)
{
	return 2 * text_figure_width(l->options) + 1 + (size_t)l->digits;
}

/*
 * Ends the line, COLUMNS of which are written, with TEXT, which goes on below
 * itself where there is no room.
 */
static int put_rest(struct lines_table *l, const char *text, size_t columns)
{
	size_t all = layout_columns(l->options), room = ROOM_MIN;
	char *plain = text_source(text), *fit = NULL;
	int status = -1;

	columns += strlen("  ");
	if (all > columns + room)
		room = all - columns;
	if (plain)
		fit = path_wrap(plain, room, l->options);
	if (fit) {
		fputs(*fit ? "  " : "", l->out);
		path_put(l->out, fit, columns);
		fputc('\n', l->out);
		status = 0;
	}
	free(plain);
	free(fit);
	return status;
}

static void put_gap(struct lines_table *l)
{
	layout_pad(l->out, 0, 2 * text_figure_width(l->options) + 1);
	fputs("...\n", l->out);
}

/* Ends the line with two names, cut to fit behind COLUMNS of it. */
static int put_names(struct lines_table *l, size_t columns, const char *first,
	const char *between, const char *second)
{
	struct text_line line;

	if (text_line_begin(&line))
		return -1;
	if (report_name(line.out, first) || fputs(between, line.out) == EOF ||
		report_name(line.out, second)) {
		text_line_drop(&line);
		return -1;
	}
	return text_line_end(&line, l->out, columns, l->options);
}

static int put_title(struct lines_table *l, uint32_t function,
	const struct tree_sums *total, const struct tree_sums *self)
{
	const struct function *f = question_function(l->tree, function);

	int status;

	fputc('\n', l->out);
	text_bold(l->out, l->options, true);
	put_figures(l, total, self);
	fputc(' ', l->out);
	status = put_names(l, 2 * text_figure_width(l->options) + 1, f->name,
		"  ", f->module);
	text_bold(l->out, l->options, false);
	return status;
}

/* --- source --- */

/* The first and the last line that are shown. */
static void bounds(const struct listing_part *part, uint32_t context,
	uint32_t *first, uint32_t *last)
{
	uint32_t lo = part->lines[0].line;
	uint32_t hi = part->lines[part->nlines - 1].line;

	*first = lo > context ? lo - context : 1;
	if (part->declared && part->declared < *first)
		*first = part->declared;
	*last = hi <= UINT32_MAX - context ? hi + context : hi;
	if (part->text.path && *last > part->text.n)
		*last = part->text.n > hi ? part->text.n : hi;
}

/* Whether line NUMBER is near the figure before it or the one behind, PART's
   line number NEXT. */
static bool is_near(
	const struct listing_part *part, size_t next, uint32_t number)
{
	if (next < part->nlines &&
		part->lines[next].line - number <= CONTEXT_LINES)
		return true;
	if (next && number - part->lines[next - 1].line <= CONTEXT_LINES)
		return true;
	return number == part->declared;
}

static int put_source_line(struct lines_table *l,
	const struct listing_part *part, const struct source_line *figures,
	uint32_t number)
{
	static const struct tree_sums none;
	char *text = source_text_line(&part->text, number);
	int status;

	if (!text)
		return -1;
	put_figures(l, figures ? &figures->total : &none,
		figures ? &figures->self : &none);
	fprintf(l->out, " %*" PRIu32, l->digits, number);
	status = put_rest(l, text, used(l));
	free(text);
	return status;
}

/*
 * The next line behind NUMBER that may be shown; 0: there is none.  Debug
 * information may name billions of lines that the source does not have.
 */
static uint32_t skip_lines(
	const struct listing_part *part, size_t next, uint32_t number)
{
	uint32_t to;

	if (next >= part->nlines)
		return 0;
	to = part->lines[next].line;
	if (number <= part->text.n && to - number > CONTEXT_LINES)
		to -= CONTEXT_LINES;
	return part->declared > number && part->declared < to ? part->declared
							      : to;
}

/* With text, writes lines near a figure; without text, only lines with
   figures. */
static int put_part_lines(
	struct lines_table *l, const struct listing_part *part)
{
	uint32_t first, last, number;
	bool gap = false;
	size_t next = 0;

	bounds(part, CONTEXT_LINES, &first, &last);
	l->digits = snprintf(NULL, 0, "%" PRIu32, last);
	for (number = first; number && number <= last;) {
		const struct source_line *figures = NULL;

		if (next < part->nlines && part->lines[next].line == number)
			figures = &part->lines[next];
		if (!figures &&
			(number > part->text.n ||
				(!l->all && !is_near(part, next, number)))) {
			gap |= part->text.path != NULL;
			number = skip_lines(part, next, number);
			continue;
		}
		if (gap)
			put_gap(l);
		gap = false;
		if (put_source_line(l, part, figures, number))
			return -1;
		next += figures != NULL;
		number++;
	}
	return 0;
}

static int put_part(struct lines_table *l, const struct listing_part *part)
{
	size_t columns = 2 * text_figure_width(l->options) + 1;
	char *why;

	layout_pad(l->out, 0, columns);
	if (put_names(l, columns,
		    part->text.path ? part->text.path : part->file, "", ""))
		return -1;
	if (part->newer)
		layout_note(l->out, l->options,
			"warning: the source is newer than the program: its "
			"lines may have moved");
	if (!part->text.path) {
		why = report_escape(part->text.why, "");
		if (!why)
			return -1;
		layout_note(l->out, l->options, "no source: %s", why);
		free(why);
		layout_note(l->out, l->options, "hint: %s says where it is",
			l->options->in_shell ? "'set source-path DIR'"
					     : "--source-path=DIR");
	}
	return put_part_lines(l, part);
}

static int put_function(struct lines_table *l, const struct listing_function *f)
{
	if (put_title(l, f->figures->function, &f->figures->total,
		    &f->figures->self))
		return -1;
	for (size_t i = 0; i < f->nparts; i++)
		if (put_part(l, &f->parts[i]))
			return -1;
	if (f->unknown_total.weight) {
		put_figures(l, &f->unknown_total, &f->unknown_self);
		if (put_names(l, 2 * text_figure_width(l->options),
			    " at no known line: ", "", f->why_unknown))
			return -1;
	}
	return 0;
}

/* Lines and instructions are of the code as it is, whatever the view. */
static int put_head(FILE *out, const char *what, const struct tree *tree,
	const struct report_options *options)
{
	struct tree plain = *tree;

	plain.view.elided = NULL;
	plain.view.group = GROUP_FUNCTION;
	return text_head(out, what, &plain, options);
}

/* Whether there is JavaScript in which node may have inlined. */
static bool has_inlined(const struct listing *listing)
{
	const struct dataset *data = listing->tree->data;

	for (uint32_t i = 1; i <= data->nprocesses; i++)
		if (strstr(data->processes[i].args, "--no-turbo-inlining"))
			return false;
	for (size_t i = 0; i < listing->n; i++) {
		const struct function *f =
			&data->functions[listing->v[i].figures->function];

		if (f->source == CPD_NAME_JIT && !strncmp(f->name, "JS:", 3))
			return true;
	}
	return false;
}

int listing_text(FILE *out, const struct listing *listing, bool all,
	const struct report_options *options)
{
	struct report_options wide = width(options);
	struct lines_table l = {out, listing->tree, &wide, all, false, 0};
	struct report_told *told = options->told;

	if (put_head(out, "Source lines", listing->tree, options))
		return -1;
	put_titles(&l, "line");
	for (size_t i = 0; i < listing->n; i++)
		if (put_function(&l, &listing->v[i]))
			return -1;
	if (!(told && told->inlined) && has_inlined(listing)) {
		layout_note(out, options,
			"note: what node inlined is in the function that it "
			"was inlined into, at its own lines (of another file, "
			"too); node --no-turbo-inlining shows it apart");
		if (told)
			told->inlined = true;
	}
	if (listing->late)
		layout_note(out, options,
			"note: the lines were looked up now: what was inlined "
			"counts as the line that it was called from");
	if (l.few)
		layout_few_note(out, options);
	return 0;
}

/* --- instructions --- */

/* The source files of the code at hand; NAME is lent. */
struct sources {
	struct {
		const char *name;
		struct source_text text;
	} * v;
	size_t n, cap;
	struct source_paths *paths;
	const struct cpd_module *module; /* of the piece at hand */
};

static const struct source_text *source_of(
	struct sources *sources, const char *name)
{
	void *v;

	for (size_t i = 0; i < sources->n; i++)
		if (!strcmp(sources->v[i].name, name))
			return &sources->v[i].text;
	v = reallocarray(sources->v, sources->n + 1, sizeof *sources->v);
	if (!v)
		return NULL;
	sources->v = v;
	if (source_text_open(&sources->v[sources->n].text, name,
		    sources->module, sources->paths)) {
		source_text_fini(&sources->v[sources->n].text);
		return NULL;
	}
	sources->v[sources->n].name = name;
	return &sources->v[sources->n++].text;
}

static void sources_fini(struct sources *sources)
{
	for (size_t i = 0; i < sources->n; i++)
		source_text_fini(&sources->v[i].text);
	free(sources->v);
}

/* "a.c:12  text of the line" above the instructions that it became. */
static int put_place(struct lines_table *l, const struct code_line *line,
	struct sources *sources)
{
	const struct source_text *text = source_of(sources, line->file);
	char *source = text ? source_text_line(text, line->line) : NULL;
	size_t columns = is_narrow(l) ? 0 : 2 * text_figure_width(l->options);
	char *joined = NULL;
	int status = -1;

	if (source && asprintf(&joined, "%s:%" PRIu32 "%s%s",
			      text_base_name(line->file), line->line,
			      *source ? "  " : "", source) >= 0) {
		layout_pad(l->out, 0, columns);
		status = put_rest(l, joined, columns);
	}
	free(joined);
	free(source);
	return status;
}

static int put_instruction(struct lines_table *l, const struct code_line *line)
{
	char *joined;
	int status;

	put_figures(l, &line->total, &line->self);
	fprintf(l->out, " %*" PRIx64, l->digits, line->addr);
	if (asprintf(&joined, "%s%s%s%s", is_narrow(l) ? "" : "    ",
		    line->text, *line->target ? "  " : "", line->target) < 0)
		return -1;
	status = put_rest(l, joined, used(l));
	free(joined);
	return status;
}

static bool near_instruction(const struct code_piece *piece, size_t i)
{
	size_t from = i > CONTEXT_INSTRUCTIONS ? i - CONTEXT_INSTRUCTIONS : 0;
	size_t to = i + CONTEXT_INSTRUCTIONS;

	for (size_t k = from; k <= to && k < piece->n; k++)
		if (piece->lines[k].total.weight)
			return true;
	return false;
}

static int put_piece(struct lines_table *l, const struct code_piece *piece,
	struct sources *sources)
{
	const char *file = NULL;
	uint32_t number = 0;
	bool gap = false;

	sources->module =
		&l->tree->data->modules
			 [l->tree->data->functions[piece->function].module_id];
	if (put_title(l, piece->function, &piece->total, &piece->self))
		return -1;
	l->digits = snprintf(NULL, 0, "%" PRIx64, piece->hi);
	for (size_t i = 0; i < piece->n; i++) {
		const struct code_line *line = &piece->lines[i];

		if (!l->all && !near_instruction(piece, i)) {
			gap = true;
			continue;
		}
		if (gap)
			put_gap(l);
		if (line->line && (gap || !file || number != line->line ||
					  strcmp(file, line->file) != 0)) {
			file = line->file;
			number = line->line;
			if (put_place(l, line, sources))
				return -1;
		}
		gap = false;
		if (put_instruction(l, line))
			return -1;
	}
	return 0;
}

int code_text(FILE *out, const struct code *code, bool all,
	const struct report_options *options)
{
	struct report_options wide = width(options);
	struct lines_table l = {out, code->tree, &wide, all, false, 0};
	struct sources sources = {.paths = code->paths};
	size_t left_out = 0;
	int status = put_head(out, "Instructions", code->tree, options);

	put_titles(&l, "address");
	for (size_t i = 0; i < code->n && !status; i++) {
		if (code->v[i].total.weight || all)
			status = put_piece(&l, &code->v[i], &sources);
		else
			left_out++;
	}
	sources_fini(&sources);
	if (status)
		return status;
	if (left_out || !code->has_places)
		fputc('\n', out);
	if (left_out && left_out == code->n)
		layout_note(out, options,
			"note: no sample is inside; a tail call leaves none");
	else if (left_out)
		layout_note(out, options, "note: %zu without samples left out",
			left_out);
	if (!code->has_places)
		layout_note(out, options,
			"note: no debug information was found: no source "
			"lines");
	if (l.few)
		layout_few_note(out, options);
	return 0;
}
