/*
 * dwarf.h - source lines and inlined calls from DWARF (2 to 5).
 *
 * One pass serves all addresses of a module: it opens each compilation unit
 * that holds some of them once, and walks its tree once, into functions and
 * blocks that have addresses. The work is bounded: entries beyond the bound,
 * and broken ones, give no frames.
 */
#ifndef CPPROF_SYMBOL_DWARF_H
#define CPPROF_SYMBOL_DWARF_H

#include <elfutils/libdw.h>
#include <stdint.h>

#include "lib/arena.h"

struct sym_frame {
	const char *linkage;   /* NULL: none */
	const char *name;      /* as in the source; in C++, of an inlined call
				  without linkage name, with its scopes (see
				  scopes.h); NULL: unknown */
	const char *file;      /* full path; NULL: unknown */
	uint32_t line;         /* 0: unknown */
	const char *decl_file; /* where the function is declared: full path, */
	uint32_t decl_line;    /* NULL and 0: unknown */
	uint64_t body;         /* C++, inlined, without linkage name: where it
				  also stands as a function; 0: nowhere */
};

/* The frames of an address, innermost first, the concrete function last. */
struct sym_frames {
	uint32_t n;    /* 0: in no function known */
	uint32_t line; /* of the address itself, with n = 0 too */
	const char *file;
	const struct sym_frame *v;
	uint64_t lo, hi; /* of the concrete function around the address */
	/* What the call before the address names, where a call site entry says
	   so: a function of this module, or an external one. */
	uint64_t callee;           /* 0: none */
	const char *callee_symbol; /* NULL: none */
};

/*
 * Fills FRAMES[N] for the ascending addresses ADDRS[N]; addresses in DWARF are
 * lower by BIAS. DWARF owns the strings, ARENA the arrays. -1 when out of
 * memory.
 */
int sym_dwarf_frames(Dwarf *dwarf, uint64_t bias, const uint64_t *addrs,
	size_t n, struct sym_frames *frames, struct arena *arena);

#endif
