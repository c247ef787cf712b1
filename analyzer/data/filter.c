/*
 * filter.c - filters as the user names them.
 */
#include "analyzer/data/filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "lib/vec.h"

#define NEAREST 5

const char *const filter_names[FILTER_KINDS] = {
	[FILTER_PROCESS] = "process",
	[FILTER_THREAD] = "thread",
	[FILTER_CONTAINS] = "contains",
	[FILTER_THEN] = "then",
};

const char *filter_program(const struct cpd_process *process)
{
	const char *slash = strrchr(process->exe, '/');

	return slash && slash[1] ? slash + 1 : process->exe;
}

static const struct cpd_process *process_of(
	const struct dataset *data, uint32_t thread)
{
	uint32_t process = data->threads[thread].process;

	return &data->processes[process <= data->nprocesses ? process : 0];
}

const char *filter_thread_name(const struct dataset *data, uint32_t thread)
{
	const char *name = data->threads[thread].name;

	return *name ? name : process_of(data, thread)->name;
}

/* A word as a number of the system, or with % of the file; -1: it is none. */
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

enum how { BY_ID, BY_NUMBER, BY_NAME, HOWS };

static bool is_process(
	const struct dataset *data, uint32_t id, enum how how, const char *word)
{
	const struct cpd_process *p = &data->processes[id];

	switch (how) {
	case BY_ID:
		return *word == '%' && parse_number(word + 1) == id;
	case BY_NUMBER:
		return p->pid > 0 && parse_number(word) == p->pid;
	default:
		return !strcmp(p->name, word) || !strcmp(p->exe, word) ||
		       !strcmp(filter_program(p), word);
	}
}

static bool is_thread(
	const struct dataset *data, uint32_t id, enum how how, const char *word)
{
	switch (how) {
	case BY_ID:
		return *word == '%' && parse_number(word + 1) == id;
	case BY_NUMBER:
		return data->threads[id].tid > 0 &&
		       parse_number(word) == data->threads[id].tid;
	default:
		return !strcmp(filter_thread_name(data, id), word);
	}
}

static int no_memory(struct err *err)
{
	return err_set(err, NULL, "filter", "out of memory");
}

/* What NAMES has that is near to WORD. */
static int not_found(const struct dataset *data, enum filter_kind kind,
	const char *word, struct err *err)
{
	bool processes = kind == FILTER_PROCESS;
	uint32_t all = processes ? data->nprocesses : data->nthreads;
	const char **names = calloc((size_t)all * 2 + 1, sizeof *names);
	const char *nearest[NEAREST];
	char list[400] = "";
	size_t n = 0, used = 0;

	if (!names)
		return no_memory(err);
	for (uint32_t i = 1; i <= all; i++) {
		names[n++] = processes ? data->processes[i].name
				       : filter_thread_name(data, i);
		if (processes)
			names[n++] = filter_program(&data->processes[i]);
	}
	n = text_nearest(word, names, n, nearest, NEAREST);
	for (size_t i = 0; i < n && used < sizeof list; i++)
		used += (size_t)snprintf(list + used, sizeof list - used,
			"%s%.60s", i ? ", " : "; nearest: ", nearest[i]);
	free(names);
	err_set(err, NULL, NULL, "no %s '%.80s'%s", filter_names[kind], word,
		list);
	return err_hint(err, "'%s' in the shell lists those there are",
		processes ? "processes" : "threads");
}

/* The processes or threads of the first way in which WORD names some. */
static int find_tasks(const struct dataset *data, struct filter *filter,
	const char *word, struct err *err)
{
	bool processes = filter->kind == FILTER_PROCESS;
	uint32_t all = processes ? data->nprocesses : data->nthreads;

	filter->found = calloc((size_t)all + 1, sizeof *filter->found);
	if (!filter->found)
		return no_memory(err);
	for (enum how how = 0; how < HOWS && *word && !filter->nfound; how++)
		for (uint32_t i = 1; i <= all; i++)
			if ((processes ? is_process : is_thread)(
				    data, i, how, word))
				filter->found[filter->nfound++] = i;
	return filter->nfound ? 0 : not_found(data, filter->kind, word, err);
}

static bool follows(const struct filters *filters)
{
	for (size_t i = 0; i < filters->n; i++)
		if (filters->v[i].kind >= FILTER_CONTAINS)
			return true;
	return false;
}

static void filter_fini(struct filter *filter)
{
	free(filter->name);
	free(filter->found);
}

int filters_add(struct filters *filters, const struct dataset *data,
	enum filter_kind kind, const char *name, struct err *err)
{
	struct filter filter = {.kind = kind}, *to;
	int status;

	if (kind == FILTER_THEN && !follows(filters)) {
		err_set(err, name, "then", "below what?");
		return err_hint(err, "begin with 'contains F'");
	}
	if (kind >= FILTER_CONTAINS)
		status = dataset_find(
			data, name, &filter.found, &filter.nfound, err);
	else
		status = find_tasks(data, &filter, name, err);
	if (!status && !(filter.name = strdup(name)))
		status = no_memory(err);
	if (!status && !(to = vec_push(filters)))
		status = no_memory(err);
	if (status)
		filter_fini(&filter);
	else
		*to = filter;
	return status;
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
