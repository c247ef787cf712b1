/*
 * debug_file.h - finds a module's separate debug files, and opens nothing else.
 *
 * It looks where debuggers do: by build id in /usr/lib/debug/.build-id, by
 * .gnu_debuglink beside the file, in .debug beside it and under /usr/lib/debug,
 * and asks debuginfod, if DEBUGINFOD_URLS names a server.  libdwfl's and
 * libdw's own search would wait for ever for a pipe of such a name.  This one
 * opens only regular files, and takes only those with the build id or the
 * checksum that the module names.
 */
#ifndef CPPROF_ELF_DEBUG_FILE_H
#define CPPROF_ELF_DEBUG_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "lib/elf/debuginfod.h"

/* For struct Dwfl_Callbacks; *USERDATA is a struct debug_search. */
int debug_file_find(Dwfl_Module *module, void **userdata, const char *name,
	Dwarf_Addr base, const char *path, const char *link, GElf_Word crc,
	char **found);
int debug_file_no_elf(Dwfl_Module *module, void **userdata, const char *name,
	Dwarf_Addr base, char **path, Elf **elf);

/*
 * The file that DWARF, which lies at PATH, shares with others (dwz), to be
 * closed; -1: none.  *NEEDED: DWARF names one.
 */
int debug_file_shared(struct debug_search *search, Dwarf *dwarf,
	const char *path, bool *needed);

#endif
