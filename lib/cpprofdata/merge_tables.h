/*
 * merge_tables.h - what merged files share: modules, functions, and the
 * meanings of addresses.
 *
 * Modules are passed to the writer as they come.  Functions and addresses are
 * kept to the end, since a later file may have a better name for an address.
 * Functions return -1 or 0 when memory is out or the writer failed.
 */
#ifndef CPPROF_CPPROFDATA_MERGE_TABLES_H
#define CPPROF_CPPROFDATA_MERGE_TABLES_H

#include <stdbool.h>

#include "lib/arena.h"
#include "lib/cpprofdata/writer.h"
#include "lib/hash.h"
#include "lib/vec.h"

struct cpd_merge_tables {
	struct strings *strings;
	struct arena arena;
	/* Their strings are those of STRINGS; ids are of the merged file, 0 if
	   not written yet; functions in ADDRS have numbers in T. */
	VEC(struct cpd_module) modules;
	VEC(struct cpd_function) functions;
	VEC(struct cpd_addr) addrs;
	struct hash known_modules, known_functions, known_addrs;
};

/* -1: out of memory. */
int cpd_merge_tables_init(struct cpd_merge_tables *t);
void cpd_merge_tables_fini(struct cpd_merge_tables *t);

/* The number of a module in the merged file; 0: failed. */
uint32_t cpd_merge_module(struct cpd_merge_tables *t, struct cpd_writer *w,
	const struct cpd_module *module);

/* The number of a function (module: the merged one) in T; 0: no memory. */
uint32_t cpd_merge_function(
	struct cpd_merge_tables *t, const struct cpd_function *function);

/*
 * What an address means; ADDR has the merged module, its functions are numbers
 * in T.  -1: no memory.
 */
int cpd_merge_addr(struct cpd_merge_tables *t, const struct cpd_addr *addr);

/* Writes the functions in use and the addresses. */
int cpd_merge_tables_write(struct cpd_merge_tables *t, struct cpd_writer *w);

#endif
