/*
 * path_text.h - a call path as people read it: the one rule of what is shown.
 *
 * Of a path stay the program's own functions, the library's function that each
 * of them entered, or a thread's start, what the last library was asked for by
 * another one, and the subject, which is the last; of a branch inside of a
 * library that has none of the program's, the first.  What is inside of
 * libraries folds to their names, "[libstdc++: 6]"; what starts the program and
 * its threads is left out.  Generated code is the program's, and in a path with
 * some of it the interpreter is a library.
 *
 * What has no room goes on below, indented by LAYOUT_INDENT; names give up what
 * is in their brackets where that saves a line (name_squeeze()), and where a
 * path takes more than PATH_LINES, all but their last parts.  Then the
 * libraries' steps go, and then the program's, first those farthest from the
 * subject,
 * "[14 more]", in the shell "[14 more: path 3]", the command that shows it
 * whole; but never the step that tells the path from another, and a path that
 * one step does not tell has them all. Where nothing is to be left out
 * (report_options.whole, .no_fold), all steps stay.
 */
#ifndef CPPROF_REPORT_PATH_TEXT_H
#define CPPROF_REPORT_PATH_TEXT_H

#include "analyzer/name/name_style.h"
#include "analyzer/report/report.h"
#include "lib/vec.h"

#define PATH_LINES 3

/* Steps of a path in the order of calls, added one by one. */
struct named_step {
	char *name; /* escaped */
	const struct function *function;
};

struct path_text {
	const struct report_options *options;
	VEC(struct named_step) steps;
	size_t width;   /* of a line */
	bool outward;   /* written with the last call first */
	bool rooted;    /* the first step is the root that was asked for */
	bool inside;    /* a library's function calls the first step */
	bool generated; /* there is generated code in what is not given here */
	bool unfolded;  /* all steps stay, on as many lines as they need */
	size_t tells;   /* one more than the step that tells it from others */
	size_t told;    /* and the byte of its name that does */
	size_t number;  /* of the path in its table, from 1; 0: it has none */
};

/* Adds FUNCTION, as OPTIONS have its name, or, if not NULL, as NAME, which is
   not escaped.  -1: no memory. */
int path_text_add(struct path_text *path, const struct function *function,
	const char *name);

/*
 * The path in lines, without an end of line behind the last, in new memory;
 * NULL where there is none.  The steps are gone then.
 */
char *path_text_end(struct path_text *path);

/* Frees the steps of a path whose text is not wanted. */
void path_text_drop(struct path_text *path);

/*
 * The paths of a table: no two of a group read alike.  The steps of path I are
 * what FILL adds; it sets all but the last four members of PATH.
 */
struct path_table {
	const struct report_options *options;
	size_t n;
	int (*fill)(const void *arg, size_t i, struct path_text *path);
	uint32_t (*group)(const void *arg, size_t i); /* NULL: one group */
	const void *arg;
	char **texts; /* N; the table's */
	bool cut;     /* in some of them something is left out */
};

/* Makes the texts; path_table_fini() is due either way.  -1: no memory. */
int path_table_init(struct path_table *table);
void path_table_fini(struct path_table *table);

/* Where something is left out of a path and no command shows it: what does. */
void path_table_note(FILE *out, const struct path_table *table);

/* Adds the N functions of PATH. */
int path_text_add_all(struct path_text *text, const struct dataset *data,
	const uint32_t *path, size_t n);

/* Whether FUNCTION is code that a runtime generated; whether it starts the
   program or a thread; whether it is the program's own in a path with generated
   code (GENERATED) or without. */
bool path_is_generated(const struct function *function);
bool path_is_start(const struct function *function);

/* Whether Rust's runtime hands over to the program, or a thread of it, in
   FUNCTION: what calls it started that. */
bool path_hands_over(const struct function *function);
/* What it calls then, which calls the program's. */
bool path_calls_once(const struct function *function);

/* How many of the N functions of PATH come before the program's main, or what
   its thread runs; less than N. */
size_t path_begin(const struct dataset *data, const uint32_t *path, size_t n);
bool path_is_own(const struct function *function, bool generated);

/* TEXT, a name, in as many such lines as it needs; new memory. */
char *path_wrap(
	const char *text, size_t width, const struct report_options *options);

/* Writes TEXT, whose lines but the first begin behind INDENT columns, without
   an end of line behind the last.  Returns the width of the last. */
size_t path_put(FILE *out, const char *text, size_t indent);

#endif
