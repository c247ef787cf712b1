/*
 * debug_module.h - a module's file with what belongs to it, opened by libdwfl.
 *
 * The separate debug file and the file that DWARF shares with others (dwz) are
 * found by debug_file.h.  A compressed section says itself how large it will
 * be: DWARF whose sections would come to too much is not read.
 */
#ifndef CPPROF_ELF_DEBUG_MODULE_H
#define CPPROF_ELF_DEBUG_MODULE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

struct debug_module {
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
 * FD, the file at PATH, is taken over, also on failure: -1, and dwfl_errmsg()
 * says why.  Either way debug_module_close() is due.
 */
int debug_module_open(struct debug_module *module, const char *path, int fd);
void debug_module_close(struct debug_module *module);

/* Finds the separate debug file and the debug information; PLAIN: leaves the
   latter alone. */
void debug_module_find(struct debug_module *module, bool plain);

#endif
