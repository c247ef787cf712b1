/*
 * debug_module.h - a module's file and its debug files, opened by libdwfl.
 *
 * debug_file.h finds the separate debug file and the file that DWARF shares
 * with others (dwz).  A compressed section states its size: DWARF whose
 * sections would grow too large is not read.
 */
#ifndef CPPROF_ELF_DEBUG_MODULE_H
#define CPPROF_ELF_DEBUG_MODULE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "lib/elf/debug_file.h"

struct debug_module {
	struct debug_search *search; /* borrowed */
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf, *debug; /* debug: separate, or NULL */
	Dwarf *dwarf;     /* NULL: none */
	Dwarf *shared;    /* what dwarf shares with others, or NULL */
	int shared_fd;
	GElf_Addr bias;       /* of addresses of module to the file's */
	GElf_Addr dwarf_bias; /* ... and to those in dwarf */
};

/*
 * Takes over FD, the file at PATH, also on failure: -1, and dwfl_errmsg() says
 * why.  debug_module_close() must follow either way.
 */
int debug_module_open(struct debug_module *module, struct debug_search *search,
	const char *path, int fd);
void debug_module_close(struct debug_module *module);

/*
 * Finds the separate debug file and the debug information; PLAIN: not the
 * latter.
 */
void debug_module_find(struct debug_module *module, bool plain);

#endif
