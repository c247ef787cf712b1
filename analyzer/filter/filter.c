/*
 * filter.c - filters as the user names them.
 */
#include "analyzer/filter/filter_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "lib/vec.h"
#include "analyzer/name/pattern.h"

#define NEAREST 5

const char *const filter_names[FILTER_KINDS] = {
	[FILTER_PROCESS] = "process",
	[FILTER_THREAD] = "thread",
	[FILTER_WINDOW] = "window",
	[FILTER_CONTAINS] = "contains",
	[FILTER_THEN] = "then",
	[FILTER_WITHOUT] = "without",
	[FILTER_MODULE] = "module",
	[FILTER_ELIDE] = "elide",
	[FILTER_ONLY] = "only",
};

/* The number that WORD is: of the system, or after % of the file; -1: it is
   none. */
static int64_t parse_number(const char *word)
{
	char *end;
	unsigned long long n;

	if (!*word || strspn(word, "0123456789") != strlen(word))
		return -1;
	errno = 0;
	n = strtoull(word, &end, 10);
	return errno || n > INT32_MAX ? -1 : (int64_t)n;
}

enum how { BY_ID, BY_NUMBER, BY_NAME, BY_PATTERN, HOWS };

/* What a user has typed. */
struct typed_name {
	const char *text;
	struct pattern *pattern; /* NULL: it is none */
};

/* Whether NAME is WORD, or HOW is BY_PATTERN and it fits. */
static bool is_name(
	const char *name, enum how how, const struct typed_name *word)
{
	if (how == BY_PATTERN)
		return word->pattern && pattern_fits(word->pattern, name);
	return !strcmp(name, word->text);
}

static bool is_id(uint32_t id, const struct typed_name *word)
{
	return *word->text == '%' && parse_number(word->text + 1) == id;
}

static bool is_process(const struct dataset *data, uint32_t id, enum how how,
	const struct typed_name *word)
{
	const struct cpd_process *p = &data->processes[id];

	switch (how) {
	case BY_ID:
		return is_id(id, word);
	case BY_NUMBER:
		return p->pid > 0 && parse_number(word->text) == p->pid;
	default:
		return is_name(p->name, how, word) ||
		       is_name(p->exe, how, word) ||
		       is_name(dataset_program(p), how, word);
	}
}

static bool is_thread(const struct dataset *data, uint32_t id, enum how how,
	const struct typed_name *word)
{
	switch (how) {
	case BY_ID:
		return is_id(id, word);
	case BY_NUMBER:
		return data->threads[id].tid > 0 &&
		       parse_number(word->text) == data->threads[id].tid;
	default:
		return is_name(dataset_thread_name(data, id), how, word);
	}
}

/* Whether the function's module is WORD; pseudo functions have none. */
static bool is_module(const struct dataset *data, uint32_t id, enum how how,
	const struct typed_name *word)
{
	const char *name = data->functions[id].module;

	return *name && how >= BY_NAME && is_name(name, how, word);
}

/* Where the things that a kind of filter selects lie in a file. */
struct things {
	const char *list; /* the command of the shell that lists them */
	bool (*is)(const struct dataset *data, uint32_t id, enum how how,
		const struct typed_name *word);
	/* A name of thing ID; "" where it has none. */
	const char *(*name)(const struct dataset *data, uint32_t id);
};

static const char *process_name(const struct dataset *data, uint32_t id)
{
	return data->processes[id].name;
}

static const char *module_name(const struct dataset *data, uint32_t id)
{
	return data->functions[id].module;
}

static const struct things things[FILTER_KINDS] = {
	[FILTER_PROCESS] = {"processes", is_process, process_name},
	[FILTER_THREAD] = {"threads", is_thread, dataset_thread_name},
	[FILTER_MODULE] = {"group by module; function", is_module, module_name},
};

static uint32_t count_things(const struct dataset *data, enum filter_kind kind)
{
	return kind == FILTER_PROCESS  ? data->nprocesses
	       : kind == FILTER_THREAD ? data->nthreads
				       : data->nfunctions;
}

/* Fails with the names that are near to WORD. */
static int not_found(const struct dataset *data, enum filter_kind kind,
	const char *word, struct err *err)
{
	uint32_t all = count_things(data, kind);
	const char **names = calloc((size_t)all * 2 + 1, sizeof *names);
	const char *nearest[NEAREST];
	char list[400] = "";
	size_t n = 0;

	if (!names)
		return err_memory(err, NULL, "filter");
	for (uint32_t i = 1; i <= all; i++) {
		names[n++] = things[kind].name(data, i);
		if (kind == FILTER_PROCESS)
			names[n++] = dataset_program(&data->processes[i]);
	}
	n = text_nearest(word, names, n, nearest, NEAREST);
	for (size_t i = 0; i < n; i++)
		text_list(list, sizeof list, nearest[i]);
	free(names);
	err_set(err, NULL, NULL, "no %s '%.80s'%s%s", filter_names[kind], word,
		n ? "; nearest: " : "", list);
	return err_hint(err, "'%s' in the shell lists them", things[kind].list);
}

/* Finds things by the first kind of name by which WORD finds any. */
static int find_things(const struct dataset *data, struct filter *filter,
	const char *text, struct err *err)
{
	uint32_t all = count_things(data, filter->kind);
	struct typed_name word = {.text = text};

	filter->found = calloc((size_t)all + 1, sizeof *filter->found);
	if (!filter->found)
		return err_memory(err, NULL, "filter");
	if (pattern_is(text) && !(word.pattern = pattern_new(text, err)))
		return -1;
	for (enum how how = 0; how < HOWS && *text && !filter->nfound; how++)
		for (uint32_t i = 1; i <= all; i++)
			if (things[filter->kind].is(data, i, how, &word))
				filter->found[filter->nfound++] = i;
	pattern_free(word.pattern);
	return filter->nfound ? 0 : not_found(data, filter->kind, text, err);
}

static bool follows(const struct filters *filters)
{
	for (size_t i = 0; i < filters->n; i++)
		if (filters->v[i].kind == FILTER_CONTAINS ||
			filters->v[i].kind == FILTER_THEN)
			return true;
	return false;
}

static void filter_fini(struct filter *filter)
{
	free(filter->name);
	free(filter->found);
	free(filter->aggregates);
}

int filters_add(struct filters *filters, const struct dataset *data,
	enum filter_kind kind, const char *name, struct err *err)
{
	struct filter filter = {.kind = kind};
	int status;

	if (kind == FILTER_THEN && !follows(filters))
		return err_say(err, name, "then", "below what?",
			"begin with 'contains F'");
	if (filters->n == FILTERS_MAX)
		return err_set(err, name, filter_names[kind],
			"%d filters are in force already", FILTERS_MAX);
	if (kind == FILTER_WINDOW)
		status = filter_window(filters, &filter, data, name, err);
	else if (things[kind].is)
		status = find_things(data, &filter, name, err);
	else
		status = dataset_find_all(
			data, name, &filter.found, &filter.nfound, err);
	if (!status && kind >= FILTER_ELIDE && *filter.found < FN_FIRST_REAL)
		status = err_say(err, name, filter_names[kind],
			"no function of a program",
			"a name in brackets is not a function");
	if (!status && !(filter.name = strdup(name)))
		status = err_memory(err, NULL, "filter");
	if (!status && !vec_add(filters, filter))
		status = err_memory(err, NULL, "filter");
	if (status)
		filter_fini(&filter);
	return status;
}

uint32_t filters_rest(const struct filters *elided)
{
	for (size_t i = 0; elided && i < elided->n; i++)
		if (elided->v[i].kind == FILTER_ONLY)
			return FN_OTHER;
	return FN_ELIDED;
}

bool filters_undo(struct filters *filters)
{
	if (!filters->n)
		return false;
	filter_fini(&filters->v[--filters->n]);
	return true;
}

void filters_fini(struct filters *filters)
{
	while (filters_undo(filters))
		;
	vec_free(filters);
}
