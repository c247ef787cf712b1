/*
 * firefox_private.h - a processed profile of the Firefox Profiler while it is
 * written.
 */
#ifndef CPPROF_EXPORT_FIREFOX_PRIVATE_H
#define CPPROF_EXPORT_FIREFOX_PRIVATE_H

#include "analyzer/export/stacks.h"
#include "lib/arena.h"
#include "lib/hash.h"
#include "lib/vec.h"

struct firefox_point { /* a sample */
	uint64_t time, weight;
	uint32_t node;
	uint32_t loss; /* the function of a loss, then node is 0; 0: a sample */
};

struct firefox_track { /* what one thread consumed of one resource */
	uint32_t thread, resource;
	VEC(struct firefox_point) points;
};

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
	struct strings *strings;
	VEC(struct firefox_frame) frames;
	VEC(struct firefox_stack) stacks;
	VEC(uint32_t) functions; /* of the dataset */
	VEC(uint32_t) modules;
	VEC(uint32_t) way; /* nodes from a leaf out */
	struct hash frames_known, stacks_known;
	uint32_t *node_stack, *node_mark;      /* by node: its stack, plus 1 */
	uint32_t *function_at, *function_mark; /* by function: its place */
	uint32_t *module_at, *module_mark;
	uint32_t mark;
	bool failed; /* no memory */
};

int firefox_tables_init(struct firefox_tables *t, const struct dataset *data);
void firefox_tables_fini(struct firefox_tables *t);

/* Begins anew. */
void firefox_tables_clear(struct firefox_tables *t);

/* The stack of a point of a thread, plus 1; 0: no memory. */
uint32_t firefox_stack(struct firefox_tables *t, const struct stacks *s,
	const struct firefox_point *point, uint32_t thread);

/* S as a JSON string. */
void firefox_string(FILE *out, const char *s, bool *failed);

/* Writes the tables as members of a thread, each with a comma behind it. */
void firefox_tables_write(
	FILE *out, struct firefox_tables *t, const struct dataset *data);

#endif
