/*
 * path_tree.h - what path_tree.c and path_line.c share: call paths as nodes,
 * and the lines that stand for chains of them.
 */
#ifndef CPPROF_REPORT_PATH_TREE_H
#define CPPROF_REPORT_PATH_TREE_H

#include <stdio.h>

#include "lib/set.h"
#include "analyzer/report/path_text.h"

#define NO_NODE 0 /* the trie's root, which is no path */

struct path_node {
	uint32_t parent, function, site; /* none has the same */
	uint32_t child, last_child, next;
	uint32_t length;
	bool generated; /* code of a runtime is among the path's functions */
	uint64_t weight, hits, samples;
	uint64_t below; /* weight of all that go on from it */
};

struct path_line {
	uint32_t first, last; /* nodes of the chain */
	uint32_t depth;
};

struct path_begun {
	const uint32_t *path;  /* lent by entries that share it */
	uint32_t length, node; /* so much of it has been walked, to here */
};

struct paths {
	FILE *out;
	const struct profile *profile;
	const struct tree *tree;
	const struct report_options *options;
	bool up, list;
	SET_OF(struct path_node) nodes;
	VEC(struct path_line) lines;
	SET_OF(struct path_begun) begun; /* downward: the begins of paths */
	size_t figure, kept, interval;   /* widths of columns; 0: none */
	size_t before, room;             /* columns before the text and of it */
	struct path_table table;         /* the texts of the lines */
	bool few, overlap;
};

/* Makes the texts of all lines, at most P's room wide.  -1: no memory. */
int path_lines_write(struct paths *p);

/* The indent of a line. */
size_t path_indent(const struct paths *p, const struct path_line *line);

#endif
