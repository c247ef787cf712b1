/*
 * automaton.h - shared by contexts.c, which has the memory, the process and its
 * threads, and hooks.c, which counts.
 */
#ifndef CPPROF_INPROCESS_AUTOMATON_H
#define CPPROF_INPROCESS_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/inprocess/context_memory.h"
#include "monitor/inprocess/fold.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define UNLIKELY(x) __builtin_expect(x, 0)
#define BARRIER() __asm__ volatile("" ::: "memory")

#define FIRST_TABLE 512
#define FIRST_DEPTH 128

/* A function that has not returned. */
struct entry {
	uintptr_t at; /* the stack pointer at its hook; -pg: its CFA */
	uint64_t callee;
	uint64_t site;  /* what it returns to */
	uint32_t state; /* the context; LOST: unknown */
	bool untold;    /* -pg: its end has no hook */
};
#define LOST UINT32_MAX

/* The automaton of a thread, which another one uses when it has ended. */
struct automaton {
	const uint32_t *gate; /* 0: this is another process, or not begun */
	char *base;           /* of the memory, as far as it is used here */
	uint32_t *table;      /* transitions by hash; 0: none */
	struct entry *entries, *top;
	uint32_t mask, n; /* of the table */
	uint32_t room;    /* of the entries */
	struct contexts_page *thread;
	struct contexts_page *page; /* of the last transitions */
	struct automaton *next;
	struct fold fold;
};

/* The thread's; one that is not begun has one with no entries. */
extern HIDDEN __thread struct automaton *self
	__attribute__((tls_model("initial-exec")));

/* Where the stack is of a hook at work; 0: none is. */
extern HIDDEN __thread uintptr_t busy
	__attribute__((tls_model("initial-exec")));

/* Of the code that is mapped now; shifted. */
extern HIDDEN uint64_t contexts_epoch;

/* Whether anything is counted, for mcount. */
extern HIDDEN bool contexts_count;

/* A call that is in no context. */
HIDDEN void contexts_lose(void);

/*
 * A hook is at work already, or has not begun in this thread or process.
 * Whether the call at AT is to be counted.
 */
HIDDEN bool contexts_enter(uintptr_t at);

/* A jump leaves the hook that is at work. */
HIDDEN void contexts_leave(void);

/* Memory of this process, all zero; NULL: none. */
HIDDEN void *contexts_map(size_t size);
HIDDEN void contexts_unmap(void *at, size_t size);

/* A new page for the thread's transitions.  False: there is no room. */
HIDDEN bool contexts_new_page(void);

/* Has the monitor know what is mapped at ADDR. */
HIDDEN void contexts_tell_map(uint64_t addr);

#endif
