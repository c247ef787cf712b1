/*
 * file.h - opens a module's file and its debug files.
 *
 * A file is taken only if it is a regular one and has the recorded build id.
 * lib/elf/debug_file.h says where debug files are looked for.
 */
#ifndef CPPROF_SYMBOL_FILE_H
#define CPPROF_SYMBOL_FILE_H

#include "lib/cpprofdata/cpprofdata.h"
#include "lib/elf/debug_module.h"

enum sym_file_state {
	SYM_FILE_OK,
	SYM_FILE_MISSING, /* cannot be opened: why says the reason */
	SYM_FILE_CHANGED, /* another build id */
	SYM_FILE_BROKEN,  /* no ELF file, or one that cannot be read */
};

struct sym_file {
	enum sym_file_state state;
	char why[128];
	struct debug_module opened;
};

/*
 * FD is the open file, which this call closes; -1: it opens the path. PLAIN:
 * DWARF is not read.
 */
void sym_file_open(struct sym_file *file, const struct cpd_module *module,
	int fd, bool plain);
void sym_file_close(struct sym_file *file);

/* Opens the file at MODULE's path if it is a regular one; else -1 and errno. */
int sym_file_descriptor(const struct cpd_module *module);

#endif
