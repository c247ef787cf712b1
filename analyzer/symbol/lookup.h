/*
 * lookup.h - a module's file, opened to be asked while a profile is explored.
 *
 * What a run needed is in its file already.  Here is what it did not need: the
 * lines of instructions that no sample met, and the names of what they call.
 * Symbols and DWARF are found as the symbolizer finds them (file.h): by build
 * id, by .gnu_debuglink, from debuginfod.
 */
#ifndef CPPROF_SYMBOL_LOOKUP_H
#define CPPROF_SYMBOL_LOOKUP_H

#include <stdbool.h>

#include "lib/arena.h"
#include "lib/cpprofdata/cpprofdata.h"
#include "lib/elf/debug_file.h"

struct sym_place {
	const char *file; /* full path; "": unknown */
	uint32_t line;    /* 0: unknown */
};

struct sym_lookup;

/*
 * NULL when out of memory; a file that cannot be opened, or is another one than
 * ran, answers all questions with "not known".  SEARCH is borrowed.
 */
struct sym_lookup *sym_lookup_open(
	const struct cpd_module *module, struct debug_search *search);
void sym_lookup_close(struct sym_lookup *lookup);

/*
 * The name, for people, of the function around ADDR and where that begins.
 * NULL where none is known, or when out of memory.  Lent until the next call.
 */
const char *sym_lookup_name(
	struct sym_lookup *lookup, uint64_t addr, uint64_t *begin);

/*
 * The symbol whose address the loader puts into the pointer at ADDR.  Likewise.
 */
const char *sym_lookup_slot(struct sym_lookup *lookup, uint64_t addr);

/*
 * The source lines of the ascending ADDRS[N]: the innermost, or with OUTER
 * those in the function that holds the code, where a call inlined there is the
 * line of the call.  The strings lie in ARENA.  -1 when out of memory.
 */
int sym_lookup_places(struct sym_lookup *lookup, const uint64_t *addrs,
	size_t n, bool outer, struct sym_place *places, struct arena *arena);

#endif
