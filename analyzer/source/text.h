/*
 * text.h - finds source files and cuts them into lines.
 *
 * A name is one that debug information gives: an absolute path where the
 * program was built, or, where the compiler was told to leave that out, the
 * end of one.  It is looked for below each of the user's folders, whole and
 * with ever more of its leading folders left out, below the sysroot, then at
 * the path itself; an absolute one is at last asked of debuginfod.
 * Only regular files are read, and none larger than SOURCE_TEXT_MAX.
 */
#ifndef CPPROF_SOURCE_TEXT_H
#define CPPROF_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/elf/debuginfod.h"

#define SOURCE_TEXT_MAX (64u << 20)

struct source_paths { /* the user's folders, the first tried first */
	char **v;
	size_t n, cap;
	char *sysroot;              /* NULL: none */
	struct debug_search search; /* has it, and how debuginfod answered */
};

struct source_text {
	char *path;       /* where it was found; NULL: it was not, and */
	char why[640];    /* says where it was looked for and why not */
	int64_t modified; /* seconds since 1970 */
	char *bytes;
	size_t *lines; /* where each begins; lines[n] is behind the last */
	uint32_t n;
};

/* -1 when out of memory. */
int source_paths_add(struct source_paths *paths, const char *folder);
void source_paths_fini(struct source_paths *paths);

/*
 * TEXT of the file NAME that MODULE was built of; PATHS and MODULE may be NULL.
 * That it cannot be found is no
 * error: TEXT then has no path and no lines.  -1 when out of memory.
 * source_text_fini() is due either way.
 */
int source_text_open(struct source_text *text, const char *name,
	const struct cpd_module *module, struct source_paths *paths);
void source_text_fini(struct source_text *text);

/*
 * Line NUMBER, from 1 on, without its end, in new memory; "" where the file is
 * shorter.  NULL when out of memory.
 */
char *source_text_line(const struct source_text *text, uint32_t number);

#endif
