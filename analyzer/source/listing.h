/*
 * listing.h - source lines of functions with what they consume, ready to be
 * written.
 *
 * The source is read where the debug information says, or below the folders
 * that the user names (text.h).  A file that is not found leaves its lines
 * without text.  The module's file is looked at if it is there: lines of one
 * that was built anew are refused.
 */
#ifndef CPPROF_SOURCE_LISTING_H
#define CPPROF_SOURCE_LISTING_H

#include "analyzer/source/lines.h"
#include "analyzer/source/text.h"

/* The lines of a function that are in one file. */
struct listing_part {
	const char *file;
	const struct source_line *lines; /* ascending */
	size_t nlines;
	uint32_t declared; /* the line, in this file, at which the function is
			      declared; 0: not known */
	struct source_text text;
	bool newer; /* than the binary, or where that is gone, than the run */
};

struct listing_function {
	const struct source_function *figures;
	struct listing_part *parts; /* by falling self */
	size_t nparts;
	struct tree_sums unknown_total, unknown_self; /* of no known line */
	const char *why_unknown; /* "" where all lines are known */
};

struct listing {
	const struct tree *tree;
	struct listing_function *v; /* by falling total */
	size_t n;
	bool late; /* the lines were looked up now, without inlined calls */
	struct listing_private *impl;
};

/*
 * Of the N FUNCTIONS, as the view shows them and in ascending order; NAME is
 * what the user called them.  PATHS may be NULL.  NULL when none is in a sample
 * or has a line that is known, when a module's file is another one than ran,
 * when out of memory, or when the work of the tree's view is to stop.
 */
struct listing *listing_new(const struct tree *tree, const char *name,
	const uint32_t *functions, size_t n, struct source_paths *paths,
	struct err *err);
void listing_free(struct listing *listing);

#endif
