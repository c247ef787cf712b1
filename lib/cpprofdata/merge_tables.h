/*
 * merge_tables.h - what merged files share: modules, functions, and the
 * meanings of addresses.
 *
 * Modules and functions are written as they come, equal ones once.  Addresses
 * are kept to the end, since a later file may have a better name for one.
 * Functions return -1 or 0 when memory is out or the writer failed.
 */
#ifndef CPPROF_CPPROFDATA_MERGE_TABLES_H
#define CPPROF_CPPROFDATA_MERGE_TABLES_H

#include <stdbool.h>

#include "lib/arena.h"
#include "lib/cpprofdata/writer.h"
#include "lib/set.h"

/* Records that are written once, by their bytes in the file. */
struct merge_records {
	struct strings encoded;
	VEC(uint32_t) ids; /* [number there - 1]: in the merged file */
};

struct merge_addr {
	uint64_t module, addr;
	struct cpd_addr record;
};

struct cpd_merge_tables {
	struct arena arena;
	struct strings files; /* of frames */
	struct merge_records modules, functions;
	VEC(bool) named; /* [function - 1]: by more than their bounds */
	SET_OF(struct merge_addr) addrs;
};

/* Of zeros to begin with. */
void cpd_merge_tables_fini(struct cpd_merge_tables *t);

/* The number of a module in the merged file; 0: failed. */
uint32_t cpd_merge_module(struct cpd_merge_tables *t, struct cpd_writer *w,
	const struct cpd_module *module);

/* The same of a function. */
uint32_t cpd_merge_function(struct cpd_merge_tables *t, struct cpd_writer *w,
	const struct cpd_function *function);

/*
 * What an address means; ADDR has the numbers of the merged file.  -1: no
 * memory.
 */
int cpd_merge_addr(struct cpd_merge_tables *t, const struct cpd_addr *addr);

/* Whether the function that holds the code of ADDR has a name. */
bool cpd_merge_is_named(
	const struct cpd_merge_tables *t, const struct cpd_addr *addr);

/* Writes the addresses. */
int cpd_merge_tables_write(struct cpd_merge_tables *t, struct cpd_writer *w);

#endif
