/*
 * code.h - what the instructions of functions consume.
 *
 * The code is read from the module's file, which has to be the one that ran.
 * An instruction's self is that of the samples that were taken at it; its total
 * is that of the samples with it on the stack, as the place of a sample or as
 * the call that another frame was made by, each counted once.  Code of inlined
 * calls is code of the function that it stands in.
 */
#ifndef CPPROF_SOURCE_CODE_H
#define CPPROF_SOURCE_CODE_H

#include "analyzer/source/text.h"
#include "analyzer/tree/tree.h"

#define CODE_MAX (4u << 20) /* bytes of a function; more are left out */

struct code_line {
	uint64_t addr;    /* link-time */
	const char *text; /* of the instruction */
	/* What it calls, jumps to or takes the address of: "f", "f+0x10", a
	   place in its own function "0x401016"; "": nothing, or not known */
	const char *target;
	const char *file; /* source line, innermost; "" and 0: unknown */
	uint32_t line;
	struct tree_sums total, self;
};

/* A piece of a function that lies together (f, f.cold). */
struct code_piece {
	uint32_t function; /* as the file has it */
	uint64_t lo, hi;
	struct code_line *lines;
	size_t n;
	struct tree_sums total, self;
};

struct code {
	const struct tree *tree;
	struct source_paths *paths; /* of the lines' text; lent */
	struct code_piece *v;       /* by falling total */
	size_t n;
	bool has_places; /* some instruction has a source line */
	struct code_private *impl;
};

/*
 * Of the N FUNCTIONS, as the view shows them and in ascending order.  NULL when
 * none of them has code of its own in a file, when the file is another one than
 * ran, when out of memory, or when the work of the tree's view is to stop.
 */
struct code *code_new(const struct tree *tree, const uint32_t *functions,
	size_t n, struct source_paths *paths, struct err *err);
void code_free(struct code *code);

#endif
