/*
 * path_tree.h - what path_tree.c and path_line.c share: call paths as nodes,
 * and the lines that stand for chains of them.
 */
#ifndef CPPROF_REPORT_PATH_TREE_H
#define CPPROF_REPORT_PATH_TREE_H

#include <stdio.h>

#include "lib/hash.h"
#include "lib/vec.h"
#include "analyzer/report/report.h"

#define NO_NODE 0 /* the trie's root, which is no path */

struct path_node {
	uint32_t parent, child, last_child, next;
	uint32_t function, site;
	uint32_t length;
	uint64_t weight, hits, samples;
	uint64_t below; /* weight of all that go on from it */
};

struct path_line {
	uint32_t first, last; /* nodes of the chain */
	uint32_t depth;
	uint32_t number; /* lines of a subtree are next to each other */
	uint32_t tells;  /* the node that tells it from a line that would look
			    alike; NO_NODE: none need to */
	char *text;      /* as it is written, its own; NULL: not known yet */
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
	VEC(struct path_node) nodes;
	VEC(struct path_line) lines;
	struct hash known;             /* nodes by parent, function and site */
	VEC(struct path_begun) begun;  /* downward: the begins of paths */
	struct hash begun_known;       /* they, by where the path lies */
	size_t figure, kept, interval; /* widths of columns; 0: none */
	size_t room, text, deepest;    /* deepest: the largest indent */
	size_t widest;                 /* line, with nothing left out */
	bool few, overlap, left_out;
};

/*
 * Fills in the texts of all lines, at most WIDTH wide.  In a list, "..." stands
 * for what all paths have in common, as the first line says it.  Those that
 * would look alike have the steps that tell them apart.  Notes in P whether
 * something had no room.  -1: no memory.
 */
int path_lines_write(struct paths *p, size_t width);

#endif
