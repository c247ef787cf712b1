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
#include "lib/set.h"

/* Keys first: strings by number, modules by that of the merged file. */

struct merge_module {
	uint8_t build_id[CPD_BUILD_ID_MAX];
	uint32_t length, path, kind;
	uint32_t id; /* in the merged file */
};

struct merge_function {
	uint64_t lo, hi;
	uint32_t module, name, linkage, file, line, source, flags;
	uint32_t id; /* in the merged file; 0: not written yet */
};

struct merge_addr {
	uint64_t module, addr;
	struct cpd_addr record; /* functions have numbers in the tables */
};

struct cpd_merge_tables {
	struct strings *strings;
	struct arena arena;
	SET_OF(struct merge_module) modules;
	SET_OF(struct merge_function) functions;
	SET_OF(struct merge_addr) addrs;
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
