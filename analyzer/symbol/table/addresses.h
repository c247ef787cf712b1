/* addresses.h - the addresses and calls of a run that get names. */
#ifndef CPPROF_SYMBOL_ADDRESSES_H
#define CPPROF_SYMBOL_ADDRESSES_H

#include "lib/cpprofdata/writer.h"

struct sym_address { /* as struct cpd_addr has it */
	uint64_t addr;
	uint32_t module;
	uint64_t time; /* CPD_MODULE_ANON: of the first sample with it; or 0 */
};

struct sym_call { /* code of ADDR in CALLEE_MODULE was called from ADDR */
	uint32_t module, callee_module;
	uint64_t addr, callee; /* as in struct sym_address */
};

struct sym_addresses {
	struct sym_address *v; /* distinct, by module and address */
	size_t n;
	struct sym_call *calls; /* likewise */
	size_t ncalls;
};

/*
 * Takes the addresses of the nodes that W has written, except nodes without a
 * module. -1: no memory. Either way sym_addresses_fini() is due.
 */
int sym_addresses_init(
	struct sym_addresses *addresses, const struct cpd_writer *w);
void sym_addresses_fini(struct sym_addresses *addresses);

#endif
