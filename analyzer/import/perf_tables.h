/*
 * perf_tables.h - what cpprof's own text in perf's form tells in comments:
 *
 *     # function <tab> number <tab> line <tab> file <tab> name
 *     # place <tab> address <tab> module <tab> number:line number:line ...
 *
 * The line of a function is that of its declaration, 0 where it is not known;
 * "-": nothing is known of the declaration, and the file is where its code is.
 * The functions of a place stand innermost first.
 */
#ifndef CPPROF_IMPORT_PERF_TABLES_H
#define CPPROF_IMPORT_PERF_TABLES_H

#include "analyzer/import/build.h"
#include "lib/arena.h"
#include "lib/set.h"

struct perf_tables {
	struct strings *strings;
	SET_OF(struct perf_function) functions;
	SET_OF(struct perf_place) places;
	VEC(struct perf_call) calls;
	bool failed; /* no memory */
};

/* Of zeros to begin with. */
void perf_tables_free(struct perf_tables *t);

/* COMMENT is the text after "# ".  Lines of another form are ignored. */
void perf_tables_take(struct perf_tables *t, const char *comment);

/*
 * Adds what is known of N frames (innermost first, with their names) of the
 * place ADDRESS in MODULE.  Strings are lent until perf_tables_free().
 */
void perf_tables_fill(struct perf_tables *t, const char *module,
	uint64_t address, struct build_frame *frames, size_t n);

#endif
