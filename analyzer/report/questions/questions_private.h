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

/* X gticks a call: "1.2 ms", "0.031"; "?" if it is negative.  BUF. */
const char *question_each(
	const struct tree *tree, double x, char *buf, size_t size);

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

/* The names, modules or files of N functions as a list. */
enum question_names { QUESTION_NAME, QUESTION_MODULE, QUESTION_FILE };
struct json_t *question_names(const struct dataset *data,
	const uint32_t *functions, uint32_t n, enum question_names what);

/* Each question for people, and in a format that programs read.  -1 when out of
   memory. */
int callgraph_text(FILE *out, const struct callgraph *graph,
	const struct callgraph_choice *choice,
	const struct report_options *options);
int callgraph_data(FILE *out, const struct report_format *format,
	const struct callgraph *graph, const struct callgraph_choice *choice);

int cycles_text(FILE *out, const struct cycles *cycles, double threshold,
	const struct report_options *options);
int cycles_data(FILE *out, const struct report_format *format,
	const struct cycles *cycles, double threshold);

/* What a piece of advice on NAME says, and of NAME what so many COLUMNS have;
   free(); NULL: no memory. */
char *advice_claim(const struct advice *advice, const char *name,
	const char *resource, const struct report_options *options);
char *advice_fitting(const char *name, size_t columns);

int advice_text(FILE *out, const struct advices *advices,
	const struct report_options *options);
int advice_data(FILE *out, const struct report_format *format,
	const struct advices *advices);

int listing_text(FILE *out, const struct listing *listing, bool all,
	const struct report_options *options);
int listing_data(FILE *out, const struct report_format *format,
	const struct listing *listing);

int code_text(FILE *out, const struct code *code, bool all,
	const struct report_options *options);
int code_data(
	FILE *out, const struct report_format *format, const struct code *code);

int why_text(FILE *out, const struct why *why,
	const struct report_options *options, struct err *err);
int why_data(FILE *out, const struct report_format *format,
	const struct why *why, double threshold,
	const struct report_options *options);

int leaks_text(FILE *out, const struct leaks *leaks,
	const struct report_options *options, struct err *err);
int leaks_data(FILE *out, const struct report_format *format,
	const struct leaks *leaks, double threshold,
	const struct report_options *options);

int pages_text(FILE *out, const struct pages *pages, double threshold,
	const struct report_options *options, struct err *err);
int pages_data(FILE *out, const struct report_format *format,
	const struct pages *pages, double threshold,
	const struct report_options *options);

int percall_text(FILE *out, const struct percall *percall,
	const struct report_options *options, struct err *err);
int percall_data(FILE *out, const struct report_format *format,
	const struct percall *percall, double threshold,
	const struct report_options *options);

#endif
