/* name_parse.c - takes demangled names apart. */
#include <ctype.h>
#include <string.h>

#include "analyzer/name/name_style_private.h"

bool name_is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

bool name_starts(const struct name_text *text, size_t i, const char *what)
{
	size_t n = strlen(what);

	return i <= text->n && n <= text->n - i &&
	       !memcmp(text->s + i, what, n);
}

size_t name_operator(const struct name_text *text, size_t i)
{
	static const char *const symbols[] = {"()", "[]", "<=>",
		"<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->",
		"==", "!=", "&&", "||", "++", "--",
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<", ">", "+",
		"-", "*", "/", "%", "&", "|", "^", "~", "!", "=", ","};
	const size_t word = strlen("operator");

	if ((i && name_is_letter(text->s[i - 1])) ||
		!name_starts(text, i, "operator"))
		return 0;
	for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++)
		if (name_starts(text, i + word, symbols[k]))
			return word + strlen(symbols[k]);
	return 0;
}

static char partner(char c)
{
	return c == '<' ? '>' : c == '(' ? ')' : c == '[' ? ']' : '}';
}

/* Less-than stands between brackets in an expression: (4)<(5). */
static bool opens(
	const struct name_text *text, size_t i, size_t behind_operator)
{
	char c = text->s[i];

	if (c == '<')
		return !i || i == behind_operator || text->s[i - 1] != ')';
	return c == '(' || c == '[' || c == '{';
}

static bool closes(const struct name_text *text, size_t i)
{
	char c = text->s[i];

	if (c == '>')
		return i && text->s[i - 1] != '-' && text->s[i - 1] != '=';
	return c == ')' || c == ']' || c == '}';
}

bool name_text_init(struct name_text *text, const char *s, size_t n)
{
	size_t open[NAME_DEPTH_MAX], depth = 0, length, behind = 0;

	text->s = s;
	text->n = n;
	if (n >= NAME_BYTES_MAX)
		return false;
	memset(text->match, 0, n * sizeof *text->match);
	for (size_t i = 0; i < n; i++) {
		length = name_operator(text, i);
		if (length) {
			behind = i + length;
			i = behind - 1;
		} else if (opens(text, i, behind)) {
			if (depth == NAME_DEPTH_MAX)
				return false;
			open[depth++] = i;
		} else if (closes(text, i)) {
			size_t at = depth;

			/* a lone < within is no bracket */
			while (s[i] != '>' && at && s[open[at - 1]] == '<')
				at--;
			if (at && partner(s[open[at - 1]]) == s[i]) {
				depth = at - 1;
				text->match[open[depth]] = (uint16_t)i;
			}
		}
	}
	return true;
}

/* The end of what may follow parameters: " const", "&", ABI tags. */
static size_t skip_qualifiers(const struct name_text *text, size_t i)
{
	static const char *const words[] = {
		" const", " volatile", " noexcept", " &&", " &", "&&", "&"};
	bool more = true;

	while (more) {
		more = false;
		for (size_t k = 0; k < sizeof words / sizeof *words; k++)
			if (name_starts(text, i, words[k])) {
				i += strlen(words[k]);
				more = true;
			}
		if (name_starts(text, i, "[abi:") && text->match[i]) {
			i = text->match[i] + 1u;
			more = true;
		}
	}
	return i;
}

struct parser {
	const struct name_text *text;
	struct name_parts *parts;
	struct name_part part; /* at hand */
	bool returns;          /* a return type was passed over */
	bool bad;
};

static void begin(struct parser *p, size_t at)
{
	p->part = (struct name_part){.start = at, .end = at};
}

static void finish(struct parser *p, size_t at)
{
	if (p->part.args == p->part.args_end &&
		p->part.params == p->part.params_end)
		p->part.end = at;
	if (p->part.end == p->part.start || p->parts->n == NAME_PARTS_MAX) {
		p->bad = true;
		return;
	}
	p->parts->v[p->parts->n++] = p->part;
}

static size_t take_arguments(struct parser *p, size_t i)
{
	size_t end = p->text->match[i] + 1u;

	/* <T as Trait>; Java's C.<init> */
	if (i == p->part.start || p->text->s[i - 1] == '.')
		return end;
	if (p->part.args_end || p->part.params_end) {
		p->bad = true;
		return end;
	}
	p->part.end = i;
	if (i > p->part.start && p->text->s[i - 1] == ' ')
		p->part.end--; /* "operator<< <int>" */
	p->part.args = i;
	p->part.args_end = end;
	return end;
}

static size_t take_round(struct parser *p, size_t i)
{
	const struct name_text *text = p->text;
	size_t end = text->match[i] + 1u;
	size_t word = strlen("decltype");

	if (name_starts(text, i, "(anonymous") ||
		(i >= word && name_starts(text, i - word, "decltype")) ||
		(i > word && name_starts(text, i - word - 1, "decltype ")))
		return end;
	if (p->part.params_end || i == p->part.start) {
		p->bad = true;
		return end;
	}
	if (!p->part.args_end)
		p->part.end = i;
	end = skip_qualifiers(text, end);
	p->part.params = i;
	p->part.params_end = end;
	if (end < text->n && !name_starts(text, end, "::"))
		p->bad = true;
	return end;
}

/* "operator new", "operator unsigned long": to the parameters. */
static size_t take_operator(struct parser *p, size_t i)
{
	const struct name_text *text = p->text;
	size_t symbol = name_operator(text, i);

	if (symbol) {
		i += symbol;
		return name_starts(text, i, " <") ? i + 1 : i;
	}
	while (i < text->n && (text->s[i] != '(' || !text->match[i]))
		i = text->match[i] ? text->match[i] + 1u : i + 1;
	return i;
}

static bool is_operator(const struct parser *p, size_t i)
{
	return i == p->part.start && name_starts(p->text, i, "operator") &&
	       (i + 8 >= p->text->n || !name_is_letter(p->text->s[i + 8]));
}

bool name_is_scope(const struct name_text *text, size_t i)
{
	return name_starts(text, i, "<impl ") ||
	       name_starts(text, i, "<lambda") ||
	       name_starts(text, i, "<unnamed");
}

static size_t take(struct parser *p, size_t i)
{
	const struct name_text *text = p->text;
	char c = text->s[i];

	if (is_operator(p, i))
		return take_operator(p, i);
	if (c == '<' && text->match[i])
		return take_arguments(p, i);
	if (c == '(' && text->match[i])
		return take_round(p, i);
	if (text->match[i])
		return text->match[i] + 1u;
	if (name_starts(text, i, "::<") && text->match[i + 2] &&
		i > p->part.start && !p->part.args_end &&
		!name_is_scope(text, i + 2)) { /* ::<T> of Rust */
		p->part.end = i;
		p->part.args = i + 2;
		p->part.args_end = text->match[i + 2] + 1u;
		return p->part.args_end;
	}
	if (name_starts(text, i, "::")) {
		finish(p, i);
		begin(p, i + 2);
		return i + 2;
	}
	if (c == ' ') {
		p->returns = true;
		p->parts->n = 0;
		begin(p, i + 1);
	}
	return i + 1;
}

static size_t prefix_length(const struct name_text *text)
{
	static const char *const prefixes[] = {"non-virtual thunk to ",
		"virtual thunk to ", "covariant return thunk to ",
		"transaction clone for ", "non-transaction clone for ",
		"TLS init function for ", "TLS wrapper function for "};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (name_starts(text, 0, prefixes[i]))
			return strlen(prefixes[i]);
	return 0;
}

bool name_parts_init(struct name_parts *parts, const struct name_text *text)
{
	struct parser p = {.text = text, .parts = parts};

	parts->n = 0;
	parts->prefix = prefix_length(text);
	begin(&p, parts->prefix);
	for (size_t i = parts->prefix; i < text->n && !p.bad;)
		i = take(&p, i);
	if (!p.bad)
		finish(&p, text->n);
	/* words before a name are its return type if parameters follow it */
	return !p.bad && (!p.returns || parts->v[parts->n - 1].params_end);
}
