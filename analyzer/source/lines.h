/*
 * lines.h - what the source lines of functions consume.
 *
 * A line's self is that of the samples whose innermost frame, inlined calls
 * included, is at that line of the function.  Its total is that of the samples
 * in which the function is on the stack at that line, each counted once per
 * line however deep the recursion.  The lines are those that the file has for
 * its addresses: of a call the line it was made from, of code that a signal
 * interrupted the line it was at.
 */
#ifndef CPPROF_SOURCE_LINES_H
#define CPPROF_SOURCE_LINES_H

#include "analyzer/tree/tree.h"

struct source_line {
	uint32_t function; /* as the view shows it */
	const char *file;  /* as the debug information has it; "": unknown */
	uint32_t line;     /* 0: unknown */
	struct tree_sums total, self;
};

struct source_function {
	uint32_t function;
	struct tree_sums total, self;
	const struct source_line *lines; /* by file and line */
	size_t nlines;                   /* 1 or more */
	bool has_lines;                  /* any but the unknown one */
	/* An address of it, for who asks where its code lies; 0: none */
	uint32_t module;
	uint64_t addr;
};

struct source_lines {
	const struct tree *tree;
	struct source_function *v; /* by falling total */
	size_t n;                  /* 0: none of them is in a stack */
	struct source_lines_private *impl;
};

/*
 * Of the N FUNCTIONS, as the view shows them and in ascending order.  NULL when
 * out of memory, or when the work of the tree's view is to stop.
 */
struct source_lines *source_lines_new(const struct tree *tree,
	const uint32_t *functions, size_t n, struct err *err);
void source_lines_free(struct source_lines *lines);

#endif
