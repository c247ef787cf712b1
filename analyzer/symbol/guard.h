/*
 * guard.h - survives files that shrink while they are read.
 *
 * elfutils maps files into memory; a page of a mapping that lies behind the end
 * of its file, since somebody truncated it, raises SIGBUS when it is read.
 * Between sym_guard_begin() and sym_guard_end() such a page reads as zeros in
 * the calling thread, and nothing that reads the file believes zeros more than
 * anything else in it.  Any other SIGBUS ends the process as it would have.
 *
 * The handler is the process's, for that time: one thread at once.
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
