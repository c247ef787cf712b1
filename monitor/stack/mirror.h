/*
 * mirror.h - the part of a thread's stack beyond the copies, as the kernel sent
 * it.
 *
 * Chunks come before the sample that they were taken with, at the same moment.
 * stack_mirror_settle(), with the state that the sample gives, makes the mirror
 * valid for that moment.
 */
#ifndef CPPROF_STACK_MIRROR_H
#define CPPROF_STACK_MIRROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of the stack. */
struct stack_chunk {
	uint32_t mirror; /* another number: chunks of the old mirror are void */
	uint32_t size;
	uint64_t addr; /* of the first byte */
	uint64_t top;  /* where the mirror ends */
	const uint8_t *bytes;
};

/*
 * What a sample says of the mirror: it is valid from address `from` on (0: not
 * at all).  From `same` on it is unchanged since the thread's last sample with
 * it.  The part below came in chunks just before this sample, or is absent.
 */
struct stack_mirror_state {
	uint32_t mirror;
	uint64_t from, same;
};

struct stack_mirror {
	uint32_t number;
	uint32_t moment; /* of the next chunks */
	uint64_t low,
		top;     /* the pages that there is memory for, top excluded */
	uint64_t from;   /* valid from there on; 0: not at all */
	uint64_t stable; /* unchanged from there on since the previous stack
			    was kept */
	uint8_t *bytes;  /* of [low, top) */
	uint32_t *moments; /* of each page, from the top down; 0: absent */
};

/* NULL: no memory.  Freed with stack_mirror_free(), NULL is ignored. */
struct stack_mirror *stack_mirror_new(void);
void stack_mirror_free(struct stack_mirror *mirror);

/* Takes a chunk; -1: no memory, and the mirror is invalid. */
int stack_mirror_put(
	struct stack_mirror *mirror, const struct stack_chunk *chunk);

/* Takes the state from a sample. */
void stack_mirror_settle(
	struct stack_mirror *mirror, const struct stack_mirror_state *state);

/*
 * The previous stack is kept: what changes from now on is not stable.  If that
 * stack is not in the mirror (HOLDS is false), nothing is stable.
 */
void stack_mirror_compare_from_now(struct stack_mirror *mirror, bool holds);

/* N bytes at ADDR at the moment of the last sample; false: unknown. */
bool stack_mirror_read(
	const struct stack_mirror *mirror, uint64_t addr, void *buf, size_t n);

#endif
