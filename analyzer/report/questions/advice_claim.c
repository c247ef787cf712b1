/*
 * advice_claim.c - what a piece of advice says, in a sentence.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/name/name_style.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/questions/questions_private.h"
#include "analyzer/report/run/summary_facts.h"
#include "lib/text.h"

/* What it says, by put_claim(). */
static const char *const claims[ADVICE_KINDS] = {
	[ADVICE_PROBES] =
		"%s of %r was taken by this run's own probes; alone it has "
		"none: '%c'.",
	[ADVICE_KERNEL] = "%s of the CPU time is the kernel's%c",
	[ADVICE_PROCESS] = "One process of %c, %f, has %s of %r.",
	[ADVICE_THREAD] = "One thread of %c, %f, has %s of %r.",
	[ADVICE_LINE] =
		"For %s of the time in which threads were ready to run they "
		"waited for a processor: others ran, of this or of other "
		"programs.",
	[ADVICE_WAITS] = "%w",
	[ADVICE_CONTEXT] = "%f has %s of %r; one context has %c of that:",
	[ADVICE_REPEATED] = "%f has %s of %r; %c of them are in one context:",
	[ADVICE_HOT] = "%f has %s of %r, in no other context:",
	[ADVICE_LIBRARY] =
		"%f and the library below it have %s of %r%p; the program "
		"calls it here:",
	[ADVICE_SPREAD] = "%f has %s of %r%p:",
	[ADVICE_PROCESSES] =
		"%s of %r is in %c processes that one process starts, and in "
		"theirs; most start here:",
	[ADVICE_REST] = "%w",
	[ADVICE_RECURSION] =
		"%s of %r is in calls that go round, up to %c times:",
};

/* The same of what the kernel did. */
static const char *const kernel_claims[] = {
	[KERNEL_UNKNOWN] = "",
	[KERNEL_CALLS] = ", most in system calls:",
	[KERNEL_COUNTED] = "; its calls:",
	[KERNEL_FAULTS] = ", most for page faults:",
};

static const char several[] = "%f has %s of %r, from several callers%p.";

/* What its count says. */
static const char *count_text(const struct advice *a, char *buf, size_t size)
{
	char again[80];

	if (a->kind == ADVICE_PROBES)
		return report_again(
			a->tree->data, tree_resource(a->tree)->name, buf, size);
	if (a->kind == ADVICE_KERNEL && a->count)
		return kernel_claims[a->count];
	if (a->kind == ADVICE_KERNEL) {
		snprintf(buf, size, ": '%s' shows what for.",
			report_again(a->tree->data, "syscalls,iotime", again,
				sizeof again));
		return buf;
	}
	if (a->kind != ADVICE_CONTEXT)
		return layout_number(a->count, buf, size);
	if (a->part >= 0.995)
		return "nearly all";
	snprintf(buf, size, "%.0f %%", 100 * a->part);
	return buf;
}

/* What a line of so many COLUMNS has of a function's name.  free(); NULL: no
   memory. */
char *advice_fitting(const char *name, size_t columns)
{
	char *text = name_squeeze(name, NAME_WHOLE, SIZE_MAX);

	for (enum name_squeeze s = NAME_OUTER;
		text && s <= NAME_LAST && layout_width(text) > columns; s++) {
		free(text);
		text = name_squeeze(name, s, SIZE_MAX);
	}
	return text;
}

/* A function of which a sentence has so many COLUMNS.  free(). */
static char *function_text(const struct advice *a, uint32_t f, size_t columns,
	const struct report_options *options)
{
	char *shown = report_escape(
		report_shown(&a->tree->data->functions[f], options), "");
	char *text = shown ? advice_fitting(shown, columns) : NULL;

	free(shown);
	return text;
}

/* The same, whole where another in the sentence would read alike. */
static void put_name(FILE *out, const struct advice *a, uint32_t f,
	size_t columns, const struct report_options *options)
{
	uint32_t others[ADVICE_PARTS + 3] = {a->path[a->length - 1], a->fork,
		a->path[a->tells ? a->tells - 1 : 0]};
	char *name = function_text(a, f, columns, options);
	bool same = false;

	for (size_t i = 0; i < ADVICE_PARTS; i++)
		others[3 + i] = a->parts[i].function;
	for (size_t i = 0; i < ADVICE_PARTS + 3; i++) {
		char *other = function_text(a, others[i], columns, options);

		same |= others[i] != f && name && other && !strcmp(name, other);
		free(other);
	}
	if (same) {
		free(name);
		name = function_text(a, f, SIZE_MAX, options);
	}
	fputs(name ? name : "?", out);
	free(name);
}

/* The function that it is about. */
static void put_function(
	FILE *out, const struct advice *a, const struct report_options *options)
{
	put_name(out, a, a->path[a->length - 1],
		layout_columns(options) - strlen("1. "), options);
}

/* Where a library parts, or who calls a function. */
static void put_parts(
	FILE *out, const struct advice *a, const struct report_options *options)
{
	const struct advice_part *part = a->parts;
	size_t half = layout_columns(options) / 2;

	if (!part->function)
		return;
	if (a->fork != a->path[a->length - 1]) {
		fputs(", in ", out);
		put_name(out, a, a->fork, half, options);
	}
	for (size_t i = 0; i < ADVICE_PARTS && part[i].function; i++) {
		fprintf(out, "%s %.1f %% %s ", i ? "," : ":",
			100 * part[i].share,
			a->kind == ADVICE_HOT ? "from" : "in");
		if (part[i].function == a->fork)
			fputs("itself", out);
		else
			put_name(out, a, part[i].function, half, options);
	}
}

static const char *time_of(double us, char *buf, size_t size)
{
	return layout_amount(&(struct cpd_resource){.unit = CPD_USEC},
		(uint64_t)(us + 0.5), buf, size);
}

/* What waits, for how long and, if that is known, what for. */
static void put_waits(FILE *out, const struct advice *a, const char *resource,
	const struct report_options *options)
{
	char waits[64], all[64];

	if (a->part > 0)
		fprintf(out, "For %s of %s it waits in ",
			time_of((double)a->count, waits, sizeof waits),
			time_of((double)a->count / a->part, all, sizeof all));
	else
		fprintf(out, "Waits of threads with work: %.1f %% of %s is in ",
			100 * a->share, resource);
	put_function(out, a, options);
	if (a->tells) {
		fputs(" below ", out);
		put_name(out, a, a->path[a->tells - 1],
			layout_columns(options) / 2, options);
	}
	fputs(", longest on this path:", out);
}

static void put_rest(FILE *out, const struct advice *a)
{
	const struct dataset *data = a->tree->data;
	char rest[64], all[64], again[80];

	fprintf(out, "No thread ran for %s of %s",
		time_of((double)a->count, rest, sizeof rest),
		time_of((double)a->count / a->share, all, sizeof all));
	if (dataset_is_waiting(tree_resource(a->tree)))
		fputs(": [idle], they wait for events or for work.", out);
	else
		fprintf(out, ": '%s' shows why.",
			summary_again(data, again, sizeof again));
}

/* The sentence: %s is its share of RESOURCE, %r, %c its count, %f NAME, %p its
   parts, %w what waits. */
static void put_claim(FILE *out, const struct advice *a, const char *name,
	const char *resource, const struct report_options *options)
{
	char count[128];
	bool called = a->kind == ADVICE_HOT && a->parts->function;

	for (const char *s = called ? several : claims[a->kind]; *s; s++) {
		if (*s != '%')
			fputc(*s, out);
		else if (*++s == 's')
			fprintf(out, "%.1f %%", 100 * a->share);
		else if (*s == 'c')
			fputs(count_text(a, count, sizeof count), out);
		else if (*s == 'p')
			put_parts(out, a, options);
		else if (*s == 'w' && !a->length)
			put_rest(out, a);
		else if (*s == 'w')
			put_waits(out, a, resource, options);
		else if (*s == 'f' && a->length)
			put_function(out, a, options);
		else
			fputs(*s == 'r' ? resource : name, out);
	}
}

/* The same in new memory; NULL: there is none. */
char *advice_claim(const struct advice *a, const char *name,
	const char *resource, const struct report_options *options)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_claim(out, a, name, resource, options);
	return text_end(out, &text);
}
