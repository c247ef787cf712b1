/*
 * lines.h - what the source lines of functions consume.
 *
 * A line's self is that of the samples whose innermost frame, inlined calls
 * included, is at that line of the function.  Its total is that of the samples
 * in which the function is on the stack at that line, each counted once per
 * line however deep the recursion.  The lines are those that the file has for
 * its addresses: of a call the line it was made from, of code that a signal
 * interrupted the line it was at.
 *
 * Where the file has no line of a function, its debug information was not there
 * when it was profiled.  It may be now: then the lines are looked up, and what
 * was inlined counts as code of the line that it was called from.
 */
#ifndef CPPROF_SOURCE_LINES_H
#define CPPROF_SOURCE_LINES_H

#include "analyzer/tree/tree.h"
#include "lib/elf/debuginfod.h"

struct source_line {
	const char *file;  /* as the debug information has it; "": unknown */
	uint32_t function; /* as the view shows it */
	uint32_t line;     /* 0: unknown */
	struct tree_sums total, self;
};

struct source_function {
	uint32_t function;
	struct tree_sums total, self;
	const struct source_line *lines; /* by file and line */
	size_t nlines;                   /* 1 or more */
	bool has_lines;                  /* any but the unknown one */
};

struct source_lines {
	const struct tree *tree;
	struct source_function *v; /* by falling total */
	size_t n;                  /* 0: none of them is in a stack */
	bool has_lines;            /* some line is known */
	bool late;                 /* lines were looked up */
	struct source_lines_private *impl;
};

/*
 * Of the N FUNCTIONS, as the view shows them and in ascending order.  SEARCH,
 * which is borrowed, says where lines are looked up late.  NULL when
 * out of memory, or when the work of the tree's view is to stop.
 */
struct source_lines *source_lines_new(const struct tree *tree,
	const uint32_t *functions, size_t n, struct debug_search *search,
	struct err *err);
void source_lines_free(struct source_lines *lines);

#endif
