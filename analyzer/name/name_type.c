/* name_type.c - writes types and template arguments without the defaults. */
#include <ctype.h>
#include <string.h>

#include "analyzer/name/name_style_private.h"
#include "lib/vec.h"

#define LISTED 2 /* arguments of a template that only the library names */

static void put(struct name_out *out, const char *s, size_t n)
{
	bytes_put(out->to, s, n);
}

static void puts_(struct name_out *out, const char *s)
{
	put(out, s, strlen(s));
}

size_t name_inline_namespace(const struct name_text *text, size_t i)
{
	static const char *const names[] = {"__cxx11", "__1", "__ndk1", "_V2"};
	size_t n = i + strlen("lts_");

	if (i && name_is_letter(text->s[i - 1]))
		return 0;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		size_t length = strlen(names[k]);

		if (name_starts(text, i, names[k]) &&
			name_starts(text, i + length, "::"))
			return length;
	}
	if (!name_starts(text, i, "lts_")) /* of Abseil */
		return 0;
	while (n < text->n && isdigit((unsigned char)text->s[n]))
		n++;
	return name_starts(text, n, "::") ? n - i : 0;
}

/* A lambda's number or place tells it from most others; its parameters are
   left out: {lambda(int)#1}, or in debug information <lambda(int)>. */
static size_t write_lambda(struct name_out *out, size_t i)
{
	const struct name_text *text = out->text;
	size_t end = text->match[i], round = i;

	if (out->form >= NAME_PARAMETERS || !end ||
		!name_starts(text, i + 1, "lambda"))
		return 0;
	while (round < end && !(text->s[round] == '(' && text->match[round]))
		round++;
	if (round == end)
		return 0;
	put(out, text->s + i, round - i);
	put(out, text->s + text->match[round] + 1, end - text->match[round]);
	return end + 1 - i;
}

/* The length of the path of Rust's libraries before the last word at I. */
static size_t library_path(const struct name_out *out, size_t i, size_t end)
{
	static const char *const crates[] = {"core::", "alloc::", "std::"};
	const struct name_text *text = out->text;
	size_t at = i, k = 0;

	if (!out->rust || out->form >= NAME_PARAMETERS ||
		(i && (name_is_letter(text->s[i - 1]) ||
			      text->s[i - 1] == ':')))
		return 0;
	while (k < 3 && !name_starts(text, i, crates[k]))
		k++;
	if (k == 3)
		return 0;
	for (size_t n = i; n < end; n++) {
		if (name_starts(text, n, "::") && n + 2 < end &&
			name_is_letter(text->s[n + 2])) {
			at = n + 2;
			n++;
		} else if (!name_is_letter(text->s[n])) {
			break;
		}
	}
	return at - i;
}

/* The parameters of an enclosing function: f(int)::Local. */
static size_t enclosing(const struct name_out *out, size_t i)
{
	const struct name_text *text = out->text;
	size_t end = text->match[i] + 1u;

	if (out->form >= NAME_PARAMETERS || !i ||
		!(name_is_letter(text->s[i - 1]) || text->s[i - 1] == '>'))
		return 0;
	if (name_starts(text, end, " const::"))
		end += strlen(" const");
	return name_starts(text, end, "::") ? end - i : 0;
}

/* Template arguments. */

struct argument_list {
	VEC(struct bytes) v; /* texts, terminated */
	bool failed;
};

static const char *text_of(const struct argument_list *list, size_t i)
{
	return (const char *)list->v.v[i].v;
}

static void add_argument(
	struct name_out *out, struct argument_list *list, size_t i, size_t end)
{
	struct bytes *text = vec_push(&list->v);
	struct name_out inner = *out;

	if (!text) {
		list->failed = true;
		return;
	}
	while (i < end && out->text->s[i] == ' ')
		i++;
	while (end > i && out->text->s[end - 1] == ' ')
		end--;
	inner.to = text;
	inner.alias = NULL;
	name_write(&inner, i, end);
	bytes_u8(text, '\0');
	list->failed |= text->failed;
}

static void read_list(
	struct name_out *out, struct argument_list *list, size_t i, size_t end)
{
	const struct name_text *text = out->text;
	size_t start = i;

	while (i < end) {
		if (text->s[i] == ',') {
			add_argument(out, list, start, i);
			start = i + 1;
		}
		i = text->match[i] ? text->match[i] + 1u : i + 1;
	}
	if (start < end || list->v.n)
		add_argument(out, list, start, end);
}

/* Whether ARGUMENT is what the library's templates take for FIRST by default.
 */
static bool is_default(
	const struct name_out *out, const char *argument, const char *first)
{
	static const char *const of_first[] = {"std::less", "std::hash",
		"std::equal_to", "std::default_delete", "std::char_traits",
		"std::regex_traits"};
	size_t n = strlen(first);

	if (!strncmp(argument, "std::allocator<", 15) ||
		!strcmp(argument, "(__gnu_cxx::_Lock_policy)2") ||
		(out->rust && (!strcmp(argument, "alloc::alloc::Global") ||
				      !strcmp(argument, "Global"))))
		return true;
	for (size_t i = 0; i < sizeof of_first / sizeof *of_first; i++) {
		size_t length = strlen(of_first[i]);

		if (!strncmp(argument, of_first[i], length) &&
			argument[length] == '<' &&
			!strncmp(argument + length + 1, first, n) &&
			!strcmp(argument + length + 1 + n, ">"))
			return true;
	}
	return false;
}

/* Whether what is written so far ends with the name WHAT. */
static bool ends_with(const struct name_out *out, const char *what)
{
	size_t n = strlen(what), have = out->to->n;

	return have >= n && !memcmp(out->to->v + have - n, what, n) &&
	       (have == n || (!name_is_letter((char)out->to->v[have - n - 1]) &&
				     out->to->v[have - n - 1] != ':'));
}

/* Whether the name written last is one that only the library uses. */
static bool is_private(const struct name_out *out)
{
	static const char detail[] = "std::__detail::";
	size_t start = out->to->n, n = sizeof detail - 1;

	while (start && (name_is_letter((char)out->to->v[start - 1]) ||
				out->to->v[start - 1] == ':'))
		start--;
	return ends_with(out, "std::_Hashtable") ||
	       ends_with(out, "std::_Rb_tree") ||
	       (out->to->n - start > n &&
		       !memcmp(out->to->v + start, detail, n));
}

static const char *prefix_of(const char *type)
{
	return !strcmp(type, "char")       ? ""
	       : !strcmp(type, "wchar_t")  ? "w"
	       : !strcmp(type, "char8_t")  ? "u8"
	       : !strcmp(type, "char16_t") ? "u16"
	       : !strcmp(type, "char32_t") ? "u32"
					   : NULL;
}

/* C::iterator, or const_iterator, for __normal_iterator<T*, C>. */
static bool write_iterator(
	struct name_out *out, const struct argument_list *list)
{
	static const char name[] = "__gnu_cxx::__normal_iterator";
	static const char constant[] = " const*";
	const char *to = list->v.n == 2 ? text_of(list, 0) : "";
	size_t n = strlen(to), tail = sizeof constant - 1;

	if (!n || to[n - 1] != '*' || !ends_with(out, name))
		return false;
	out->to->n -= sizeof name - 1;
	puts_(out, text_of(list, 1));
	puts_(out, n > tail && !strcmp(to + n - tail, constant)
			   ? "::const_iterator"
			   : "::iterator");
	return true;
}

/* std::string for std::basic_string<char>. */
static bool write_alias(struct name_out *out, const struct argument_list *list)
{
	static const char *const names[] = {"string", "string_view", "ios",
		"istream", "ostream", "iostream", "ifstream", "ofstream",
		"fstream", "istringstream", "ostringstream", "stringstream",
		"streambuf", "filebuf", "stringbuf", "regex"};
	const char *prefix =
		list->v.n == 1 ? prefix_of(text_of(list, 0)) : NULL;
	char full[64];

	for (size_t i = 0; prefix && i < sizeof names / sizeof *names; i++) {
		size_t n = stpcpy(stpcpy(full, "std::basic_"), names[i]) - full;

		if (!ends_with(out, full) || (i >= 2 && prefix[0] == 'u'))
			continue;
		out->to->n -= n;
		puts_(out, "std::");
		puts_(out, prefix);
		puts_(out, names[i]);
		out->alias = names[i];
		return true;
	}
	return false;
}

/* 4ul: people write 4. */
static size_t without_suffix(const char *text)
{
	size_t n = text[0] == '-', digits = n;

	while (isdigit((unsigned char)text[n]))
		n++;
	return n > digits && n + strspn(text + n, "ul") == strlen(text)
		       ? n
		       : strlen(text);
}

static void write_list(struct name_out *out, size_t i, size_t end)
{
	struct argument_list list = {0};
	bool cut;

	read_list(out, &list, i + 1, end);
	while (!list.failed && list.v.n > 1 &&
		is_default(
			out, text_of(&list, list.v.n - 1), text_of(&list, 0)))
		bytes_free(&list.v.v[--list.v.n]);
	cut = list.v.n > LISTED && is_private(out);
	if (list.failed) {
		out->to->failed = true;
	} else if (!write_alias(out, &list) && !write_iterator(out, &list)) {
		puts_(out, "<");
		for (size_t k = 0; k < list.v.n && !(cut && k == LISTED); k++) {
			puts_(out, k ? ", " : "");
			put(out, text_of(&list, k),
				without_suffix(text_of(&list, k)));
		}
		puts_(out, cut ? ", ...>" : ">");
	}
	for (size_t k = 0; k < list.v.n; k++)
		bytes_free(&list.v.v[k]);
	vec_free(&list.v);
}

/* Writes the word, space or bracket at I; where the next one is. */
static size_t write_one(struct name_out *out, size_t i, size_t end)
{
	const struct name_text *text = out->text;
	size_t start, n;

	if ((n = name_operator(text, i))) {
		put(out, text->s + i, n);
		return i + n;
	}
	if ((n = name_inline_namespace(text, i)) && i + n + 2 < end)
		return i + n + 2;
	if ((text->s[i] == '{' || name_is_scope(text, i)) &&
		(n = write_lambda(out, i)))
		return i + n;
	if (text->s[i] == '<' && text->match[i]) {
		write_list(out, i, text->match[i]);
		return text->match[i] + 1u;
	}
	if (text->s[i] == '(' && text->match[i] && enclosing(out, i))
		return i + enclosing(out, i);
	if (name_starts(text, i, "[abi:") && text->match[i])
		return text->match[i] + 1u;
	if (text->s[i] == ',') {
		puts_(out, ", ");
		return i + 1 + (i + 1 < end && text->s[i + 1] == ' ');
	}
	i += library_path(out, i, end);
	start = i;
	while (i < end && name_is_letter(text->s[i]))
		i++;
	i += i == start;
	put(out, text->s + start, i - start);
	return i;
}

void name_write(struct name_out *out, size_t i, size_t end)
{
	while (i < end)
		i = write_one(out, i, end);
}
