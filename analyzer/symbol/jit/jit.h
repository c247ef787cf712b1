/*
 * jit.h - names and lines of code that a program made while it ran.
 *
 * JIT compilers describe their code to profilers in two ways:
 *
 * - /tmp/perf-PID.map (tools/perf/Documentation/jit-interface.txt of Linux):
 * lines of start, size (hexadecimal) and name, without times. Of several lines
 * for one address the last counts.
 *
 * - jit-PID.dump (jitdump-specification.txt, there too): a binary log with
 * times and maybe source lines, found through the program's own mapping of it.
 * An address means the code that was there at its first sample.
 *
 * A forged log can only give wrong names. Only a regular file of this user or
 * of root is read, no link is followed, lines and records without sense are
 * skipped, and work and memory are bounded.
 */
#ifndef CPPROF_SYMBOL_JIT_H
#define CPPROF_SYMBOL_JIT_H

#include "analyzer/symbol/table/addresses.h"
#include "analyzer/symbol/table/table.h"
#include "lib/run/run_files.h"

struct sym_jit {
	char map[64]; /* path of the perf map */
	bool has_map, has_dump;
	bool timed;    /* the age of some of the map's lines is bounded */
	char why[128]; /* why an existing file was not read */
	size_t reused; /* addresses that had several names in turn */
};

/* The ascending addresses of a module of kind CPD_MODULE_ANON. */
struct sym_jit_task {
	const struct cpd_writer *writer;
	const struct cpd_module *about;
	const struct run_files *files; /* knows the run's jitdumps; or NULL */
	const struct sym_address *lookups;
	size_t n;
	struct sym_function *functions; /* for the names and lines */
	struct arena *arena;            /* where they lie */
};

/*
 * Fills in FUNCTIONS; a name is NULL where none is known.  A forked process
 * without files of its own has those of its parent. MAP_FD is the process's
 * open map, closed by this call; -1: it looks for it.  -1 when out of memory.
 */
int sym_jit_names(
	const struct sym_jit_task *task, int map_fd, struct sym_jit *jit);

/* What a file says: code of that name was made at LO. */
struct jit_claim {
	uint64_t time; /* 0: unknown */
	uint64_t lo, hi;
	const char *name;
	size_t len;
	uint64_t lines; /* where the file has its lines; 0: nowhere */
	uint32_t lines_size;
};

struct jit_choice {
	struct jit_claim claim; /* its name is NULL: none yet */
	bool in_time; /* it was there when the address was first sampled */
	bool reused;
};

struct jit_choices {
	const struct sym_jit_task *task;
	struct jit_choice *v; /* by address */
	size_t work;
	uint64_t shift; /* by which addresses of lines are too high */
};

/*
 * choices.c: takes the claims of one file, in its order; names must stay until
 * all are taken.  An address takes the latest claim that existed at its first
 * sample, or the earliest if all came later.
 */
void sym_jit_claim(struct jit_choices *choices, const struct jit_claim *claim);

/* Names the addresses that have no name yet as they were chosen.  -1: no
   memory. */
int sym_jit_choose(const struct jit_choices *choices, struct sym_jit *jit);

/* jitdump.c: takes the claims of a jitdump.  -1 when out of memory. */
int sym_jitdump_read(int fd, struct jit_choices *choices, struct arena *arena);

/* Then: adds the lines of what was chosen to the functions.  Likewise. */
int sym_jitdump_lines(int fd, const struct jit_choices *choices);

#endif
