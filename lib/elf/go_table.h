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

#include <stdbool.h>
#include <stdint.h>

struct go_table {
	const unsigned char *data; /* lent */
	uint64_t size;
	unsigned version;    /* 2, 16, 18 or 20 */
	uint64_t text;       /* 18, 20: function starts are relative to it */
	uint64_t n;          /* functions */
	uint64_t names;      /* offsets of the parts in the table */
	uint64_t units;      /* files by compilation unit */
	uint64_t files, pcs; /* names of files; values by pc */
	uint64_t functions;
};

#define GO_TABLE_TEXT 24 /* where the table has its `text`, 8 bytes */

/*
 * Whether a table begins at DATA; if so GO lends it.  From version 18 on `text`
 * is the file's: 0 in programs that are relocated; the caller sets it.
 */
bool go_table_read(
	struct go_table *go, const unsigned char *data, uint64_t size);

/*
 * Finds a table in SIZE bytes from address ADDR on: *AT is its offset.  The
 * search begins at *AT; to go on, raise it.
 */
bool go_table_search(struct go_table *go, const unsigned char *data,
	uint64_t size, uint64_t addr, uint64_t *at);

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

/* SIZE bytes of the table, as a number; false: they lie outside. */
bool go_table_get(
	const struct go_table *go, uint64_t at, unsigned size, uint64_t *value);

/* The string at AT of the table; NULL: none there. */
const char *go_table_string(const struct go_table *go, uint64_t at);

/* The columns of a function's record, by their place in it. */
enum go_column { GO_STACK, GO_FILE, GO_LINE };

/* The value of the column for ADDR in FUNCTION.  False: it has none. */
bool go_table_value(const struct go_table *go,
	const struct go_function *function, enum go_column column,
	uint64_t addr, int64_t *value);

/* Properties of functions of assembly (Go 1.17 and later; older: none). */
enum {
	GO_OUTERMOST = 1, /* nobody called it: the end of every stack */
	GO_SWITCHES = 2,  /* it sets the stack pointer, to another stack */
};
unsigned go_table_flags(
	const struct go_table *go, const struct go_function *function);

#endif
