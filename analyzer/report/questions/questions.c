/* questions.c - which writer a format has. */
#include "analyzer/report/questions/questions_private.h"

#include <string.h>

enum form { FORM_TEXT, FORM_JSON, FORM_CSV };

static enum form form_of(const struct report_format *format)
{
	return !strcmp(format->name, "json")  ? FORM_JSON
	       : !strcmp(format->name, "csv") ? FORM_CSV
					      : FORM_TEXT;
}

static int finish(int status, struct err *err)
{
	return status ? report_no_memory(err) : 0;
}

int report_callgraph(FILE *out, const struct report_format *format,
	const struct callgraph *graph, const struct callgraph_choice *choice,
	const struct report_options *options, struct err *err)
{
	switch (form_of(format)) {
	case FORM_JSON:
		return finish(callgraph_json(out, graph, choice), err);
	case FORM_CSV:
		return finish(callgraph_csv(out, graph, choice), err);
	case FORM_TEXT:
		break;
	}
	return finish(callgraph_text(out, graph, choice, options), err);
}

int report_cycles(FILE *out, const struct report_format *format,
	const struct cycles *cycles, double threshold,
	const struct report_options *options, struct err *err)
{
	switch (form_of(format)) {
	case FORM_JSON:
		return finish(cycles_json(out, cycles, threshold), err);
	case FORM_CSV:
		return finish(cycles_csv(out, cycles, threshold), err);
	case FORM_TEXT:
		break;
	}
	return finish(cycles_text(out, cycles, threshold, options), err);
}

int report_advice(FILE *out, const struct report_format *format,
	const struct advices *advices, const struct report_options *options,
	struct err *err)
{
	switch (form_of(format)) {
	case FORM_JSON:
		return finish(advice_json(out, advices), err);
	case FORM_CSV:
		return finish(advice_csv(out, advices), err);
	case FORM_TEXT:
		break;
	}
	return finish(advice_text(out, advices, options), err);
}

int report_listing(FILE *out, const struct report_format *format,
	const struct listing *listing, bool all,
	const struct report_options *options, struct err *err)
{
	switch (form_of(format)) {
	case FORM_JSON:
		return finish(listing_json(out, listing), err);
	case FORM_CSV:
		return finish(listing_csv(out, listing), err);
	case FORM_TEXT:
		break;
	}
	return finish(listing_text(out, listing, all, options), err);
}

int report_code(FILE *out, const struct report_format *format,
	const struct code *code, bool all, const struct source_paths *paths,
	const struct report_options *options, struct err *err)
{
	switch (form_of(format)) {
	case FORM_JSON:
		return finish(code_json(out, code), err);
	case FORM_CSV:
		return finish(code_csv(out, code), err);
	case FORM_TEXT:
		break;
	}
	return finish(code_text(out, code, all, paths, options), err);
}
