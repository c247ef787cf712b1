/*
 * advice.h - up to five contexts of a run that are worth a look.
 *
 * None is an answer.  Each rests on figures of the file alone: a costly
 * function and the context that has it, a library that is called in one, where
 * many processes are started, a counted event that one caller repeats,
 * recursion, a resource out of proportion to time, allocation and release
 * beside each other.  Shares are of what the filters keep.
 */
#ifndef CPPROF_QUESTIONS_ADVICE_H
#define CPPROF_QUESTIONS_ADVICE_H

#include "analyzer/tree/tree.h"

enum advice_kind {
	ADVICE_CONTEXT,    /* PATH has PART of its last function's SHARE */
	ADVICE_REPEATED,   /* the same of events that are counted one by one */
	ADVICE_HOT,        /* PATH's last function has SHARE of the time, and no
			      other context */
	ADVICE_LIBRARY,    /* the program calls PATH's last function, whose
			      libraries have SHARE of the time for it */
	ADVICE_PROCESSES,  /* PATH's first function starts COUNT processes by
			      its second; these and theirs have SHARE */
	ADVICE_RECURSION,  /* PATH is a cycle that COUNT rounds went round */
	ADVICE_PROPORTION, /* PATH's function has SHARE, and PART of the time */
	ADVICE_ALLOCATION, /* PATH's function: SHARE is in allocation and
			      release below it, PART in allocation */
	ADVICE_KINDS
};

struct advice {
	enum advice_kind kind;
	const struct tree *tree; /* whose resource it is about */
	const struct tree *time; /* ADVICE_PROPORTION: which time PART is of */
	uint32_t *path;          /* LENGTH functions */
	uint32_t length;
	double share, part;
	uint64_t count;
};

#define ADVICE_MAX 5

struct advices {
	struct advice v[ADVICE_MAX]; /* the largest share first */
	size_t n;
};

/*
 * TREES: of one dataset and view, one a resource, N of them; time first where
 * there is one.  0, and advice_fini() is due; or -1 and the error.
 */
int advice_init(struct advices *advices, const struct tree *const *trees,
	size_t n, struct err *err);
void advice_fini(struct advices *advices);

#endif
