/*
 * file.h - opens a module's file and what belongs to it.
 *
 * Through libdwfl: the file itself, its separate debug file (by build id, by
 * .gnu_debuglink, from debuginfod when DEBUGINFOD_URLS is set), the alternate
 * file of dwz.  A file is taken only if it is a regular one and has the build
 * id that was recorded.  Only the debugger's usual system folders and the
 * module's own are searched.
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
 * FD: the file, open, to be closed by this call; or -1 to open its path.
 * PLAIN: leave DWARF alone.
 */
void sym_file_open(struct sym_file *file, const struct cpd_module *module,
	int fd, bool plain);
void sym_file_close(struct sym_file *file);

/* The file at MODULE's path if it is a regular one, or -1 and errno. */
int sym_file_descriptor(const struct cpd_module *module);

#endif
