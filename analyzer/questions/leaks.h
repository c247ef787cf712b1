/*
 * leaks.h - what lives at the end, by the call path that allocated it, and how
 * old it is.
 *
 * Made from the samples of a run one by one, as they begin blocks and end them.
 * An age is the time to the end of the block's process, or of the part of the
 * run that is looked at.
 */
#ifndef CPPROF_QUESTIONS_LEAKS_H
#define CPPROF_QUESTIONS_LEAKS_H

#include "analyzer/tree/tree.h"
#include "lib/set.h"

struct leak {                     /* a call path, */
	uint32_t above, function; /* by the number of another with a step less,
				     and its last step */
	uint32_t length;
	struct tree_sums sums;   /* and what lives that it allocated itself */
	uint64_t oldest, median; /* ages, ns: half of it is older */
};

struct live_block { /* all of one time and stack */
	uint64_t time;
	uint32_t thread, node;
	struct tree_sums sums;
	uint64_t age;
	uint32_t leak;
};

typedef SET_OF(struct live_block) live_block_set;

struct leaks {
	const struct tree *tree; /* of what lives; borrowed */
	struct lives_pair pair;
	uint64_t until, last; /* what is looked at ends; the last sample */
	live_block_set blocks;
	size_t ended;            /* of them */
	SET_OF(struct leak) all; /* [0]: the path without a step */
	VEC(uint32_t) shown;     /* those with something, heaviest first */
	size_t nrest;            /* that are not shown */
	uint32_t *path;          /* room for the longest */
};

/* TREE: of what lives of PAIR.  UNTIL: the end of a part of the run, or
   UINT64_MAX.  -1: no memory; leaks_fini() is due either way. */
int leaks_init(struct leaks *leaks, const struct tree *tree,
	const struct lives_pair *pair, uint64_t until);

/* Takes a sample, in the order of time.  -1: no memory. */
int leaks_take(struct leaks *leaks, const struct cpd_sample *sample);

/* The number of PATH with a call of FUNCTION, by the rule of call paths: a
   recursion is cut back.  HASH_NONE: no memory. */
uint32_t leaks_step(struct leaks *leaks, uint32_t path, uint32_t function);

/*
 * When all are taken.  EXTEND is PATH with the calls that are shown of NODE of
 * the file.  Shown is what reaches THRESHOLD of what the filters keep.  -1: no
 * memory.
 */
int leaks_finish(struct leaks *leaks,
	uint32_t (*extend)(const void *arg, struct leaks *leaks, uint32_t path,
		uint32_t node),
	const void *arg, double threshold);

/* The functions of a path, good until the next call. */
const uint32_t *leaks_path(const struct leaks *leaks, const struct leak *leak);

void leaks_fini(struct leaks *leaks);

#endif
