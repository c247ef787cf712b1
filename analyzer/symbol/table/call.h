/* call.h - reads the machine code of a call. */
#ifndef CPPROF_SYMBOL_CALL_H
#define CPPROF_SYMBOL_CALL_H

#include "analyzer/symbol/table/addresses.h"
#include "analyzer/symbol/table/table.h"

/* What a call names: a function of its own module, or a symbol, or neither. */
struct sym_callee {
	bool known;
	struct sym_function function; /* known: it starts where the call goes */
	char symbol[SYM_NAME_MAX + 1]; /* for the dynamic linker; "": none */
};

/*
 * Reads the call before the address RETURNS: a direct one, to a function or a
 * stub of the linkage table, or one through a pointer of the offset table.
 */
void sym_call_read(const struct sym_table *table, uint64_t returns,
	struct sym_callee *callee);

/* Sets *TO to the target of the call before RETURNS, if it is direct. */
bool sym_call_direct(
	const struct sym_table *table, uint64_t returns, uint64_t *to);

/*
 * called.c: adds nameless functions that the run's calls from the table's
 * module, sorted by address, reveal. -1 when out of memory.
 */
int sym_called_add(
	struct sym_table *table, const struct sym_call *calls, size_t n);

/* The function that starts at ADDR, if its end is known too. */
bool sym_call_function(const struct sym_table *table, uint64_t addr,
	struct sym_function *function);

#endif
