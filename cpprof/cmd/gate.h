/*
 * gate.h - conditions of `cpprof diff --fail-if' and what they come to.
 */
#ifndef CPPROF_GATE_H
#define CPPROF_GATE_H

#include "analyzer/diff/diff.h"

enum { GATE_NO, GATE_YES, GATE_ERROR, GATE_UNSURE }; /* exit statuses */

struct gate {
	char resource[64];
	double limit; /* gticks, or a part of what side A took */
	bool relative;
};

/*
 * Reads "cpu > 5%", "syscalls > 0", "cpu > 10ms", "bytes > 64K": grew by more
 * than so much.
 */
int gate_parse(const char *text, struct gate *gate, struct err *err);

/*
 * Whether the figure grew by more than the gate allows, and one line why on
 * standard output.  WHAT: the path, or NULL for all.
 */
int gate_decide(const struct gate *gate, const struct diff *diff,
	const struct diff_figure *figure, const char *what, FILE *out);

#endif
