/*
 * notes.h - notes in the file about code without names.
 *
 * They say which modules had no symbols and how to get them, and whose
 * generated code has no names or may have wrong ones. `cpprof info' shows them.
 */
#ifndef CPPROF_SYMBOL_NOTES_H
#define CPPROF_SYMBOL_NOTES_H

#include "analyzer/symbol/file.h"
#include "analyzer/symbol/jit/jit.h"
#include "lib/cpprofdata/writer.h"
#include "analyzer/symbol/table/table.h"

struct sym_named { /* the addresses of one module */
	size_t addresses, nameless;
};

/* Writes a note if the file lacks symbols. -1: a writer error. */
int sym_note_file(struct cpd_writer *w, const struct cpd_module *about,
	const struct sym_file *file, const struct sym_table *table,
	const struct sym_named *named);

/* Writes the note of this key on a file that was not read. */
#define SYM_NOTE_LEFT "left"

int sym_note_left(struct cpd_writer *w, const struct cpd_module *about,
	const struct sym_file *file);

/* Writes a note if the process has code without names, or names that may be
   wrong. */
int sym_note_jit(struct cpd_writer *w, const struct cpd_module *about,
	const struct sym_jit *jit, const struct sym_named *named);

#endif
