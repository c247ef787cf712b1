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

/* Whether TEXT is WANTED, with a return type before it or not. */
static bool ends_in(const char *text, const char *wanted)
{
	size_t n = strlen(text), w = strlen(wanted);

	return n >= w && strcmp(text + n - w, wanted) == 0 &&
	       (n == w || text[n - w - 1] == ' ');
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

/* Whether the name of SYMBOL FITS WANTED: as it is, without its parameters, or
   without its template arguments, too. */
static bool demangled_fits(const char *symbol, const char *wanted,
	bool (*fits)(const char *name, const char *wanted))
{
	char text[DEMANGLE_OUTPUT_MAX];

	if (symbol[0] != '_' || !demangle(symbol, text))
		return false;
	if (fits(text, wanted))
		return true;
	cut_parameters(text);
	if (fits(text, wanted))
		return true;
	cut_template_arguments(text);
	return fits(text, wanted);
}

static bool demangled_is(const char *symbol, const char *wanted)
{
	const char *word;
	size_t n = last_identifier(wanted, &word);

	if (symbol[0] != '_' || strncmp(wanted, symbol, 2) == 0)
		return false;
	if (!strstr(wanted, "operator") &&
		!memmem(symbol, strlen(symbol), word, n))
		return false;
	/* a deleting destructor calls the complete one */
	return !strstr(symbol, "D0Ev") &&
	       demangled_fits(symbol, wanted, ends_in);
}

bool probe_name_is(const char *symbol, const char *wanted)
{
	char base[DEMANGLE_INPUT_MAX + 1];
	size_t n = strcspn(symbol, "@"); /* its version follows */

	if (n == 0 || n >= sizeof base)
		return false;
	memcpy(base, symbol, n);
	base[n] = '\0';
	if (strcmp(base, wanted) == 0)
		return true;
	n = demangle_clone_base(base);
	if (is_piece(base + n))
		return false;
	base[n] = '\0';
	return strcmp(base, wanted) == 0 || demangled_is(base, wanted);
}

/* With a return type before it or not. */
static bool matches(const char *name, const char *pattern)
{
	int depth = 0;

	if (strcmp(name, pattern) == 0 || fnmatch(pattern, name, 0) == 0)
		return true;
	for (; *name; name++) {
		depth += (*name == '(' || *name == '<') -
			 (*name == ')' || *name == '>');
		if (*name == ' ' && depth == 0)
			return matches(name + 1, pattern);
	}
	return false;
}

bool probe_name_matches(const char *symbol, const char *pattern)
{
	char base[DEMANGLE_INPUT_MAX + 1];
	size_t n = strcspn(symbol, "@");

	if (n == 0 || n >= sizeof base)
		return false;
	memcpy(base, symbol, n);
	base[n] = '\0';
	n = demangle_clone_base(base);
	if (is_piece(base + n))
		return false;
	if (matches(base, pattern))
		return true;
	base[n] = '\0';
	return matches(base, pattern) || demangled_fits(base, pattern, matches);
}
