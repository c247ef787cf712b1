/*
 * symbols.h - where the functions of one ELF file begin, by name.
 *
 * A name is the profile's or the linker's: "f", "ns::f", "ns::f(int)",
 * "_ZN2ns1fEi".  Without parameters it stands for all overloads, without
 * template arguments for all instances.  Copies that a compiler made
 * (f.constprop.0, f.isra.0) are f; pieces (f.cold, f.part.0) are not, since a
 * jump there is no call. Symbols come from the file, from its separate debug
 * file and from .gnu_debugdata, as libdwfl finds them.
 */
#ifndef CPPROF_PROBE_SYMBOLS_H
#define CPPROF_PROBE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/elf/debug_file.h"
#include "lib/err.h"
#include "lib/vec.h"

struct probe_symbols;

/* NULL with the reason in ERR.  SEARCH is borrowed. */
struct probe_symbols *probe_symbols_open(
	const char *path, struct debug_search *search, struct err *err);
void probe_symbols_close(struct probe_symbols *symbols);

struct probe_address {
	uint64_t addr;   /* link-time */
	uint64_t offset; /* of the same byte in the file */
	bool function;   /* its symbol says so: it is no label in one */
};

struct probe_found {
	VEC(struct probe_address) addresses; /* ascending, each once */
	bool data;                           /* a variable has the name */
	bool imported; /* the file uses a library's function of the name */
	bool chosen; /* the program's start chooses (IFUNC) among functions with
			other names */
	bool inlined; /* by DWARF, at least one call of it is */
};

/* -1: no memory.  To be freed by vec_free(&found->addresses). */
int probe_symbols_find(struct probe_symbols *symbols, const char *name,
	struct probe_found *found);

/*
 * Calls SEE for each function, with its name for the linker and its size in
 * bytes; stops with -1 as soon as SEE returns that.
 */
int probe_symbols_each(struct probe_symbols *symbols,
	int (*see)(void *arg, const char *name,
		const struct probe_address *address, uint64_t size),
	void *arg);

/*
 * Reads up to SIZE bytes of code from link-time address ADDR; returns how many.
 */
size_t probe_symbols_code(const struct probe_symbols *symbols, uint64_t addr,
	uint8_t *code, size_t size);

/*
 * Calls SEE for what may be the target of a jump or call over more than 127
 * bytes, until it returns true.  -1: no memory, or the code cannot be read.
 */
int probe_symbols_each_target(const struct probe_symbols *symbols,
	bool (*see)(void *arg, uint64_t target), void *arg);

/*
 * Whether at ADDR is a stub by which files call functions of others.  *FUNCTION
 * is that of the same name in this file, 0: it has none.
 */
bool probe_symbols_stub(
	const struct probe_symbols *symbols, uint64_t addr, uint64_t *function);

/* Whether the file has only dynamic symbols, or none. */
bool probe_symbols_stripped(const struct probe_symbols *symbols);

/* Fills TEXT with "'f', 'g'", names like NAME; "" if there are none. */
void probe_symbols_like(struct probe_symbols *symbols, const char *name,
	char *text, size_t size);

/* The link-time address of the first instruction; 0: none. */
uint64_t probe_symbols_entry(const struct probe_symbols *symbols);

/* The dynamic linker that the file names, or "". */
const char *probe_symbols_linker(const struct probe_symbols *symbols);

/* The offset in the file of link-time address ADDR; false: it has none. */
bool probe_symbols_offset(
	const struct probe_symbols *symbols, uint64_t addr, uint64_t *offset);

/*
 * Whether a name from a symbol table is the function WANTED, so that its calls
 * count.
 */
bool probe_name_is(const char *symbol, const char *wanted);

/* Whether its name, in any of those forms, matches PATTERN as a file's would.
 */
bool probe_name_matches(const char *symbol, const char *pattern);

#endif
