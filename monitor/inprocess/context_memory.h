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
 * The memory is one file for the whole run, of the monitor's making: pages,
 * which are used one after the other, by all processes.  So what a page refers
 * to is before it.  What a process has counted stays there, however it ends.
 * The monitor trusts nothing of it.
 */
#ifndef CPPROF_INPROCESS_CONTEXT_MEMORY_H
#define CPPROF_INPROCESS_CONTEXT_MEMORY_H

#include <stdint.h>

#define CONTEXTS_HEAD 64u       /* bytes of a page that are not its contents */
#define CONTEXTS_CALL 32u       /* bytes of a transition */
#define CONTEXTS_CALLS_MOST 126 /* transitions of a page */
#define CONTEXTS_PAGE (CONTEXTS_HEAD + CONTEXTS_CALLS_MOST * CONTEXTS_CALL)
#define CONTEXTS_MOST (1u << 18) /* pages */

/* The code of an address: which of the files that were mapped there. */
#define CONTEXTS_EPOCH_SHIFT 48
#define CONTEXTS_ADDRESS ((1ull << CONTEXTS_EPOCH_SHIFT) - 1)

/*
 * A transition; its number is where it is, in units of its size.  That of a new
 * context leads to itself; others lead to one of lower number.  FROM has a
 * lower number, too; it is 0 where the thread began.
 */
struct contexts_call {
	uint64_t callee; /* and the epoch above it */
	uint64_t site;   /* the return address */
	uint32_t from, to;
	uint64_t calls;
};

struct contexts_shared { /* page 0 */
	uint64_t run;
	uint64_t on;   /* 1: calls count, 0: they do not */
	uint64_t lost; /* calls that count in no context */
	uint32_t used; /* pages */
};

enum contexts_kind {
	CONTEXTS_NONE,    /* is being made */
	CONTEXTS_PROCESS, /* with the first lines of what it has mapped */
	CONTEXTS_MAPS,    /* more of them */
	CONTEXTS_THREAD,  /* with its first transitions */
	CONTEXTS_CALLS,   /* more of them */
};

enum { CONTEXTS_LIVE, CONTEXTS_ENDED, CONTEXTS_TAKEN, CONTEXTS_FREE };

struct contexts_page {
	uint32_t kind;
	/* A forked process's parent; of lines and threads the process, and of
	   more transitions the thread. */
	uint32_t of;
	uint32_t n;     /* bytes of lines, or transitions */
	uint32_t epoch; /* of the lines */
	/* Of a process and a thread: */
	int32_t id, parent;
	uint64_t time;
	char name[16];
	/* Of a thread: */
	uint32_t state;  /* the monitor takes an ended one, and frees it */
	uint32_t number; /* the page's own */
	uint64_t padding;
	union {
		/* of mappings with code, as /proc/self/maps has them */
		char lines[CONTEXTS_PAGE - CONTEXTS_HEAD];
		struct contexts_call calls[CONTEXTS_CALLS_MOST];
	};
};

_Static_assert(sizeof(struct contexts_page) == CONTEXTS_PAGE, "a page");

#endif
