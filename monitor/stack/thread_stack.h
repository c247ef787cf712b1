/*
 * thread_stack.h - takes a thread's stack.
 *
 * A sample's snapshot becomes a node of the call tree here and nowhere else.
 * struct thread_stack keeps what helps with the thread's next sample: the stack
 * of its last one (previous.h), and the nodes of the stacks that it waits with.
 */
#ifndef CPPROF_STACK_THREAD_STACK_H
#define CPPROF_STACK_THREAD_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cpprofdata/writer.h"
#include "lib/vec.h"
#include "monitor/base/limits.h"
#include "monitor/interpreter/frames.h"
#include "monitor/stack/live.h"
#include "monitor/stack/mixed.h"
#include "monitor/stack/previous.h"
#include "monitor/stack/snapshot.h"
#include "monitor/stack/unwinder.h"

/* Zeros at the thread's beginning. */
struct thread_stack {
	struct previous_stack previous;
	/* nodes of the stacks that it waits with, by timer; 0: none */
	uint32_t off_cpu[RESOURCES_MAX];
	struct told_frames told; /* of its interpreter, last */
};

/* Takes the stacks of all threads. */
struct stack_taker {
	struct cpd_writer *writer;
	const struct unwinder *unwinder;
	struct unwind_stack stack; /* the last one that was unwound */
	path_steps steps;          /* of its new frames */
	struct live live;
	/* rounds in which samples should be handled soon: they ask the live
	   process for stacks, or for code that comes and goes */
	unsigned short_for_stack, short_for_code;
	unsigned failed; /* such stacks since the last that was whole */
};

void stack_taker_fini(struct stack_taker *taker);

/* How long this round may be, ns: MOST, or less; counts the rounds. */
uint64_t stack_taker_round(struct stack_taker *taker, uint64_t most);

struct taken_stack {
	uint32_t node;    /* of the call tree */
	uint32_t call;    /* the snapshot's */
	uint64_t address; /* and this */
	/* the stack pointer, and that of the outermost frame; 0: unknown */
	uint64_t inner, outer;
	bool truncated, read_later;
	bool interpreted; /* it has the frames of an interpreter */
};

/*
 * Unwinds SNAPSHOT, of a thread in SPACE.  What its stack lacks is read from
 * the live process snapshot->pid (live.h), unless it has a `read_memory` of its
 * own.  -1: cpd_writer_error() says why; else there was no memory.
 */
int stack_take(struct stack_taker *taker, struct thread_stack *thread,
	struct snapshot *snapshot, const struct address_space *space,
	struct taken_stack *taken);

#endif
