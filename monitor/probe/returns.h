/*
 * returns.h - where a function returns to its caller.
 *
 * For probes that see what a function returned: one at its end by the kernel's
 * own means would change the return address on the program's stack.
 */
#ifndef CPPROF_PROBE_RETURNS_H
#define CPPROF_PROBE_RETURNS_H

#include "monitor/probe/symbols.h"

/*
 * Calls SEE for the address of each return instruction of the function at ADDR
 * of SIZE bytes, and of those that it jumps to; SIZE_OF says how long such a
 * one is.  TAIL: instead it is a jump that goes to another file, by a stub, or
 * by a register.  (Allocators go on by stubs to functions of their own, too.)
 * Stops with -1 as soon as SEE returns that, or without memory. Where code
 * cannot be decoded there may be more.
 */
int returns_each(const struct probe_symbols *symbols, uint64_t addr,
	uint64_t size, uint64_t (*size_of)(void *arg, uint64_t addr),
	int (*see)(void *arg, uint64_t addr, bool tail), void *arg);

#endif
