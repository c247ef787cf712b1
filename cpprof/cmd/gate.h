/*
 * gate.h - conditions of `cpprof diff --fail-if' and what they come to.
 */
#ifndef CPPROF_GATE_H
#define CPPROF_GATE_H

#include "analyzer/diff/diff.h"

enum { GATE_NO, GATE_YES, GATE_ERROR, GATE_UNSURE }; /* exit statuses */

#define GATE_WALL                                                              \
	"wall" /* the time from begin to end, beside the resources             \
		*/

struct gate {
	char resource[64], amount[64];
	bool equal; /* it holds for AMOUNT itself, too: ">=" */
};

/* What one comes to. */
struct gate_answer {
	const struct cpd_resource *resource;
	const char *path; /* NULL: all of it */
	struct diff_figure figure;
	double limit; /* gticks */
	bool exact;
	int status;
};

/* Reads "cpu > 5%", "syscalls >= 1", "cpu > 10ms", "bytes > 64K": grew by more
   than so much. */
int gate_parse(const char *text, struct gate *gate, struct err *err);

/*
 * Fills limit, exact and status of ANSWER from the rest.  COUNTED: every event
 * is counted, so one run a side will do.  -1: the amount is none of the
 * resource.
 */
int gate_decide(const struct gate *gate, bool counted,
	struct gate_answer *answer, struct err *err);

/* A line that says so and why. */
void gate_print(const struct gate_answer *answer, FILE *out);

/* All of them for programs; NULL: no memory. */
struct json_t *gate_object(const struct gate_answer *answers, size_t n);

#endif
