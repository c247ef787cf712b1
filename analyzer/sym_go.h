/*
 * sym_go.h - the function table that Go programs carry for their own use.
 *
 * .gopclntab is there in stripped programs too, since Go's runtime prints stack
 * traces from it: every function's start, name, file and lines.  Its layout
 * changed with Go 1.2, 1.16, 1.18 and 1.20 (the numbers of their magic words;
 * Go's debug/gosym/pclntab.go); all four are read.  It is in no file whose
 * contents are trusted: offsets are checked, what they give outside the table
 * is left out.
 */
#ifndef CPPROF_SYM_GO_H
#define CPPROF_SYM_GO_H

#include "sym_image.h"

struct sym_go {
	const unsigned char *data; /* NULL: none */
	uint64_t size;
	unsigned version;    /* 2, 16, 18 or 20 */
	uint64_t text;       /* 18, 20: what function starts are relative to */
	uint64_t n;          /* functions */
	uint64_t names;      /* offsets of the parts in the table */
	uint64_t units;      /* files by compilation unit */
	uint64_t files, pcs; /* names of files; values by pc */
	uint64_t functions;
};

/* Finds IMAGE's table.  False where there is none that can be read. */
bool sym_go_open(struct sym_go *go, const struct image *image);

/*
 * The I-th function's bounds, name (NULL: unreadable) and the offset of its
 * record in the table.  The upper bound is where the next one starts.  False
 * where the table says nothing of it.
 */
struct sym_go_function {
	uint64_t lo, hi, record;
	const char *name;
};
bool sym_go_function(
	const struct sym_go *go, uint64_t i, struct sym_go_function *function);

/*
 * The place in the source of ADDR in the function whose record is at RECORD,
 * lent by the image; *FILE is NULL where it is unknown.
 */
void sym_go_line(const struct sym_go *go, uint64_t record, uint64_t lo,
	uint64_t addr, const char **file, uint32_t *line);

#endif
