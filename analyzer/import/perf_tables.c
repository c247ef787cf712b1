/* Reads the comments in cpprof's own perf text, and fills frames in from
   them. */
#include "analyzer/import/perf_tables.h"

#include <stdlib.h>
#include <string.h>

struct perf_function {
	uint64_t number;
	uint32_t name, file; /* in `strings' */
	uint32_t declared;
	bool undeclared;
};

struct perf_place {
	uint64_t address;
	uint32_t module;        /* in `strings' */
	uint32_t calls, ncalls; /* in the table of calls */
};

struct perf_call {
	uint64_t number; /* of a function */
	uint32_t line;
};

void perf_tables_free(struct perf_tables *t)
{
	if (t->strings)
		strings_free(t->strings);
	set_free(&t->functions);
	set_free(&t->places);
	vec_free(&t->calls);
}

/* The number of N bytes of S; 0, that of "", when memory is out. */
static uint32_t add_string(struct perf_tables *t, const char *s, size_t n)
{
	uint32_t id;

	if (!t->strings)
		t->strings = strings_new();
	id = t->strings ? strings_add(t->strings, s, n) : UINT32_MAX;
	if (id != UINT32_MAX)
		return id;
	t->failed = true;
	return 0;
}

static const struct perf_function *find_function(
	const struct perf_tables *t, uint64_t number)
{
	const struct perf_function key = {.number = number};
	uint32_t i = set_find(&t->functions, &key, sizeof key.number);

	return i == HASH_NONE ? NULL : &t->functions.v[i];
}

#define PLACE_KEY offsetof(struct perf_place, calls)

/* Reads a number and the END behind it. */
static bool take_number(
	const char **p, int base, const char *end, uint64_t *number)
{
	char *after;

	*number = strtoull(*p, &after, base);
	if (after == *p || !strchr(end, *after) || !*after)
		return false;
	*p = after + 1;
	return true;
}

static void take_function(struct perf_tables *t, const char *p)
{
	struct perf_function f = {0};
	const char *tab;
	uint64_t line = 0;

	if (!take_number(&p, 10, "\t", &f.number))
		return;
	if (strncmp(p, "-\t", 2) == 0) {
		f.undeclared = true;
		p += 2;
	} else if (!take_number(&p, 10, "\t", &line)) {
		return;
	}
	tab = strchr(p, '\t');
	if (!tab)
		return;
	f.declared = line <= UINT32_MAX ? (uint32_t)line : 0;
	f.file = add_string(t, p, (size_t)(tab - p));
	f.name = add_string(t, tab + 1, strlen(tab + 1));
	if (set_add(&t->functions, &f, sizeof f.number) == HASH_NONE)
		t->failed = true;
}

static void take_calls(struct perf_tables *t, const char *p)
{
	uint64_t number, line;

	while (take_number(&p, 10, ":", &number)) {
		char *end;

		line = strtoull(p, &end, 10);
		line = line <= UINT32_MAX ? line : 0;
		t->failed |= !vec_add(
			&t->calls, (struct perf_call){number, (uint32_t)line});
		p = end;
	}
}

static void take_place(struct perf_tables *t, const char *p)
{
	struct perf_place place = {.calls = (uint32_t)t->calls.n};
	const char *tab;

	if (!take_number(&p, 16, "\t", &place.address))
		return;
	tab = strchr(p, '\t');
	if (!tab)
		return;
	place.module = add_string(t, p, (size_t)(tab - p));
	if (set_find(&t->places, &place, PLACE_KEY) != HASH_NONE)
		return;
	take_calls(t, tab + 1);
	place.ncalls = (uint32_t)t->calls.n - place.calls;
	if (set_add(&t->places, &place, PLACE_KEY) == HASH_NONE)
		t->failed = true;
}

void perf_tables_take(struct perf_tables *t, const char *comment)
{
	static const char function[] = "function\t", place[] = "place\t";

	if (strncmp(comment, function, strlen(function)) == 0)
		take_function(t, comment + strlen(function));
	else if (strncmp(comment, place, strlen(place)) == 0)
		take_place(t, comment + strlen(place));
}

static void fill(const struct perf_tables *t, const struct perf_function *f,
	uint32_t line, struct build_frame *frame)
{
	frame->file = strings_get(t->strings, f->file);
	frame->declared = f->declared;
	frame->line = line;
	frame->number = f->number;
	frame->undeclared = f->undeclared;
}

void perf_tables_fill(struct perf_tables *t, const char *module,
	uint64_t address, struct build_frame *frames, size_t n)
{
	struct perf_place key = {.address = address};
	const struct perf_place *place = NULL;
	uint32_t number;

	if (!t->places.n)
		return;
	key.module = add_string(t, module, strlen(module));
	number = set_find(&t->places, &key, PLACE_KEY);
	if (number != HASH_NONE)
		place = &t->places.v[number];
	/* Not all functions of a place need be shown. */
	for (uint32_t i = 0, k = 0; place && i < place->ncalls && k < n; i++) {
		const struct perf_call *call = &t->calls.v[place->calls + i];
		const struct perf_function *f = find_function(t, call->number);

		if (f && strcmp(strings_get(t->strings, f->name),
				 frames[k].name) == 0)
			fill(t, f, call->line, &frames[k++]);
	}
}
