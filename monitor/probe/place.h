/*
 * place.h - where in a function an uprobe costs least.
 *
 * Where the kernel does by itself what the instruction at an uprobe does a hit
 * takes 0.5 to 1 us, else 12 to 20.  Half of all functions begin with one of
 * the second kind, and most of these have one of the first a few instructions
 * on, which each call executes once.
 */
#ifndef CPPROF_PROBE_PLACE_H
#define CPPROF_PROBE_PLACE_H

#include "lib/arch/decoder.h"
#include "monitor/probe/symbols.h"

struct probe_place {
	uint64_t addr;  /* link-time */
	uint64_t from;  /* no jump of the function leads behind this, up to it
			 */
	uint32_t depth; /* bytes that the function has on its stack there */
	bool stepped;   /* it costs the most */
};

/*
 * The place in the function at ADDR of SIZE bytes (0: unknown).  Its beginning
 * is not it where that is executed again after the stack has grown (Go).
 */
struct probe_place probe_place(struct decoder *decoder,
	const struct probe_symbols *symbols, uint64_t addr, uint64_t size);

#endif
