/*
 * collection.h - when a run collects, and when it lets the target run unobserved.
 *
 * Collecting begins with the target or a delay later, ends with it or after a
 * duration, and can be turned off and on meanwhile.  Mappings, threads and
 * processes are followed all the time.  Times are ns of CLOCK_MONOTONIC.
 */
#ifndef CPPROF_PACE_H
#define CPPROF_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/cpprofdata/writer.h"
#include "lib/vec.h"

#define PACE_NEVER UINT64_MAX

struct pace_span {         /* collecting was on */
	uint64_t from, to; /* PACE_NEVER: it still is */
};

struct pace {
	bool on;
	uint64_t start;    /* of the target */
	uint64_t duration; /* 0: to the end */
	uint64_t begin;    /* when it goes on by itself; PACE_NEVER: it has */
	uint64_t end;      /* and off, for good */
	VEC(struct pace_span) spans;
};

/* Before the target runs: -1: no memory. */
int pace_init(struct pace *pace, uint64_t delay, uint64_t duration);
void pace_fini(struct pace *pace);

/* The target runs from NOW on: delay and duration begin. */
void pace_start(struct pace *pace, uint64_t now);

/*
 * What is due by NOW, and TOGGLES times the other state: one of these begins
 * collecting though the delay is not over, and none does after the duration.
 * 1: `on` has changed; 0: it has not; -1: no memory.
 */
int pace_keep(struct pace *pace, unsigned toggles, uint64_t now);

/* When pace_keep() has something to do; PACE_NEVER. */
uint64_t pace_next(const struct pace *pace);

/* The run ends NOW: what comes later is of no span. */
void pace_finish(struct pace *pace, uint64_t now);

/* Whether its duration is over, so that nothing more will be collected. */
bool pace_is_over(const struct pace *pace, uint64_t now);

/* Part of [FROM, TO) in which collecting was on. */
uint64_t pace_collected(const struct pace *pace, uint64_t from, uint64_t to);

/* It was on from the start to NOW, which is the end. */
bool pace_is_whole(const struct pace *pace, uint64_t now);

/* Notes on when it was on, unless it always was.  NOW is the end. */
int pace_note(const struct pace *pace, struct cpd_writer *writer, uint64_t now);

#endif
