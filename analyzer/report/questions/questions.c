/* questions.c - for people or for programs. */
#include "analyzer/report/questions/questions_private.h"

static int finish(int status, struct err *err)
{
	return status ? err_memory(err, NULL, "report") : 0;
}

int report_callgraph(FILE *out, const struct report_format *format,
	const struct callgraph *graph, const struct callgraph_choice *choice,
	const struct report_options *options, struct err *err)
{
	return finish(format->write_rows
			      ? callgraph_data(out, format, graph, choice)
			      : callgraph_text(out, graph, choice, options),
		err);
}

int report_cycles(FILE *out, const struct report_format *format,
	const struct cycles *cycles, double threshold,
	const struct report_options *options, struct err *err)
{
	return finish(format->write_rows
			      ? cycles_data(out, format, cycles, threshold)
			      : cycles_text(out, cycles, threshold, options),
		err);
}

int report_advice(FILE *out, const struct report_format *format,
	const struct advices *advices, const struct report_options *options,
	struct err *err)
{
	return finish(format->write_rows ? advice_data(out, format, advices)
					 : advice_text(out, advices, options),
		err);
}

int report_listing(FILE *out, const struct report_format *format,
	const struct listing *listing, bool all,
	const struct report_options *options, struct err *err)
{
	return finish(format->write_rows
			      ? listing_data(out, format, listing)
			      : listing_text(out, listing, all, options),
		err);
}

int report_code(FILE *out, const struct report_format *format,
	const struct code *code, bool all, const struct report_options *options,
	struct err *err)
{
	return finish(format->write_rows ? code_data(out, format, code)
					 : code_text(out, code, all, options),
		err);
}

int report_why(FILE *out, const struct report_format *format,
	const struct why *why, double threshold,
	const struct report_options *options, struct err *err)
{
	return finish(format->write_rows
			      ? why_data(out, format, why, threshold, options)
			      : why_text(out, why, options, err),
		err);
}

int report_leaks(FILE *out, const struct report_format *format,
	const struct leaks *leaks, double threshold,
	const struct report_options *options, struct err *err)
{
	return finish(format->write_rows ? leaks_data(out, format, leaks,
						   threshold, options)
					 : leaks_text(out, leaks, options, err),
		err);
}

int report_pages(FILE *out, const struct report_format *format,
	const struct pages *pages, double threshold,
	const struct report_options *options, struct err *err)
{
	return finish(
		format->write_rows
			? pages_data(out, format, pages, threshold, options)
			: pages_text(out, pages, threshold, options, err),
		err);
}

int report_percall(FILE *out, const struct report_format *format,
	const struct percall *percall, double threshold,
	const struct report_options *options, struct err *err)
{
	return finish(
		format->write_rows
			? percall_data(out, format, percall, threshold, options)
			: percall_text(out, percall, options, err),
		err);
}
