/*
 * layout.h - names and figures in lines of a given width.
 *
 * Widths are columns of a terminal.  Names are escaped before they come here.
 * What returns new memory returns NULL when there is none.
 */
#ifndef CPPROF_REPORT_LAYOUT_H
#define CPPROF_REPORT_LAYOUT_H

#include <stdbool.h>

#include "analyzer/report/report.h"

#define LAYOUT_COLUMNS 80     /* where nothing else is known */
#define LAYOUT_COLUMNS_MIN 40 /* narrower lines are not tried */
#define LAYOUT_NARROW 60      /* so few leave little for indents */
#define LAYOUT_INDENT 2       /* blanks before what goes on below */

/* The width of lines that OPTIONS ask for. */
size_t layout_columns(const struct report_options *options);

size_t layout_width(const char *text);

/*
 * Writes WORD, a name, behind *USED columns, which becomes what is used then of
 * the last line.  It goes on below, behind LAYOUT_INDENT blanks, where it is
 * longer than its line; a name is never cut.  Returns how many lines it began.
 * OUT NULL: nothing is written.
 */
size_t layout_word(FILE *out, const char *word, size_t columns, size_t *used);

/* The same in new memory. */
char *layout_wrap(const char *word, size_t columns);

/*
 * Writes texts of several lines, which it takes apart, beside each other and
 * ends the line: each begins at its column, or ends there.  USED columns are
 * written already.
 */
struct layout_cell {
	char *text;
	size_t column;
	bool right;
};
void layout_cells(FILE *out, struct layout_cell *cells, size_t n, size_t used);

/*
 * Writes TEXT on as many lines as COLUMNS need.  It breaks between words, or,
 * where three blanks separate its parts, between parts.  All lines but the
 * first begin with two blanks.
 */
void layout_flow(FILE *out, const char *text, size_t columns);

/*
 * Lines that are written as long as they are, and flow at the end: begin gives
 * the stream to write them to, NULL when out of memory; end closes it and
 * writes them to OUT.  -1 when out of memory, or STATUS if that is not 0.
 */
struct layout_lines {
	FILE *stream;
	char *text;
	size_t size;
};
FILE *layout_lines_begin(struct layout_lines *lines);
int layout_lines_end(
	struct layout_lines *lines, int status, FILE *out, size_t columns);

/* The indent of a line so DEEP in a tree whose texts have ROOM columns of a
   line; deep down it stops growing. */
size_t layout_indent(
	const struct report_options *options, size_t deep, size_t room);

/* Blanks up to column TO, from FROM. */
void layout_pad(FILE *out, size_t from, size_t to);

/* "15 268"; returns BUF. */
char *layout_number(uint64_t n, char *buf, size_t size);

/* So much of a resource to three places: "4.12 s", "15 268"; returns BUF. */
char *layout_amount(const struct cpd_resource *resource, uint64_t gticks,
	char *buf, size_t size);

/*
 * WEIGHT of the tree as OPTIONS ask for it: as a share of the run, "94.2 %", or
 * with its unit, "1.5 s".  Returns BUF.
 */
char *layout_figure(const struct tree *tree, uint64_t weight,
	const struct report_options *options, char *buf, size_t size);

/* "94.2 %" of what the filters keep. */
char *layout_kept(
	const struct tree *tree, uint64_t weight, char *buf, size_t size);

/*
 * Returns '?' for a figure that rests on too few samples, else ' '.  The note
 * about it is written once.
 */
char layout_mark(const struct tree *tree, const struct tree_sums *sums);
/* "3 more paths: --top=N" if N is 3; HOW "": no word of what shows them. */
void layout_more(FILE *out, const struct report_options *options, size_t n,
	const char *noun, const char *how);
void layout_few_note(FILE *out, const struct report_options *options);

/* A remark, dim where there are colours, on as many lines as it needs. */
__attribute__((format(printf, 3, 4))) void layout_note(FILE *out,
	const struct report_options *options, const char *format, ...);

#endif
