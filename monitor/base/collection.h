/*
 * collection.h - when a run collects.
 *
 * Collecting begins with the target or a delay later, ends with it or after a
 * duration, and can be turned off and on meanwhile.  Mappings, threads and
 * processes are followed all the time.  Times are ns of CLOCK_MONOTONIC.
 */
#ifndef CPPROF_BASE_COLLECTION
#define CPPROF_BASE_COLLECTION

#include <stdbool.h>
#include <stdint.h>

#include "lib/cpprofdata/writer.h"
#include "lib/vec.h"

#define COLLECTION_NEVER UINT64_MAX

struct collection_span {   /* collecting was on */
	uint64_t from, to; /* COLLECTION_NEVER: still on */
};

struct collection {
	bool on;
	uint64_t start;    /* of the target */
	uint64_t duration; /* 0: to the end */
	uint64_t begin; /* when it turns on by itself; COLLECTION_NEVER: it has
			 */
	uint64_t end;   /* when it turns off, for good */
	VEC(struct collection_span) spans;
};

/* Before the target runs: -1: no memory. */
int collection_init(
	struct collection *collection, uint64_t delay, uint64_t duration);
void collection_fini(struct collection *collection);

/* The target runs from NOW on: delay and duration begin. */
void collection_start(struct collection *collection, uint64_t now);

/*
 * Does what is due by NOW, and toggles the state TOGGLES times.  A toggle
 * begins collecting during the delay; none does after the duration.  1: `on`
 * has changed; 0: it has not; -1: no memory.
 */
int collection_keep(
	struct collection *collection, unsigned toggles, uint64_t now);

/* Collecting ends at NOW, for good, with the next collection_keep(). */
void collection_end(struct collection *collection, uint64_t now);

/* When collection_keep() has something to do; COLLECTION_NEVER. */
uint64_t collection_next(const struct collection *collection);

/* The run ends NOW: later times are in no span. */
void collection_finish(struct collection *collection, uint64_t now);

/* Whether the duration is over, so that nothing more will be collected. */
bool collection_is_over(const struct collection *collection, uint64_t now);

/* The part of [FROM, TO) in which collecting was on. */
uint64_t collection_collected(
	const struct collection *collection, uint64_t from, uint64_t to);

/* Whether it was on from the start to NOW, the end. */
bool collection_is_whole(const struct collection *collection, uint64_t now);

/* Writes notes on when it was on, unless it always was.  NOW is the end. */
int collection_note(const struct collection *collection,
	struct cpd_writer *writer, uint64_t now);

#endif
