/*
 * go_table.h - the function table that Go programs carry for their own use.
 *
 * Stripped programs have .gopclntab, too: Go's runtime prints stack traces from
 * it and scans stacks by it.  It has every function's start, name, file and
 * lines, and how far the stack pointer is from its place at the function's
 * start.  Its layout changed with Go 1.2, 1.16, 1.18 and 1.20 (the numbers of
 * their magic words; Go's debug/gosym/pclntab.go); all four are read.  The
 * contents are not trusted: offsets are checked, and what lies outside of the
 * table is ignored.
 */
#ifndef CPPROF_ELF_GO_TABLE_H
#define CPPROF_ELF_GO_TABLE_H

#include "lib/elf/elf_image.h"

struct go_table {
	const unsigned char *data;
	unsigned char *own; /* what DATA is in, where the image lends none */
	uint64_t size;
	unsigned version;    /* 2, 16, 18 or 20 */
	uint64_t text;       /* 18, 20: function starts are relative to it */
	uint64_t n;          /* functions */
	uint64_t names;      /* offsets of the parts in the table */
	uint64_t units;      /* files by compilation unit */
	uint64_t files, pcs; /* names of files; values by pc */
	uint64_t functions;
};

/*
 * Finds IMAGE's table; IMAGE outlives it.  False, with all of GO zero, where
 * there is none that can be read, or no memory for it.
 */
bool go_table_open(struct go_table *go, struct elf_image *image);
void go_table_close(struct go_table *go);

/*
 * The I-th function's bounds, name (NULL: unreadable) and the offset of its
 * record in the table.  It ends where the next one starts.  False: the table
 * does not have it.
 */
struct go_function {
	uint64_t lo, hi, record;
	const char *name;
};
bool go_table_function(
	const struct go_table *go, uint64_t i, struct go_function *function);

/* The function that holds ADDR. */
bool go_table_find(
	const struct go_table *go, uint64_t addr, struct go_function *function);

/*
 * How far the stack pointer is at ADDR in FUNCTION from where it was at the
 * function's start.  False: the table does not tell.
 */
bool go_table_moved(const struct go_table *go,
	const struct go_function *function, uint64_t addr, int64_t *bytes);

/* The place in the source of ADDR in FUNCTION; *FILE is lent, NULL where it is
   unknown. */
void go_table_line(const struct go_table *go,
	const struct go_function *function, uint64_t addr, const char **file,
	uint32_t *line);

/* Properties of functions of assembly (Go 1.17 and later; older: none). */
enum {
	GO_OUTERMOST = 1, /* it has no caller: the end of every stack */
	GO_SWITCHES = 2,  /* it sets the stack pointer, to another stack */
};
unsigned go_table_flags(
	const struct go_table *go, const struct go_function *function);

#endif
