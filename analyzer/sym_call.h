/*
 * sym_call.h - what the machine code of a call says.
 */
#ifndef CPPROF_SYM_CALL_H
#define CPPROF_SYM_CALL_H

#include "sym_table.h"

/*
 * The function that the direct call just before the address RETURNS names
 * (`e8 rel32`); false where there is no such call, or it leads to no known
 * start of a function, or to a stub of the linkage table, behind which any
 * function may be.
 */
bool sym_call_target(const struct sym_table *table, uint64_t returns,
	struct sym_function *target);

#endif
