/*
 * notes.h - what the file says of code without names.
 *
 * Which modules had no symbols and what would bring them; whose generated code
 * has no names, or may have wrong ones.  `cpprof info' shows the notes.
 */
#ifndef CPPROF_SYMBOL_NOTES_H
#define CPPROF_SYMBOL_NOTES_H

#include "analyzer/symbol/file.h"
#include "analyzer/symbol/jit/jit.h"
#include "analyzer/symbol/out.h"
#include "analyzer/symbol/table/table.h"

struct sym_named { /* of one module, how far that went */
	size_t addresses, nameless;
};

/* Says which file lacks symbols and what would bring them, if it does.  -1: a
 * writer error. */
int sym_note_file(struct sym_out *out, const struct cpd_module *about,
	const struct sym_file *file, const struct sym_table *table,
	const struct sym_named *named);

/* Says which process has code without names, or names that may be wrong. */
int sym_note_jit(struct sym_out *out, const struct cpd_module *about,
	const struct sym_jit *jit, const struct sym_named *named);

#endif
