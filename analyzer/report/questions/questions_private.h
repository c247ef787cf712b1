/*
 * questions_private.h - shared by the formats of questions.h.
 */
#ifndef CPPROF_REPORT_QUESTIONS_PRIVATE_H
#define CPPROF_REPORT_QUESTIONS_PRIVATE_H

#include "analyzer/report/questions/questions.h"
#include "analyzer/report/report_private.h"

/* Context around a line or instruction with a figure. */
#define CONTEXT_LINES 3
#define CONTEXT_INSTRUCTIONS 4

uint64_t question_weight(
	const struct tree_sums *self, const struct tree_sums *children);

/* Whether WEIGHT reaches THRESHOLD of what the tree's filters keep. */
bool question_reaches(
	const struct tree *tree, uint64_t weight, double threshold);

/* Whether the choice has ENTRY. */
bool question_chosen(const struct callgraph *graph,
	const struct callgraph_choice *choice,
	const struct callgraph_entry *entry);

/* The part of the whole run. */
double question_fraction(const struct tree *tree, uint64_t weight);

const struct function *question_function(
	const struct tree *tree, uint32_t function);

int callgraph_text(FILE *out, const struct callgraph *graph,
	const struct callgraph_choice *choice,
	const struct report_options *options);
int callgraph_json(FILE *out, const struct callgraph *graph,
	const struct callgraph_choice *choice,
	const struct report_options *options);
int callgraph_csv(FILE *out, const struct callgraph *graph,
	const struct callgraph_choice *choice,
	const struct report_options *options);

int cycles_text(FILE *out, const struct cycles *cycles, double threshold,
	const struct report_options *options);
int cycles_json(FILE *out, const struct cycles *cycles, double threshold,
	const struct report_options *options);
int cycles_csv(FILE *out, const struct cycles *cycles, double threshold,
	const struct report_options *options);

int advice_text(FILE *out, const struct advices *advices,
	const struct report_options *options);
int advice_json(FILE *out, const struct advices *advices,
	const struct report_options *options);
int advice_csv(FILE *out, const struct advices *advices,
	const struct report_options *options);

int listing_text(FILE *out, const struct listing *listing, bool all,
	const struct report_options *options);
int listing_json(FILE *out, const struct listing *listing, bool all,
	const struct report_options *options);
int listing_csv(FILE *out, const struct listing *listing, bool all,
	const struct report_options *options);

int code_text(FILE *out, const struct code *code, bool all,
	const struct source_paths *paths, const struct report_options *options);
int code_json(FILE *out, const struct code *code, bool all,
	const struct source_paths *paths, const struct report_options *options);
int code_csv(FILE *out, const struct code *code, bool all,
	const struct source_paths *paths, const struct report_options *options);

int why_text(FILE *out, const struct why *why, double threshold,
	const struct report_options *options, struct err *err);
int why_json(FILE *out, const struct why *why, double threshold,
	const struct report_options *options, struct err *err);
int why_csv(FILE *out, const struct why *why, double threshold,
	const struct report_options *options, struct err *err);

int percall_text(FILE *out, const struct percall *percall, double threshold,
	const struct report_options *options, struct err *err);
int percall_json(FILE *out, const struct percall *percall, double threshold,
	const struct report_options *options, struct err *err);
int percall_csv(FILE *out, const struct percall *percall, double threshold,
	const struct report_options *options, struct err *err);

/*
 * How a format writes the answers to questions: a row of functions.  Each
 * returns -1 when out of memory.
 */
struct question_writers {
	int (*callgraph)(FILE *out, const struct callgraph *graph,
		const struct callgraph_choice *choice,
		const struct report_options *options);
	int (*cycles)(FILE *out, const struct cycles *cycles, double threshold,
		const struct report_options *options);
	int (*advice)(FILE *out, const struct advices *advices,
		const struct report_options *options);
	int (*listing)(FILE *out, const struct listing *listing, bool all,
		const struct report_options *options);
	int (*code)(FILE *out, const struct code *code, bool all,
		const struct source_paths *paths,
		const struct report_options *options);
	int (*why)(FILE *out, const struct why *why, double threshold,
		const struct report_options *options, struct err *err);
	int (*percall)(FILE *out, const struct percall *percall,
		double threshold, const struct report_options *options,
		struct err *err);
};

#endif
