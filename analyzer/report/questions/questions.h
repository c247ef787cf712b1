/*
 * questions.h - reports that answer one question: call graph, cycles, source
 * lines, instructions.
 *
 * Each exists in the formats text, json and csv.  `paper' is the same as text
 * here: the paper has only its profiles.  All return -1 and the error when out
 * of memory.
 */
#ifndef CPPROF_REPORT_QUESTIONS_H
#define CPPROF_REPORT_QUESTIONS_H

#include "analyzer/questions/advice.h"
#include "analyzer/questions/callgraph.h"
#include "analyzer/questions/cycles.h"
#include "analyzer/report/report.h"
#include "analyzer/source/code.h"
#include "analyzer/source/listing.h"

/*
 * Shows the NROOTS functions ROOTS (ascending) with callers and callees.
 * Without roots: a flat profile, then all functions that reach THRESHOLD of
 * what the filters keep.  Arcs under the threshold are added up in one line.
 */
struct callgraph_choice {
	const uint32_t *roots;
	size_t nroots;
	double threshold;
	const struct callgraph *arcs; /* of counted calls; or NULL */
};

int report_callgraph(FILE *out, const struct report_format *format,
	const struct callgraph *graph, const struct callgraph_choice *choice,
	const struct report_options *options, struct err *err);

/* Those that reach THRESHOLD of what the filters keep. */
int report_cycles(FILE *out, const struct report_format *format,
	const struct cycles *cycles, double threshold,
	const struct report_options *options, struct err *err);

/* As JSON at most 8 KiB. */
int report_advice(FILE *out, const struct report_format *format,
	const struct advices *advices, const struct report_options *options,
	struct err *err);

/* ALL: nothing is left out between a function's first line and its last. */
int report_listing(FILE *out, const struct report_format *format,
	const struct listing *listing, bool all,
	const struct report_options *options, struct err *err);

/* ALL: likewise, of instructions. */
int report_code(FILE *out, const struct report_format *format,
	const struct code *code, bool all, const struct report_options *options,
	struct err *err);

#endif
