/*
 * advice_text.c - advice, with its figures and the commands that show them.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/json_values.h"
#include "analyzer/report/layout.h"
#include "analyzer/report/path_text.h"
#include "analyzer/report/questions/questions_private.h"
#include "analyzer/report/rows.h"
#include "analyzer/report/run/summary_facts.h"
#include "lib/text.h"

#define COMMANDS 3

/* What a piece of advice is called, and the commands that show it: T is its
   thread, F its last function, G its first, P the last one that is the
   program's own, B where a library parts, R its resource. */
static const struct {
	const char *name;
	const char *commands[COMMANDS];
} kinds[ADVICE_KINDS] = {
	[ADVICE_PROBES] = {"probes", {NULL}},
	[ADVICE_KERNEL] = {"kernel", {NULL}},
	[ADVICE_PROCESS] = {"process", {"processes", "process T"}},
	[ADVICE_THREAD] = {"thread", {"threads", "thread T"}},
	[ADVICE_LINE] = {"line", {"resource R", "threads"}},
	[ADVICE_WAITS] = {"waits", {NULL}},
	[ADVICE_CONTEXT] = {"context", {"resource R", "up F", "list P"}},
	[ADVICE_REPEATED] = {"repeated", {"resource R", "up F", "list G"}},
	[ADVICE_HOT] = {"hot", {"resource R", "up F", "list P"}},
	[ADVICE_LIBRARY] = {"library", {"resource R", "down B", "list G"}},
	[ADVICE_SPREAD] = {"spread", {"resource R", "down B", "list F"}},
	[ADVICE_PROCESSES] = {"processes", {"resource R", "processes"}},
	[ADVICE_REST] = {"rest", {NULL}},
	[ADVICE_RECURSION] = {"recursion", {"resource R", "cycles", "down G"}},
};

static const char *shown(const struct advice *advice, uint32_t i)
{
	return advice->tree->data->functions[advice->path[i]].shown;
}

/* Whether F is of a program that ran, or of what that interprets. */
static bool is_own(const struct dataset *data, const struct function *f)
{
	if (dataset_is_librarys(f))
		return false;
	for (uint32_t i = 1; i <= data->nprocesses; i++)
		if (dataset_runs(&data->processes[i], f->module))
			return true;
	return path_is_generated(f);
}

/* The command that shows most of what FUNCTION consumed itself.  The source of
   a library that was built elsewhere ("../io/write.c") is not here; what is
   inlined has lines alone, and no code of its own. */
static const char *inside(
	const struct dataset *data, const struct function *function)
{
	const char *file = function->file;
	bool inlined = function->source == CPD_NAME_DWARF && !function->hi;

	if (*file == '/' || (*file && is_own(data, function)) || inlined)
		return "list";
	return data->imported || path_is_generated(function) ? "down"
							     : "disasm";
}

#define IN_CALLS 0.8 /* of what it has itself: the function does no more */

/* Whether F does little but make system calls, by its samples: its own few
   instructions tell nothing. */
static bool only_calls(const struct tree *tree, uint32_t f)
{
	const struct dataset *data = tree->data;
	uint64_t all = 0, calls = 0;

	for (size_t i = 0; i < tree->naggregates; i++) {
		const struct aggregate *a = &tree->aggregates[i];
		const struct location *at = dataset_location(data, a->node);

		if (!at->nframes || at->frames->function != f)
			continue;
		all += a->weight;
		if (a->leaf && dataset_location(data, a->leaf)->object ==
				       OBJECTS_CALLS)
			calls += a->weight;
	}
	return calls && (double)calls >= IN_CALLS * (double)all;
}

/* The function in PATH that a letter stands for.  Where it takes time, the
   instructions tell more than those of a caller without a source; of a call or
   an allocation they tell nothing.  An interpreter is not the program where
   PATH has what it interprets. */
static uint32_t place_of(const struct advice *advice, char letter)
{
	const struct dataset *data = advice->tree->data;
	uint32_t last = advice->length - 1;
	bool generated = false;

	if (letter == 'G')
		return 0;
	for (uint32_t i = 0; i <= last; i++)
		generated |=
			path_is_generated(&data->functions[advice->path[i]]);
	for (uint32_t i = last + 1; letter == 'P' && i--;) {
		const struct function *f = &data->functions[advice->path[i]];

		if (is_own(data, f) && path_is_own(f, generated) &&
			(*f->file ||
				tree_resource(advice->tree)->unit != CPD_USEC))
			return i;
	}
	return last;
}

/* Behind the last "::" of NAME that is in no template argument. */
static const char *last_part(const char *name)
{
	const char *last = name;
	int depth = 0;

	for (const char *s = name; *s && *s != '('; s++) {
		depth += (*s == '<') - (*s == '>');
		if (!depth && !strncmp(s, "::", 2))
			last = s + 2;
	}
	return last;
}

/* What a command calls function F: as little of its name as tells it. */
static const char *word_of(const struct dataset *data, uint32_t f)
{
	const char *name = data->functions[f].brief, *part = last_part(name);
	uint32_t *found;
	struct err err;
	size_t n;
	bool is_it;

	if (part == name ||
		dataset_find_part(data, part, NULL, &found, &n, &err))
		return name;
	is_it = n == 1 && *found == f;
	free(found);
	return is_it ? part : name;
}

static const struct cpd_process *process_of(const struct advice *a)
{
	const struct dataset *data = a->tree->data;

	return &data->processes[data->threads[a->thread].process];
}

/* What it is about if not a function, in new memory: a thread, or a process
   with its arguments. */
static char *subject(const struct advice *a)
{
	const struct dataset *data = a->tree->data;
	const struct cpd_process *process = process_of(a);
	char *args, *text = NULL;

	if (a->kind != ADVICE_PROCESS)
		return report_escape(dataset_thread_name(data, a->thread), "");
	args = report_arguments(
		data, (uint32_t)(process - data->processes), false);
	if (args && asprintf(&text, "%s%s%s", process->name, *args ? " " : "",
			    args) < 0)
		text = NULL;
	free(args);
	args = text ? report_escape(text, "") : NULL;
	free(text);
	return args;
}

/* COMMAND with its letters replaced; names are quoted for the shell. */
static char *command_text(const struct advice *advice, const char *pattern)
{
	const char *blank = strchr(pattern, ' '), *word;
	int verb = blank ? (int)(blank - pattern) : 0;
	char *name, *text, number[16];
	bool quote;

	if (!blank || blank[1] > 'Z')
		return strdup(pattern);
	word = tree_resource(advice->tree)->name;
	if (blank[1] == 'T') {
		snprintf(number, sizeof number, "%" PRId32,
			advice->kind == ADVICE_PROCESS
				? process_of(advice)->pid
				: advice->tree->data->threads[advice->thread]
					  .tid);
		word = number;
	} else if (blank[1] != 'R') {
		uint32_t f = blank[1] == 'B'
				     ? advice->fork
				     : advice->path[place_of(advice, blank[1])];
		const struct function *function =
			&advice->tree->data->functions[f];

		word = word_of(advice->tree->data, f);
		if (!strncmp(pattern, "list ", 5)) {
			pattern = inside(advice->tree->data, function);
			verb = (int)strlen(pattern);
		}
	}
	name = report_escape(word, "\"");
	quote = name && strpbrk(name, " '<>|();&*?#");
	if (!name || asprintf(&text, "%.*s %s%s%s", verb, pattern,
			     quote ? "\"" : "", name, quote ? "\"" : "") < 0)
		text = NULL;
	free(name);
	return text;
}

/* The same of what the kernel did; of what the file does not tell there is
   nothing to try. */
static const char *const kernel_works[][COMMANDS] = {
	[KERNEL_UNKNOWN] = {NULL},
	[KERNEL_CALLS] = {"resource R", "set syscalls on", "function"},
	[KERNEL_COUNTED] = {"resource R", "function"},
	[KERNEL_FAULTS] = {"resource R", "function"},
};

/* The commands that show waits: those with work, of several threads or of the
   only one; those of one that rests, of several, or without a count of waits.
 */
static const char *const rests[][COMMANDS] = {
	{"resource R", "up F", "threads"},
	{"resource R", "up F"},
	{"resource R", "fold off", "up F"},
	{"resource R", "fold off"},
	{NULL},
};

static const char *const *commands_of(const struct advice *a)
{
	if (a->kind == ADVICE_WAITS)
		return rests[a->part > 0];
	if (a->kind == ADVICE_REST)
		return rests[a->length                                    ? 2
			     : dataset_is_waiting(tree_resource(a->tree)) ? 3
									  : 4];
	return a->kind == ADVICE_KERNEL ? kernel_works[a->count]
					: kinds[a->kind].commands;
}

/* Command I of those that show it; NULL: there are no more.  The last may be
   on code that shows nothing. */
static const char *command_at(const struct advice *a, size_t i)
{
	const char *pattern = i < COMMANDS ? commands_of(a)[i] : NULL;
	uint32_t f;

	if (!pattern || strncmp(pattern, "list ", 5) != 0)
		return pattern;
	f = a->path[place_of(a, pattern[5])];
	return !strcmp(inside(a->tree->data, &a->tree->data->functions[f]),
		       "disasm") &&
			       only_calls(a->tree, f)
		       ? NULL
		       : pattern;
}

static int put_path(FILE *out, const struct advice *advice,
	const struct report_options *options)
{
	const struct dataset *data = advice->tree->data;
	const struct function *functions = data->functions;
	/* a cycle ends where it begins */
	uint32_t n = advice->length,
		 all = n + (advice->kind == ADVICE_RECURSION),
		 begin = (uint32_t)path_begin(data, advice->path, n);
	struct path_text path = {.options = options,
		.width = layout_columns(options) - 4,
		.tells = advice->tells > begin ? advice->tells - begin : 0};
	char *text = NULL;
	int bad = 0;

	for (uint32_t i = begin; i < all && !bad; i++)
		bad = path_text_add(
			&path, &functions[advice->path[i % n]], NULL);
	text = path_text_end(&path);
	if (!text || bad) {
		free(text);
		return -1;
	}
	fputs("    ", out);
	path_put(out, text, 4);
	fputc('\n', out);
	free(text);
	return 0;
}

/* The commands, on as many lines as they need. */
static int put_commands(FILE *out, const struct advice *advice, size_t columns)
{
	const char *next = columns < LAYOUT_NARROW ? "    " : "        ";
	size_t used = strlen("    try:"), width;
	char *text;

	if (!command_at(advice, 0))
		return 0;
	fputs("    try:", out);
	for (size_t i = 0; command_at(advice, i); i++) {
		text = command_text(advice, command_at(advice, i));
		if (!text)
			return -1;
		width = layout_width(text) + strlen(" ;");
		if (used + width > columns) {
			fprintf(out, "\n%s", next);
			used = strlen(next);
		}
		fprintf(out, " %s%s", text,
			command_at(advice, i + 1) ? ";" : "");
		used += width;
		free(text);
	}
	fputc('\n', out);
	return 0;
}

static int put_advice(FILE *out, const struct advice *advice, size_t number,
	const struct report_options *options)
{
	size_t columns = layout_columns(options);
	char *name = subject(advice);
	char *resource = report_escape(tree_resource(advice->tree)->name, "");
	char *text = name && resource
			     ? advice_claim(advice, name, resource, options)
			     : NULL;
	int bad = !text;

	if (text) {
		fprintf(out, "%zu. ", number);
		layout_flow(out, text, columns - strlen("1. "));
		fputc('\n', out);
		bad = (advice->length > !!advice->parts->function &&
			      put_path(out, advice, options)) ||
		      put_commands(out, advice, columns);
	}
	free(text);
	free(name);
	free(resource);
	return bad;
}

/* How to see what an interpreter runs, without which advice is on the
   interpreter. */
static int put_runtime(FILE *out, const struct dataset *data,
	const struct report_options *options)
{
	char *text = NULL;
	size_t size;
	FILE *notes = open_memstream(&text, &size);

	if (!notes)
		return -1;
	summary_runtime(notes, data, 1, options);
	if (!text_end(notes, &text))
		return -1;
	if (*text)
		fprintf(out, "\n%s", text);
	free(text);
	return 0;
}

int advice_text(FILE *out, const struct advices *advices,
	const struct report_options *options)
{
	bool some = advices->n != 0;
	char how[FILENAME_MAX];
	struct layout_lines lines;

	if (!layout_lines_begin(&lines))
		return -1;
	report_command(advices->data, options, some ? "" : "report", "top", how,
		sizeof how);
	if (some && options->in_shell)
		fputs("Contexts worth a look, and how to go on from each:",
			lines.stream);
	else
		fprintf(lines.stream,
			some ? "Contexts worth a look; 'try' is for the shell "
			       "that '%s' starts:"
			     : "nothing stands out; '%s' shows where the "
			       "resources go",
			how);
	if (layout_lines_end(&lines, 0, out, layout_columns(options)))
		return -1;
	for (size_t i = 0; i < advices->n; i++) {
		fputc('\n', out);
		if (put_advice(out, &advices->v[i], i + 1, options))
			return -1;
	}
	return put_runtime(out, advices->data, options);
}

/* Characters for programs that read little: of a name or a command, which is
   not there if it is longer, of all names of a path. */
#define LONGEST 160
#define PATH_LONGEST 900

static json_t *short_name(const char *name, size_t longest)
{
	char *escaped = report_escape(name, "");
	char *fit = escaped ? advice_fitting(escaped, longest) : NULL;
	char *lines = fit ? layout_wrap(fit, longest) : NULL, *cut = NULL;
	json_t *json = NULL;

	if (lines && asprintf(&cut, "%.*s%s", (int)strcspn(lines, "\n"), lines,
			     strchr(lines, '\n') ? "..." : "") >= 0)
		json = json_text(cut);
	free(escaped);
	free(fit);
	free(lines);
	free(cut);
	return json;
}

static json_t *advice_object(const void *of, size_t i)
{
	const struct advice *a = &((const struct advices *)of)->v[i];
	json_t *path = json_array(), *commands = json_array();
	size_t longest = PATH_LONGEST / (a->length + 1);

	for (uint32_t k = 0; k < a->length; k++)
		json_add(&path, short_name(shown(a, k),
					longest < LONGEST ? longest : LONGEST));
	for (size_t k = 0; command_at(a, k); k++) {
		char *text = command_text(a, command_at(a, k));

		if (!text || strlen(text) <= LONGEST)
			json_add(&commands, text ? json_text(text) : NULL);
		free(text);
	}
	return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o}", "kind",
		kinds[a->kind].name, "resource",
		short_name(tree_resource(a->tree)->name, LONGEST), "path", path,
		"share", json_fraction(a->share), "part",
		json_fraction(a->part), "count", json_number(a->count),
		"commands", commands);
}

int advice_data(FILE *out, const struct report_format *format,
	const struct advices *advices)
{
	const struct rows rows = {"kind,\"resource\",\"path\",share,part,count",
		advices->n, advice_object, advices, NULL, NULL};

	return format->write_rows(out, json_begin("advise"), &rows);
}
