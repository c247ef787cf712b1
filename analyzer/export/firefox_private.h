/*
 * firefox_private.h - a processed profile of the Firefox Profiler while it is
 * written.
 */
#ifndef CPPROF_EXPORT_FIREFOX_PRIVATE_H
#define CPPROF_EXPORT_FIREFOX_PRIVATE_H

#include "analyzer/export/stacks.h"
#include "lib/arena.h"
#include "lib/set.h"

struct firefox_frame {
	uint32_t function, module, line, depth; /* depth among inlined calls */
	uint64_t addr;
	bool code; /* it has an address */
};

struct firefox_stack {
	uint32_t prefix, frame; /* prefix: plus 1; 0: none */
};

/* The tables of one track; MARK tells whose a number is. */
struct firefox_tables {
	struct strings strings;
	SET_OF(struct firefox_frame) frames;
	SET_OF(struct firefox_stack) stacks;
	SET_OF(uint32_t) functions; /* of the dataset */
	SET_OF(uint32_t) modules;
	VEC(uint32_t) way;                /* nodes from a leaf out */
	uint32_t *node_stack, *node_mark; /* by node: its stack, plus 1 */
	uint32_t mark;
	bool failed;             /* no memory */
	const struct work *work; /* while they are written */
	struct err *err;
	bool stopped; /* the work is to end; ERR says so */
};

int firefox_tables_init(struct firefox_tables *t, const struct dataset *data);
void firefox_tables_fini(struct firefox_tables *t);

/* Begins anew. */
void firefox_tables_clear(struct firefox_tables *t);

/* The stack of a node, or of a loss, of a thread. */
uint32_t firefox_stack(struct firefox_tables *t, const struct stacks *s,
	uint32_t node, uint32_t thread);
uint32_t firefox_loss(struct firefox_tables *t, const struct stacks *s,
	uint32_t function, uint32_t thread);

/* A function's name among the strings. */
uint32_t firefox_name(
	struct firefox_tables *t, const struct stacks *s, uint32_t function);

/* S as a JSON string. */
void firefox_string(FILE *out, const char *s, bool *failed);

/* Writes a column of N times VALUE, with a comma before it. */
void firefox_column(FILE *out, const char *name, size_t n, const char *value);

/* Writes the tables as members of a thread, each with a comma behind it; -1:
   the work is to end. */
int firefox_tables_write(FILE *out, struct firefox_tables *t,
	const struct stacks *s, struct err *err);

#endif
