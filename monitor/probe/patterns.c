/* Finds the functions that patterns name, and where their probes go. */
#include "monitor/probe/patterns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf/demangle.h"
#include "lib/lower_bound.h"
#include "lib/order.h"
#include "lib/text.h"
#include "monitor/probe/place.h"

#define FUNCTIONS_MOST 500000
#define NAME_MOST 96

struct pattern_search {
	struct calls *calls;
	struct probe_symbols *symbols;
	const char *file, *pattern;
	bool program;
	size_t first; /* of its points */
	struct decoder decoder;
};

static int take(void *arg, const char *name,
	const struct probe_address *address, uint64_t size)
{
	struct pattern_search *s = arg;
	struct probe_point point = {
		.entry = address->addr, .program = s->program};
	struct probe_place place;

	if (!address->function || !probe_name_matches(name, s->pattern))
		return 0;
	place = probe_place(&s->decoder, s->symbols, address->addr, size);
	point.addr = place.addr;
	point.from = place.from;
	point.offset = address->offset + place.addr - address->addr;
	point.depth = place.depth;
	point.stepped = place.stepped;
	point.file = strdup(s->file);
	point.name = strndup(name, strcspn(name, "@"));
	if (!point.file || !point.name || !vec_add(&s->calls->points, point)) {
		free(point.file);
		free(point.name);
		return -1;
	}
	return 0;
}

static int by_place(const void *x, const void *y)
{
	const struct probe_point *a = x, *b = y;
	int file = strcmp(a->file, b->file);

	if (file)
		return file;
	return ORDER(a->entry, b->entry);
}

/* A function can have several names; sorts those from FIRST on. */
static void keep_each_once(struct calls *calls, size_t first)
{
	struct probe_point *v = calls->points.v;
	size_t n = first;

	if (calls->points.n > first)
		qsort(v + first, calls->points.n - first, sizeof *v, by_place);
	for (size_t i = first; i < calls->points.n; i++) {
		if (n > first && by_place(&v[n - 1], &v[i]) == 0) {
			free(v[i].file);
			free(v[i].name);
		} else {
			v[n++] = v[i];
		}
	}
	calls->points.n = n;
}

/* The probe goes back to where the function, or its check of the stack, begins.
 */
static void go_back(struct probe_point *p)
{
	p->stepped |= p->addr != p->from;
	p->offset -= p->addr - p->from;
	p->addr = p->from;
	p->depth = 0;
}

static bool see_target(void *arg, uint64_t target)
{
	struct pattern_search *s = arg;
	struct probe_point *v = s->calls->points.v + s->first;
	size_t n = s->calls->points.n - s->first;
	size_t i = LOWER_BOUND(n, k, v[k].addr < target);

	if (i < n && target > v[i].from)
		go_back(&v[i]);
	return false;
}

/* Another function may begin there, and some go on in others. */
static int see_function(void *arg, const char *name,
	const struct probe_address *address, uint64_t size)
{
	(void)name, (void)size;
	if (address->function)
		see_target(arg, address->addr);
	return 0;
}

int patterns_find(struct calls *calls, struct probe_symbols *symbols,
	const char *file, bool program, const char *pattern, struct err *err)
{
	struct pattern_search s = {
		calls, symbols, file, pattern, program, calls->points.n, {0}};
	int bad = !decoder_open(&s.decoder) ||
		  probe_symbols_each(symbols, take, &s);

	decoder_close(&s.decoder);
	if (bad)
		return err_memory(err, "arcs", "start");
	if (calls->points.n == s.first)
		return 0;
	keep_each_once(calls, s.first);
	probe_symbols_each(symbols, see_function, &s);
	if (probe_symbols_each_target(symbols, see_target, &s))
		for (size_t i = s.first; i < calls->points.n; i++)
			go_back(&calls->points.v[i]);
	return 1;
}

int patterns_done(struct calls *calls, struct err *err)
{
	size_t n;

	keep_each_once(calls, 0);
	n = calls->points.n;
	if (n <= FUNCTIONS_MOST)
		return 0;
	err_set(err, "arcs", NULL, "%zu functions match", n);
	return err_hint(err,
		"at most %d can be counted: take a narrower "
		"pattern",
		FUNCTIONS_MOST);
}

static bool is_in_state(const struct probe_point *p, enum point_state state)
{
	if (!p->name)
		return false;
	return state == POINT_STEPPED   ? p->stepped
	       : state == POINT_REFUSED ? p->refused
					: p->left != 0;
}

size_t patterns_list(const struct calls *calls, enum point_state state,
	char *text, size_t size)
{
	char name[DEMANGLE_OUTPUT_MAX], shown[NAME_MOST];
	size_t n = 0, told = 0, at = 0;

	*text = '\0';
	for (size_t i = 0; i < calls->points.n; i++) {
		const struct probe_point *p = &calls->points.v[i];

		if (!is_in_state(p, state) || n++ != told)
			continue;
		demangle_or_copy(p->name, name);
		text_escape(name, shown, sizeof shown);
		/* room for what follows them */
		if (at + strlen(shown) + 32 > size)
			continue;
		at += (size_t)snprintf(text + at, size - at, "%s%s",
			told++ ? ", " : "", shown);
	}
	if (n > told)
		snprintf(text + at, size - at, "%s%zu%s", told ? " and " : "",
			n - told, told ? " more" : "");
	return n;
}
