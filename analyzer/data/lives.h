/*
 * lives.h - what lives of what was allocated: differences of two resources.
 *
 * A file that has bytes-allocated and bytes-freed has three more resources for
 * its readers, which are in none of its records; so has one with allocations
 * and frees.  Each is a sum of samples of the former less those whose ends are
 * samples of the latter:
 *
 *   live   what was not freed: at its process's end, or the run's
 *   peak   what lived in all processes together when they had most
 *   churn  what was freed within LIVES_BRIEF of being allocated
 *
 * In a part of the run they are of what was allocated in it.
 */
#ifndef CPPROF_DATA_LIVES_H
#define CPPROF_DATA_LIVES_H

#include "analyzer/data/aggregates.h"
#include "lib/cpprofdata/records.h"
#include "lib/vec.h"

#define LIVES_BRIEF 1000000 /* ns */

enum lives_kind { LIVES_LIVE, LIVES_PEAK, LIVES_CHURN, LIVES_KINDS };

/* Two resources, and the first of those made of them, in that order. */
struct lives_pair {
	uint32_t begins, ends, first; /* 0: the file has no such two */
};
#define LIVES_PAIRS 2

/* Whether RESOURCE is memory that is requested. */
bool lives_begins(const char *resource);

/* What a run is asked for to have R: R's name, or of what two make the
 * second's. */
const char *lives_asked(const struct cpd_resource *r);

/* The resources of kind K of pair I, as a record would have them, but for id,
 * interval and flags, which are those of BEGINS. */
void lives_resource(const struct cpd_resource *begins, size_t i, size_t k,
	struct cpd_resource *resource);

/* The pairs among N resources from id 1 on; ids after them become theirs. */
void lives_find(const struct cpd_resource *resources, uint32_t n,
	struct lives_pair pairs[LIVES_PAIRS]);

/* What requests of one thread with one stack have. */
struct life {
	uint32_t node, thread, process;
	uint32_t beside; /* another of the process, and one; 0: none */
	bool changed;    /* since the peak */
	uint32_t next;   /* of which this is so, and one */
	struct aggregate of[LIVES_KINDS];
};

struct lives_process {
	uint32_t threads; /* that have not ended */
	uint32_t lives;   /* the last one, and one; 0: none */
	bool ended;
	uint64_t total; /* weight of what lives */
};

/* Of one pair; zeros, but for the pair. */
struct lives {
	struct lives_pair pair;
	uint64_t from; /* what was allocated before does not count */
	SET_OF(struct life) all;
	VEC(struct lives_process) processes;
	uint64_t total, most; /* weight of what lives, and lived at the peak */
	uint32_t changed;     /* the last one since then, and one; 0: none */
};

/* In the order of the file; samples of other resources do nothing.  -1: no
 * memory. */
int lives_add(
	struct lives *lives, const struct cpd_sample *sample, uint32_t process);

/* The same of a record: a process's memory ends with it.  -1: no memory. */
int lives_record(struct lives *lives, int kind, const union cpd_record *record);

/* Adds what there is to SET.  -1: no memory. */
int lives_put(const struct lives *lives, aggregate_set *set);

void lives_free(struct lives *lives);

#endif
