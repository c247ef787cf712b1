/*
 * call.h - what the machine code of a call says.
 */
#ifndef CPPROF_SYMBOL_CALL_H
#define CPPROF_SYMBOL_CALL_H

#include "analyzer/symbol/addresses.h"
#include "analyzer/symbol/table/table.h"

/* What a call names: a function of its own module, or a symbol, or neither. */
struct sym_callee {
	bool known;
	struct sym_function function; /* known: it starts where the call goes */
	char symbol[SYM_NAME_MAX + 1]; /* for the dynamic linker; "": none */
};

/*
 * Reads the call just before the address RETURNS: direct, to a function or to a
 * stub of the linkage table, or through a pointer of the offset table.
 */
void sym_call_read(const struct sym_table *table, uint64_t returns,
	struct sym_callee *callee);

/* In *TO where the call before RETURNS leads, if it is direct. */
bool sym_call_direct(
	const struct sym_table *table, uint64_t returns, uint64_t *to);

/*
 * analyzer/symbol/table/called.c: adds nameless functions where a run's calls
 * from the table's module, sorted by address, tell of them.  -1 when out of
 * memory.
 */
int sym_called_add(
	struct sym_table *table, const struct sym_call *calls, size_t n);

/* The function at ADDR if one starts there and more than its start is known. */
bool sym_call_function(const struct sym_table *table, uint64_t addr,
	struct sym_function *function);

#endif
