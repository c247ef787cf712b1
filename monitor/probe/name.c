/* Whether a symbol is the function that the user named. */
#include "monitor/probe/symbols.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "lib/elf/demangle.h"

/* A jump to a piece of a function is no call of it. */
static bool is_piece(const char *suffix)
{
	static const char *const pieces[] = {".cold", ".part", ".warm", ".hot"};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		if (strstr(suffix, pieces[i]))
			return true;
	return false;
}

/*
 * The place of the bracket that CLOSE, TEXT[AT], closes; AT if there is none.
 */
static size_t opening(const char *text, size_t at, char open, char close)
{
	size_t depth = 0;

	for (size_t i = at + 1; i-- > 0;) {
		depth += text[i] == close;
		if (text[i] == open && --depth == 0)
			return i;
	}
	return at;
}

/* Cuts the parameters and all after them. */
static void cut_parameters(char *text)
{
	char *close = strrchr(text, ')');
	size_t open;

	if (!close)
		return;
	open = opening(text, (size_t)(close - text), '(', ')');
	/* "(anonymous namespace)::f" has none */
	if (open > 0 && close[1] != ':')
		text[open] = '\0';
}

static void cut_template_arguments(char *text)
{
	size_t n = strlen(text);

	if (n && text[n - 1] == '>' && !strstr(text, "operator"))
		text[opening(text, n - 1, '<', '>')] = '\0';
}

/* How a name is compared: to be WANTED, or (GLOB) to match it as a file's
 * would.
 */
struct comparison {
	const char *wanted;
	bool glob;
};

/* With a return type before it or not. */
static bool is_so(const struct comparison *c, const char *name)
{
	int depth = 0;

	if (strcmp(name, c->wanted) == 0 ||
		(c->glob && fnmatch(c->wanted, name, 0) == 0))
		return true;
	for (; *name; name++) {
		depth += (*name == '(' || *name == '<') -
			 (*name == ')' || *name == '>');
		if (*name == ' ' && depth == 0)
			return is_so(c, name + 1);
	}
	return false;
}

/* The last identifier of a name: every mangled form contains it. */
static size_t last_identifier(const char *name, const char **start)
{
	size_t end = strcspn(name, "(<"), begin;

	while (end && !isalnum((unsigned char)name[end - 1]) &&
		name[end - 1] != '_')
		end--;
	begin = end;
	while (begin && (isalnum((unsigned char)name[begin - 1]) ||
				name[begin - 1] == '_'))
		begin--;
	*start = name + begin;
	return end - begin;
}

/* What a look at the mangled name rules out, since to demangle takes long; and
   a deleting destructor, which calls the complete one. */
static bool is_other(const char *symbol, const char *wanted)
{
	const char *word;
	size_t n = last_identifier(wanted, &word);

	return strncmp(wanted, symbol, 2) == 0 || strstr(symbol, "D0Ev") ||
	       (!strstr(wanted, "operator") &&
		       !memmem(symbol, strlen(symbol), word, n));
}

static bool is(const char *symbol, const struct comparison *c)
{
	char base[DEMANGLE_INPUT_MAX + 1], text[DEMANGLE_OUTPUT_MAX];
	size_t n = strcspn(symbol, "@"); /* its version follows */

	if (n == 0 || n >= sizeof base)
		return false;
	memcpy(base, symbol, n);
	base[n] = '\0';
	if (strcmp(base, c->wanted) == 0)
		return true;
	base[demangle_go_base(base)] = '\0';
	n = demangle_clone_base(base);
	if (is_piece(base + n))
		return false;
	if (is_so(c, base))
		return true;
	base[n] = '\0';
	if (is_so(c, base))
		return true;
	if (base[0] != '_' || (!c->glob && is_other(base, c->wanted)) ||
		!demangle(base, text))
		return false;
	if (is_so(c, text))
		return true;
	cut_parameters(text);
	if (is_so(c, text))
		return true;
	cut_template_arguments(text);
	return is_so(c, text);
}

bool probe_name_is(const char *symbol, const char *wanted)
{
	return is(symbol, &(struct comparison){wanted, false});
}

bool probe_name_matches(const char *symbol, const char *pattern)
{
	return is(symbol, &(struct comparison){pattern, true});
}
