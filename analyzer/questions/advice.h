/*
 * advice.h - up to five contexts of a run that are worth a look.
 *
 * None is an answer.  Each rests on figures of the file alone: what took the
 * time of the run as a whole, a costly function and the context that has it, a
 * library that is called in one, where many processes are started, a counted
 * event that one caller repeats, recursion.  Shares are of what the filters
 * keep.
 */
#ifndef CPPROF_QUESTIONS_ADVICE_H
#define CPPROF_QUESTIONS_ADVICE_H

#include "lib/vec.h"
#include "analyzer/tree/tree.h"

enum advice_kind {
	/* Of the run: */
	ADVICE_PROBES,  /* its probes took SHARE of the time */
	ADVICE_KERNEL,  /* SHARE of the CPU time is the kernel's; COUNT: TREE is
			   of what tells what for */
	ADVICE_PROCESS, /* that of THREAD, one of COUNT, has SHARE */
	ADVICE_THREAD,  /* THREAD, one of its process's COUNT, has SHARE */
	ADVICE_LINE,    /* ready threads waited for a processor for SHARE */
	ADVICE_WAITS,   /* SHARE of the waits is in PATH's last function, called
			   for one of the program's own; PATH is its longest */
	/* Of a path: */
	ADVICE_CONTEXT,   /* PATH has PART of its last function's SHARE */
	ADVICE_REPEATED,  /* the same of events that are counted one by one */
	ADVICE_HOT,       /* PATH's last function has SHARE of the time, and no
			     other context; or it is all of PATH, for none of
			     PARTS, its callers, has most of that */
	ADVICE_LIBRARY,   /* the program calls PATH's last function, whose
			     libraries have SHARE of the time for it */
	ADVICE_PROCESSES, /* PATH's first function starts COUNT processes by
			     its second; these and theirs have SHARE */
	ADVICE_RECURSION, /* PATH is a cycle that COUNT rounds went round */
	ADVICE_SPREAD, /* PATH's last function has SHARE of the time in parts */
	/* Of the run, and of no function that costs: */
	ADVICE_REST, /* for COUNT us, SHARE of the time, no thread ran, or the
			only one waited as PATH says */
	ADVICE_KINDS
};

#define ADVICE_PARTS 3

struct advice_part {
	uint32_t function;
	double share;
};

struct advice {
	enum advice_kind kind;
	const struct tree *tree; /* whose resource it is about */
	uint32_t thread;         /* id */
	uint32_t *path;          /* LENGTH functions */
	uint32_t length;
	uint32_t tells; /* one more than the step of PATH that it is about,
			   beside the last; 0: none */
	double share;
	double part;    /* of waits: the part of the time of the only thread */
	uint64_t count; /* of waits: us */
	bool first;     /* of rest: more than of what did run */
	/* Of a library, or where cost is spread: the last function that most of
	   it has in common, and what that calls, or does by itself, the
	   heaviest first; FN_NONE: no more. */
	uint32_t fork;
	struct advice_part parts[ADVICE_PARTS];
};

#define ADVICE_MAX 5

/* What is known of the run beside what was sampled. */
struct advice_run {
	const struct tree *waits;  /* of "blocked", with its system calls, */
	const struct tree *stacks; /* and with those of [idle]; NULL: none */
	uint64_t wall, rest;       /* us; of WALL no thread ran, 0: not known */
};

/* V[N]: of the run, then the largest shares. */
struct advices {
	const struct dataset *data;
	VEC(struct advice);
};

/*
 * TREES: of one dataset and view, one a resource, N of them; time first where
 * there is one.  0, and advice_fini() is due; or -1 and the error.
 */
int advice_init(struct advices *advices, const struct tree *const *trees,
	size_t n, const struct advice_run *run, struct err *err);
void advice_fini(struct advices *advices);

#endif
