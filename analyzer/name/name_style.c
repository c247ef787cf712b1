/* name_style.c - chooses what of a name is written. */
#include <ctype.h>
#include <string.h>

#include "analyzer/name/name_style_private.h"
#include "lib/elf/demangle.h"

/* Rust's legacy mangling writes what no symbol may have as $LT$ and "..". */
static const struct {
	const char *code, *text;
} escapes[] = {
	{"$LT$", "<"},
	{"$GT$", ">"},
	{"$RF$", "&"},
	{"$BP$", "*"},
	{"$C$", ","},
	{"$SP$", "@"},
	{"$LP$", "("},
	{"$RP$", ")"},
	{"..", "::"},
};

static int hex(char c)
{
	return isdigit((unsigned char)c) ? c - '0'
	       : c >= 'a' && c <= 'f'    ? c - 'a' + 10
					 : -1;
}

/* $u20$ stands for a space; 0: none is there. */
static size_t unicode_escape(const char *s, char *c)
{
	int high = -1, low = -1;

	if (s[0] == '$' && s[1] == 'u' && s[2] && s[3] && s[4] == '$') {
		high = hex(s[2]);
		low = hex(s[3]);
	}
	if (high < 2 || high > 7 || low < 0)
		return 0;
	*c = (char)(high * 16 + low);
	return 5;
}

/* NAME[N] without escapes, in BUF, whose size is N + 1: no text is longer than
   its code. */
static size_t unescape(const char *name, size_t n, char *buf)
{
	size_t to = 0, i = 0;

	if (name[0] == '_' && name[1] == '$')
		i++;
	while (i < n) {
		size_t k = 0, length = unicode_escape(name + i, &buf[to]);

		if (length) {
			i += length;
			to++;
			continue;
		}
		while (k < sizeof escapes / sizeof *escapes &&
			strncmp(name + i, escapes[k].code,
				strlen(escapes[k].code)) != 0)
			k++;
		if (k < sizeof escapes / sizeof *escapes) {
			i += strlen(escapes[k].code);
			to = (size_t)(stpcpy(buf + to, escapes[k].text) - buf);
		} else {
			/* "::_<": the _ is there for the linker */
			if (name[i] == '_' && i + 1 < n && name[i + 1] == '$' &&
				i && name[i - 1] == ':')
				i++;
			else
				buf[to++] = name[i++];
		}
	}
	buf[to] = '\0';
	return to;
}

/* The length of NAME[N] without ::h0123456789abcdef. */
static size_t without_hash(const char *name, size_t n)
{
	size_t digits = 0;

	while (digits < 16 && digits < n && hex(name[n - 1 - digits]) >= 0)
		digits++;
	return digits == 16 && n > 19 && !memcmp(name + n - 19, "::h", 3)
		       ? n - 19
		       : n;
}

static bool is_rust(const char *name)
{
	const char *turbofish = strstr(name, "::<");

	return strstr(name, " as ") || strstr(name, "{closure") ||
	       strstr(name, "{shim") || strstr(name, "<impl ") ||
	       (name[0] == '<' && strncmp(name, "<lambda", 7) != 0) ||
	       (turbofish && strncmp(turbofish, "::<lambda", 9) != 0 &&
		       strncmp(turbofish, "::<unnamed", 10) != 0);
}

/* The name of a class's constructor, of a class that is written otherwise. */
static bool write_constructor(
	struct name_out *out, const struct name_part *part)
{
	const char *s = out->text->s + part->start;
	size_t tilde = *s == '~', n = part->end - part->start - tilde;

	if (!out->alias || n != strlen("basic_") + strlen(out->alias) ||
		memcmp(s + tilde, "basic_", 6) != 0 ||
		memcmp(s + tilde + 6, out->alias, n - 6) != 0)
		return false;
	bytes_put(out->to, "~", tilde);
	bytes_put(out->to, out->alias, n - 6);
	return true;
}

static void write_part(
	struct name_out *out, const struct name_part *part, bool last)
{
	bool arguments = out->form > NAME_SHORT || !(last || part->params_end);

	if (write_constructor(out, part))
		out->alias = NULL;
	else
		name_write(out, part->start, part->end);
	out->alias = NULL;
	if (part->args_end && arguments) {
		if (out->text->s[part->args - 1] == ' ')
			bytes_u8(out->to, ' ');
		name_write(out, part->args, part->args_end);
	}
	if (part->params_end && out->form == NAME_PARAMETERS)
		name_write(out, part->params, part->params_end);
}

/* {lambda()#1}::operator() is {lambda#1}. */
static bool is_call_of_lambda(
	const struct name_text *text, const struct name_parts *parts)
{
	const struct name_part *last = &parts->v[parts->n - 1];

	return parts->n > 1 && last->end - last->start == 10 &&
	       name_starts(text, last->start, "operator()") &&
	       name_starts(text, last[-1].start + 1, "lambda");
}

static void write_parts(struct name_out *out, const struct name_parts *parts)
{
	size_t n = parts->n;
	bool first = true;

	bytes_put(out->to, out->text->s, parts->prefix);
	if (out->form == NAME_SHORT && is_call_of_lambda(out->text, parts))
		n--;
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n &&
			name_inline_namespace(out->text, parts->v[i].start))
			continue;
		if (!first)
			bytes_put(out->to, "::", 2);
		write_part(out, &parts->v[i], i + 1 == n);
		first = false;
	}
}

/* NAME[N], without clone suffix and hash. */
static void write_name(
	struct bytes *to, const char *name, size_t n, enum name_form form)
{
	struct name_text text;
	struct name_parts parts;
	struct name_out out = {
		.to = to, .text = &text, .form = form, .rust = is_rust(name)};

	/* D's templates have another syntax */
	if (strstr(name, "!(") || !name_text_init(&text, name, n))
		bytes_put(to, name, n);
	else if (name_parts_init(&parts, &text))
		write_parts(&out, &parts);
	else
		name_write(&out, 0, n);
}

/* Copies NAME[N] to PLAIN without hash and escapes; its length. */
static size_t make_plain(const char *name, size_t n, char plain[NAME_BYTES_MAX])
{
	char copy[NAME_BYTES_MAX];

	n = without_hash(name, n);
	memcpy(plain, name, n);
	plain[n] = '\0';
	if (!strstr(plain, "$LT$") && !strstr(plain, "$RF$") &&
		!strstr(plain, "$u7b$"))
		return n;
	memcpy(copy, plain, n + 1);
	return unescape(copy, n, plain);
}

const char *name_shorten(
	const char *name, enum name_form form, struct bytes *buf)
{
	size_t base = demangle_clone_base(name);
	char plain[NAME_BYTES_MAX];

	buf->n = 0;
	if (base >= sizeof plain || !strpbrk(name, ":<({[$ "))
		base = 0;
	if (base)
		write_name(buf, plain, make_plain(name, base, plain), form);
	bytes_put(buf, name + base, strlen(name + base) + 1);
	return buf->failed ? NULL : (const char *)buf->v;
}

/* Whether the path from I on begins in a standard library. */
static bool is_library(const struct name_text *text, size_t i, bool rust)
{
	static const char *const roots[] = {"core::", "alloc::", "std::",
		"__gnu_cxx::", "__gnu_debug::", "__cxxabiv1::"};

	for (size_t k = rust ? 0 : 2; k < sizeof roots / sizeof *roots; k++)
		if (name_starts(text, i, roots[k]))
			return true;
	return false;
}

/* What may stand before the type in <&mut T as Trait>; its length. */
static size_t skip_marks(const struct name_text *text, size_t i)
{
	static const char *const marks[] = {
		"&", "*", "mut ", "const ", "[", "dyn ", "("};
	size_t start = i, k = 0;

	while (k < sizeof marks / sizeof *marks) {
		size_t n =
			name_starts(text, i, marks[k]) ? strlen(marks[k]) : 0;

		i += n;
		k = n ? 0 : k + 1;
	}
	return i - start;
}

/* Whether <T as Trait>::f is of the library: T is, or T is a parameter or a
   built-in type and Trait is. */
static bool is_library_method(const struct name_text *text, size_t i)
{
	size_t end = text->match[i], as;

	i += 1 + skip_marks(text, i + 1);
	if (is_library(text, i, true))
		return true;
	for (as = i; as < end && !name_starts(text, as, " as ");)
		as = text->match[as] ? text->match[as] + 1u : as + 1;
	return as < end && !memchr(text->s + i, ':', as - i) &&
	       is_library(text, as + strlen(" as "), true);
}

bool name_is_internal(const char *name)
{
	size_t n = demangle_clone_base(name), start;
	char plain[NAME_BYTES_MAX];
	struct name_text text;
	struct name_parts parts;

	if (n >= sizeof plain || !strchr(name, ':'))
		return false;
	n = make_plain(name, n, plain);
	if (!name_text_init(&text, plain, n) ||
		!name_parts_init(&parts, &text) || parts.n < 2)
		return false;
	start = parts.v[0].start;
	if (plain[start] == '<' && text.match[start])
		return is_library_method(&text, start);
	/* only C++ writes parameters */
	return is_library(&text, start, !parts.v[parts.n - 1].params_end);
}
