/* object.h - shared by the files of the counting object. */
#ifndef CPPROF_INPROCESS_OBJECT_H
#define CPPROF_INPROCESS_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/inprocess/counting.h"

/* What the variable says. */
struct counting_settings {
	uint32_t run; /* 0: not known yet */
	unsigned spread, stops, follows, first;
	int monitor, fd; /* whose file contexts are counted in; FD 0: none */
	uint64_t interval[COUNTINGS];
};
extern struct counting_settings settings __attribute__((visibility("hidden")));

/* Reads them; false: there is no environment yet. */
bool object_settings(void) __attribute__((visibility("hidden")));

/* Nothing will be counted: there are no settings. */
void object_rest(void) __attribute__((visibility("hidden")));

/*
 * The blocks whose ends are to be reported, by address.  The table is bounded
 * and takes no lock; a forked child has none of its parent's.
 *
 * followed_add() is a number for the block at P, of which there is no other; 0:
 * there is no room for it, or no block.  followed_put() gives P a number that
 * another address had; false: no room.  followed_take() is the number of the
 * block at P, and forgets it; 0: there is none.
 */
uint32_t followed_add(void *p) __attribute__((visibility("hidden")));
bool followed_put(void *p, uint32_t block)
	__attribute__((visibility("hidden")));
uint32_t followed_take(void *p) __attribute__((visibility("hidden")));

/* How many blocks of the table have addresses of each hash; NULL: none has. */
#define FOLLOWED_FILTER_BITS 15
extern uint16_t *followed_filter __attribute__((visibility("hidden")));

static inline uint64_t followed_hash(const void *p)
{
	return (uintptr_t)p * 0x9e3779b97f4a7c15u;
}

/* Its place there.  Neighbours are near each other: a program frees what lies
   together, and the filter takes little of its cache. */
static inline size_t followed_place(const void *p)
{
	uintptr_t at = (uintptr_t)p / 16;

	return (at ^ at >> FOLLOWED_FILTER_BITS) &
	       ((1u << FOLLOWED_FILTER_BITS) - 1);
}

/* Whether the block at P may be in the table. */
static inline bool followed_may_have(const void *p)
{
	return followed_filter && followed_filter[followed_place(p)];
}

/* Reports what the calling thread has consumed since its last report. */
void object_flush(void) __attribute__((visibility("hidden")));

/* Reports that the program has the object, if it never requests memory, too. */
void object_start(void) __attribute__((visibility("hidden")));

/*
 * Finds the functions behind ours: later it could be in a forked child, whose
 * dynamic linker another thread may have locked for ever.
 */
void object_find(void) __attribute__((visibility("hidden")));

/*
 * Calls by context (context_memory.h).  Finds what is behind its functions;
 * maps the memory that settings tell of, false: nothing is counted; something
 * may have been unmapped.
 */
void contexts_find(void) __attribute__((visibility("hidden")));
bool contexts_begin(void) __attribute__((visibility("hidden")));
void contexts_unmapped(void) __attribute__((visibility("hidden")));

/* From now on forked children are known, and ends of threads. */
void object_watch(void) __attribute__((visibility("hidden")));

#endif
