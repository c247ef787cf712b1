/* name_squeeze.c - less of a name, where a line has no room for more. */
#include <string.h>

#include "analyzer/name/name_style_private.h"

/* Shorter ones stay: "f<int>" tells more than "f<...>". */
#define ELLIPSIS "..."

struct squeezer {
	struct bytes to;
	struct name_text text;
	size_t told; /* the byte that has to be seen */
};

static void put_range(struct squeezer *s, size_t i, size_t end)
{
	bytes_put(&s->to, s->text.s + i, end - i);
}

static void put_ellipsis(
	struct squeezer *s, const char *before, const char *behind)
{
	bytes_put(&s->to, before, strlen(before));
	bytes_put(&s->to, ELLIPSIS, strlen(ELLIPSIS));
	bytes_put(&s->to, behind, strlen(behind));
}

/* Whether what the bracket at I holds is a part of the name's path. */
static bool is_part(const struct name_text *text, size_t i)
{
	char c = text->s[i];

	return c == '{' || c == '[' || name_starts(text, i, "(anonymous") ||
	       (c == '<' && (!i || name_is_scope(text, i) ||
				    !(name_is_letter(text->s[i - 1]) ||
					    strchr(":> ", text->s[i - 1]))));
}

static void put_outer(struct squeezer *s, size_t i, size_t end, size_t depth);

/* Of the arguments between I and END the one with the byte that is told. */
static void put_told(struct squeezer *s, size_t i, size_t end)
{
	size_t begin = i, stop = end;

	for (size_t k = i; k < stop;
		k = s->text.match[k] ? s->text.match[k] + 1u : k + 1)
		if (s->text.s[k] == ',') {
			if (k >= s->told)
				stop = k;
			else
				begin = k + 1 + (s->text.s[k + 1] == ' ');
		}
	if (begin > i)
		put_ellipsis(s, "", ", ");
	put_outer(s, begin, stop, 1);
	if (stop < end)
		put_ellipsis(s, ", ", "");
}

/* What is between I and END without what is in DEPTH brackets. */
static void put_outer(struct squeezer *s, size_t i, size_t end, size_t depth)
{
	while (i < end) {
		size_t close = s->text.match[i];

		put_range(s, i, i + 1);
		i++;
		if (!close || close >= end)
			continue;
		if (is_part(&s->text, i - 1))
			put_outer(s, i, close, depth);
		else if (depth > 1)
			put_outer(s, i, close, depth - 1);
		else if (s->told >= i && s->told < close)
			put_told(s, i, close);
		else if (close - i > strlen(ELLIPSIS))
			put_ellipsis(s, "", "");
		else
			put_range(s, i, close);
		i = close;
	}
}

/* Where the last two parts begin that have names of their own. */
static size_t last_parts(
	const struct name_text *text, const struct name_parts *parts)
{
	size_t named = 0, k = parts->n;

	while (k > 0 && named < 2) {
		k--;
		named += text->s[parts->v[k].start] != '{' &&
			 !name_starts(text, parts->v[k].start, "operator()");
	}
	return k ? parts->v[k].start : 0;
}

/* Of the path before BEGIN the part with the byte that is told. */
static void put_told_part(
	struct squeezer *s, const struct name_parts *parts, size_t begin)
{
	size_t k = parts->n;

	while (k > 1 && parts->v[k - 1].start > s->told)
		k--;
	if (k > 1)
		put_ellipsis(s, "", "::");
	put_outer(s, parts->v[k - 1].start, parts->v[k].start, 1);
	if (parts->v[k].start < begin)
		put_ellipsis(s, "", "::");
}

bool name_folders(const char *name, size_t *begin, size_t *end)
{
	size_t at = strcspn(name, "/");

	*begin = *end = at;
	if (!name[at] || (at && !strchr(" :", name[at - 1])))
		return false;
	for (; name[at] && name[at] != ' '; at++)
		if (name[at] == '/')
			*end = at + 1;
	return true;
}

size_t name_tier(const char *name, size_t *at)
{
	static const char *const tags[] = {
		"JS:", "LazyCompile:", "Function:", "Eval:", "Script:"};
	size_t n = 0;

	for (size_t i = 0; i < sizeof tags / sizeof *tags && !n; i++) {
		*at = strlen(tags[i]);
		if (!strncmp(name, tags[i], *at))
			n = strspn(name + *at, "*~^+\'");
	}
	return n;
}

char *name_squeeze(const char *name, enum name_squeeze squeeze, size_t told)
{
	struct squeezer s = {.told = told};
	struct name_parts parts;
	size_t begin = 0, n = strlen(name), folders, file;

	if (squeeze == NAME_WHOLE || !strpbrk(name, ":<(/") ||
		!name_text_init(&s.text, name, n))
		return strdup(name);
	if (squeeze == NAME_LAST && name_parts_init(&parts, &s.text))
		begin = last_parts(&s.text, &parts);
	if (begin > told)
		put_told_part(&s, &parts, begin);
	else if (begin)
		put_ellipsis(&s, "", "::");
	if (!begin && name_folders(name, &folders, &file) &&
		(told < folders || told >= file)) {
		put_range(&s, 0, folders);
		if (!folders)
			put_ellipsis(&s, "", "/");
		begin = file;
	}
	put_outer(&s, begin, n, squeeze == NAME_OUTER ? 2 : 1);
	bytes_u8(&s.to, '\0');
	if (!s.to.failed)
		return (char *)s.to.v;
	bytes_free(&s.to);
	return NULL;
}
