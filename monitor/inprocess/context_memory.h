/*
 * context_memory.h - the calls of instrumented functions by context, in memory
 * that the target's processes and the monitor share.
 *
 * A program compiled with -finstrument-functions or -pg calls the counting
 * object at the beginning of each function.  There each thread has an automaton
 * (Spivey, "Fast, accurate call graph profiling", SP&E 2004): its states are
 * contexts, and a call is a transition, which is looked up by (context, call
 * site, function) and counted.  Transitions are made when first taken; one of a
 * recursion that no profile could tell from a context around it leads back to
 * that (fold.h), so recursion of any depth has a bounded number of them.
 *
 * The memory is one file for the whole run, of the monitor's making.  All in it
 * is found by its number, in units of 32 bytes.  What a process has counted
 * stays there, however it ends.  The monitor trusts nothing of it.
 */
#ifndef CPPROF_INPROCESS_CONTEXT_MEMORY_H
#define CPPROF_INPROCESS_CONTEXT_MEMORY_H

#include <stdint.h>

#define CONTEXTS_UNIT 32u
#define CONTEXTS_MOST (32u << 20) /* units */

/* The code of an address: which of the files that were mapped there. */
#define CONTEXTS_EPOCH_SHIFT 48
#define CONTEXTS_ADDRESS ((1ull << CONTEXTS_EPOCH_SHIFT) - 1)

/*
 * A transition.  That of a new context leads to itself; others lead to one of
 * lower number.  FROM has a lower number, too; it is 0 where the thread began.
 */
struct contexts_call {
	uint64_t callee; /* and the epoch above it */
	uint64_t site;   /* the return address */
	uint32_t from, to;
	uint64_t calls;
};

struct contexts_shared { /* number 0 */
	uint64_t run;
	uint64_t on;                 /* 1: calls count, 0: they do not */
	uint64_t used;               /* units */
	uint64_t lost;               /* calls that count in no context */
	uint32_t processes, threads; /* the last ones */
	uint32_t padding[6];
};

struct contexts_process {
	uint32_t before; /* the one made before; 0: none */
	int32_t pid, parent;
	uint32_t maps; /* the last one */
	uint64_t time;
	char name[16];
	uint64_t padding[3];
};

/* A mapping with code, as /proc/self/maps has it. */
struct contexts_map {
	uint32_t before;
	uint32_t bytes; /* of the line */
	uint64_t start, end;
	uint32_t born, died; /* epochs; died 0: it is there */
	char line[];
};

enum { CONTEXTS_LIVE, CONTEXTS_ENDED, CONTEXTS_TAKEN, CONTEXTS_FREE };

struct contexts_thread {
	uint32_t before;
	uint32_t process;
	int32_t tid;
	uint32_t state; /* the monitor takes an ended one, and frees it */
	uint64_t time;
	uint32_t blocks; /* the last one */
	uint32_t padding;
};

/* Transitions of one thread. */
struct contexts_block {
	uint32_t before;
	uint32_t n; /* in use */
	uint32_t room;
	uint32_t padding[5];
	struct contexts_call calls[];
};

#endif
