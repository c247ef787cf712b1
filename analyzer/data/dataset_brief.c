/*
 * dataset_brief.c - short names of functions, each the shortest form that no
 * other function's name shares.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/data/dataset_private.h"
#include "analyzer/name/name_style.h"

/* Longer forms can meet other names' forms: then full names end it. */
#define ROUNDS_MAX 12

struct shortener {
	struct dataset_private *impl;
	uint32_t *order; /* of the functions, by short name */
	size_t n;
	uint8_t *forms; /* by function; NAME_FORMS: the full name */
	struct bytes buf;
};

/* What compilers and runtimes make up has another syntax, but for Java's
   methods: "void C.f(int)", and not "RegExp:(a|b)". */
static bool is_foreign(const struct function *f)
{
	size_t n = strlen(f->name);

	return f->source == CPD_NAME_GO || f->source == CPD_NAME_NONE ||
	       (function_is_runtime(f) &&
		       (!n || f->name[n - 1] != ')' || strchr(f->name, ':')));
}

static int set_brief(struct shortener *s, uint32_t function)
{
	struct function *f = &s->impl->functions.v[function];
	const char *text = f->name;

	if (s->forms[function] < NAME_FORMS) {
		text = name_shorten(
			f->name, (enum name_form)s->forms[function], &s->buf);
		if (!text)
			return -1;
	}
	f->brief = f->name;
	if (text != f->name && strcmp(text, f->name) != 0)
		f->brief = arena_strdup(&s->impl->arena, text);
	return f->brief ? 0 : -1;
}

static int by_brief(const void *a, const void *b, void *arg)
{
	const struct function *f = arg;

	return strcmp(
		f[*(const uint32_t *)a].brief, f[*(const uint32_t *)b].brief);
}

/* Gives the N functions of one short name longer ones if their names differ. */
static int tell_apart(struct shortener *s, const uint32_t *group, size_t n,
	bool last, bool *changed)
{
	const struct function *f = s->impl->functions.v;
	size_t same = 1;

	while (same < n && !strcmp(f[group[same]].name, f[group[0]].name))
		same++;
	for (size_t i = 0; same < n && i < n; i++) {
		uint8_t *form = &s->forms[group[i]];

		if (*form == NAME_FORMS)
			continue;
		*form = last ? NAME_FORMS : (uint8_t)(*form + 1);
		*changed = true;
		if (set_brief(s, group[i]))
			return -1;
	}
	return 0;
}

static int run_round(struct shortener *s, bool last, bool *changed)
{
	struct function *f = s->impl->functions.v;

	*changed = false;
	qsort_r(s->order, s->n, sizeof *s->order, by_brief, f);
	for (size_t i = 0, end; i < s->n; i = end) {
		const char *brief = f[s->order[i]].brief;

		for (end = i + 1;
			end < s->n && !strcmp(f[s->order[end]].brief, brief);)
			end++;
		if (end > i + 1 &&
			tell_apart(s, s->order + i, end - i, last, changed))
			return -1;
	}
	return 0;
}

int dataset_shorten_names(
	struct dataset_private *impl, const uint32_t *used, size_t n)
{
	struct shortener s = {.impl = impl, .n = n};
	bool changed = true;
	int status = 0;

	s.order = malloc((n ? n : 1) * sizeof *s.order);
	s.forms = calloc(impl->functions.n, sizeof *s.forms);
	if (!s.order || !s.forms)
		status = -1;
	for (size_t i = 0; !status && i < n; i++) {
		s.order[i] = used[i];
		if (is_foreign(&impl->functions.v[used[i]]))
			s.forms[used[i]] = NAME_FORMS;
		status = set_brief(&s, used[i]);
	}
	for (int i = 0; !status && changed; i++)
		status = run_round(&s, i >= ROUNDS_MAX, &changed);
	bytes_free(&s.buf);
	free(s.order);
	free(s.forms);
	return status;
}
