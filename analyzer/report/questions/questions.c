/* questions.c - which writers a format has. */
#include "analyzer/report/questions/questions_private.h"

const struct question_writers questions_text = {callgraph_text, cycles_text,
	advice_text, listing_text, code_text, why_text, percall_text};

const struct question_writers questions_json = {callgraph_json, cycles_json,
	advice_json, listing_json, code_json, why_json, percall_json};

const struct question_writers questions_csv = {callgraph_csv, cycles_csv,
	advice_csv, listing_csv, code_csv, why_csv, percall_csv};

static int finish(int status, struct err *err)
{
	return status ? report_no_memory(err) : 0;
}

int report_callgraph(FILE *out, const struct report_format *format,
	const struct callgraph *graph, const struct callgraph_choice *choice,
	const struct report_options *options, struct err *err)
{
	return finish(
		format->questions->callgraph(out, graph, choice, options), err);
}

int report_cycles(FILE *out, const struct report_format *format,
	const struct cycles *cycles, double threshold,
	const struct report_options *options, struct err *err)
{
	return finish(
		format->questions->cycles(out, cycles, threshold, options),
		err);
}

int report_advice(FILE *out, const struct report_format *format,
	const struct advices *advices, const struct report_options *options,
	struct err *err)
{
	return finish(format->questions->advice(out, advices, options), err);
}

int report_listing(FILE *out, const struct report_format *format,
	const struct listing *listing, bool all,
	const struct report_options *options, struct err *err)
{
	return finish(
		format->questions->listing(out, listing, all, options), err);
}

int report_code(FILE *out, const struct report_format *format,
	const struct code *code, bool all, const struct source_paths *paths,
	const struct report_options *options, struct err *err)
{
	return finish(
		format->questions->code(out, code, all, paths, options), err);
}

int report_why(FILE *out, const struct report_format *format,
	const struct why *why, double threshold,
	const struct report_options *options, struct err *err)
{
	return finish(
		format->questions->why(out, why, threshold, options, err), err);
}

int report_percall(FILE *out, const struct report_format *format,
	const struct percall *percall, double threshold,
	const struct report_options *options, struct err *err)
{
	return finish(format->questions->percall(
			      out, percall, threshold, options, err),
		err);
}
