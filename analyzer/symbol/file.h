/*
 * file.h - opens a module's file and its debug files.
 *
 * A file is taken only if it is a regular one and has the recorded build id.
 * Where none is recorded and a run is just over, it is the one that the monitor
 * opened: its path may lead to another file by now.
 * lib/elf/debug_file.h says where debug files are looked for.
 */
#ifndef CPPROF_SYMBOL_FILE_H
#define CPPROF_SYMBOL_FILE_H

#include "analyzer/symbol/task.h"
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
 * Opens MODULE's file, for TASK, which says where it is, or by its path. PLAIN:
 * DWARF is not read.  The task's search for debug files is borrowed.
 */
void sym_file_open(struct sym_file *file, const struct cpd_module *module,
	const struct sym_task *task, bool plain);
void sym_file_close(struct sym_file *file);

/*
 * Opens the file that sym_file_open would, if it is a regular one; else -1 and
 * errno.  SEARCH says below which root the path is, and asks debuginfod where
 * it has no file, or not the one that ran; NULL: nobody is asked.  *KNOWN:
 * whether it ran, as far as that is known before sym_file_ran().
 */
int sym_file_descriptor(const struct cpd_module *module,
	const struct run_files *files, struct debug_search *search,
	bool *known);
bool sym_file_ran(const struct cpd_module *module, Elf *elf, bool known);

#endif
