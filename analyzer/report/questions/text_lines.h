/*
 * text_lines.h - figures and names in the lines of text reports.
 *
 * A name that a terminal has no room for is cut; lines of source go on below.
 */
#ifndef CPPROF_REPORT_QUESTIONS_TEXT_H
#define CPPROF_REPORT_QUESTIONS_TEXT_H

#include <stdlib.h>

#include "analyzer/report/questions/questions_private.h"

/* Lines that are narrower have their columns closer together. */
#define TEXT_NARROW 59

/* The columns of a figure. */
size_t text_figure_width(const struct report_options *options);

/*
 * "   94.2 % ", or in the resource's unit if OPTIONS say so; with a ? behind it
 * where too few samples stand behind it, and then it returns true.
 */
bool text_figure(FILE *out, const struct tree *tree,
	const struct tree_sums *sums, const struct report_options *options);
void text_no_figure(FILE *out, const struct report_options *options);

/* "Call graph of cpu: 4.1 s in 8246 samples", and the filters. */
int text_head(FILE *out, const char *what, const struct tree *tree,
	const struct report_options *options);

void text_rule(FILE *out, const struct report_options *options);
void text_bold(FILE *out, const struct report_options *options, bool on);

/* Writes the name of a function and ends the line.  USED columns of the line
 * are written already. */
int text_function(FILE *out, const struct tree *tree, uint32_t function,
	size_t used, const struct report_options *options);

/* Text whose middle is left out where the line is too short for it. */
struct text_line {
	FILE *out;
	char *text;
	size_t size;
};
int text_line_begin(struct text_line *line);
int text_line_end(struct text_line *line, FILE *out, size_t used,
	const struct report_options *options);
void text_line_drop(struct text_line *line);

/* TEXT as a line of source: tabs become blanks, control characters \xNN.  In
   new memory. */
char *text_source(const char *text);

/*
 * The entries whose self reaches THRESHOLD, by falling self; the caller's to
 * free.  NULL when out of memory.
 */
const struct callgraph_entry **question_by_self(
	const struct callgraph *graph, double threshold, size_t *n);

#endif
