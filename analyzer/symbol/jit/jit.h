/*
 * jit.h - names of code that a program made while it ran.
 *
 * JIT compilers describe their code to profilers in two ways:
 *
 * - /tmp/perf-PID.map (tools/perf/Documentation/jit-interface.txt of Linux):
 * lines of start, size (hexadecimal) and name, without times. Of several lines
 * for one address the last counts.
 *
 * - jit-PID.dump (jitdump-specification.txt, there too): a binary log with
 * times, found through the program's own mapping of it. An address means the
 * code that was there at its first sample.
 *
 * A forged log can only give wrong names. Only a regular file of this user or
 * of root is read, no link is followed, lines and records without sense are
 * skipped, and work and memory are bounded.
 */
#ifndef CPPROF_SYMBOL_JIT_H
#define CPPROF_SYMBOL_JIT_H

#include "analyzer/symbol/table/addresses.h"
#include "analyzer/symbol/table/table.h"
#include "lib/run_files.h"

struct sym_jit {
	char map[64]; /* path of the perf map */
	bool has_map, has_dump;
	bool timed;    /* the age of some of the map's lines is bounded */
	char why[128]; /* why an existing file was not read */
	size_t reused; /* addresses that had several names in turn */
};

/*
 * Names the N ascending addresses LOOKUPS of the module ABOUT (CPD_MODULE_ANON)
 * of W; FUNCTIONS[i].name is NULL where no name is known. Names lie in ARENA. A
 * forked process without files of its own has those of its parent. MAP_FD is
 * the process's open map, closed by this call; -1: it looks for it. FILES knows
 * the run's jitdumps; may be NULL. -1 when out of memory.
 */
int sym_jit_names(const struct cpd_writer *w, const struct cpd_module *about,
	const struct run_files *files, int map_fd,
	const struct sym_address *lookups, size_t n,
	struct sym_function *functions, struct arena *arena,
	struct sym_jit *jit);

/* Claims of both files, in the order in which they were made. */
struct jit_claim {
	uint64_t time; /* 0: unknown */
	uint64_t lo, hi;
	const char *name; /* in the arena, or in the file's text up to LEN */
	size_t len;
};

struct jit_claims {
	struct jit_claim *v;
	size_t n, cap;
};

/* analyzer/symbol/jit/jitdump.c: reads a jitdump.  -1 when out of memory. */
int sym_jitdump_read(int fd, struct jit_claims *claims, struct arena *arena);

#endif
