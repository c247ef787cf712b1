/*
 * pages.h - which pages of memory had how many events (page faults): by what
 * the memory is, and in ranges of neighbours that had equally many.
 *
 * Made from the samples of a run one by one.  A page is one of a process: what
 * a child has after a fork are others.  Its first sample is its first touch;
 * where not every event is sampled, a page has at least as many as are said,
 * and there are at least as many pages.
 */
#ifndef CPPROF_QUESTIONS_PAGES_H
#define CPPROF_QUESTIONS_PAGES_H

#include "analyzer/tree/tree.h"
#include "lib/set.h"

struct page_range { /* that many of them, from that number on, are alike */
	uint32_t process, memory; /* a function: what the memory is */
	uint64_t number;          /* cpd_sample's, less 1 */
	uint64_t n;
	struct tree_sums sums; /* of all of them */
};

struct page_memory {
	uint32_t function;
	uint64_t pages;
	struct tree_sums sums;
	size_t first, n; /* its ranges, heaviest first */
};

typedef SET_OF(struct page_range) page_range_set;

struct pages {
	const struct tree *tree;          /* borrowed */
	page_range_set ranges;            /* before pages_finish() pages */
	VEC(struct page_memory) memories; /* heaviest first */
	uint64_t elsewhere; /* weight of samples that tell no page */
	bool exact;         /* each event of the run is here */
};

/* Takes a sample of TREE's resource, in the order of time.  -1: no memory;
   pages_fini() is due either way. */
int pages_take(struct pages *pages, const struct cpd_sample *sample);

/* When all are taken.  -1: no memory. */
int pages_finish(struct pages *pages);

void pages_fini(struct pages *pages);

#endif
