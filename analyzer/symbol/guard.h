/*
 * guard.h - survives files that shrink while they are read.
 *
 * elfutils maps files into memory. When a file is truncated, reading a page
 * behind its new end raises SIGBUS. Between sym_guard_begin() and
 * sym_guard_end() such a page reads as zeros in the calling thread; readers
 * trust zeros no more than any other bytes of a file. Any other SIGBUS ends the
 * process as usual.
 *
 * The handler belongs to the process for that time: one thread at once.
 */
#ifndef CPPROF_SYMBOL_GUARD_H
#define CPPROF_SYMBOL_GUARD_H

#include <signal.h>
#include <stdbool.h>

struct sym_guard {
	struct sigaction old;
	bool installed;
};

void sym_guard_begin(struct sym_guard *guard);
void sym_guard_end(struct sym_guard *guard);

#endif
