/* demangle.c - libiberty's demanglers, with bounds on what they may cost. */
#include "config.h"

#include <ctype.h>
#include <limits.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LIBIBERTY_DEMANGLE_H
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

#include "lib/elf/demangle.h"

/*
 * Substitutions let a name of n bytes stand for one of 2^n bytes.  What has no
 * room is written again, without what is in so many brackets; where that does
 * not help, or takes too long, the callback jumps out of the demangler, whose
 * working memory is on its stack.
 */
#define DEEPEST 3           /* brackets, of names that have no room */
#define SEEN_MAX (1u << 17) /* bytes that the demangler may write */

struct out {
	char *buf;
	size_t n, seen;
	unsigned depth;       /* brackets that are open */
	unsigned most;        /* of these the inside is shown */
	bool left_out;        /* "..." stands for what is written now */
	size_t named, symbol; /* bytes of "operator", and behind it */
	char before;
	jmp_buf full;
};

static void cut(struct out *out)
{
	size_t n = out->n;

	if (n > DEMANGLE_OUTPUT_MAX - 4)
		n = DEMANGLE_OUTPUT_MAX - 4;
	memcpy(out->buf + n, "...", 4);
	longjmp(out->full, 1);
}

static void put(struct out *out, const char *s, size_t len)
{
	size_t room = DEMANGLE_OUTPUT_MAX - 1 - out->n;
	bool full = len > room;

	memcpy(out->buf + out->n, s, full ? room : len);
	out->n += full ? room : len;
	out->buf[out->n] = '\0';
	if (full)
		cut(out);
}

/* Whether C is a part of "->", or of an operator's name, and no bracket. */
static bool is_symbol(struct out *out, char c)
{
	static const char word[] = "operator";
	char before = out->before;
	bool inside = isalnum((unsigned char)before) || before == '_';

	out->before = c;
	if (out->named == sizeof word - 1) {
		if (strchr("<>=-*&|^!+/%~,", c) || (c == '(' && !out->symbol) ||
			(c == ')' && out->symbol == 1)) {
			out->symbol++;
			return true;
		}
		out->named = 0;
	}
	out->named = c != word[out->named]   ? 0
		     : out->named || !inside ? out->named + 1
					     : 0;
	out->symbol = 0;
	return c == '>' && before == '-';
}

static void put_outer(struct out *out, char c)
{
	bool symbol = is_symbol(out, c);

	if (!symbol && (c == '>' || c == ')') && out->depth)
		out->depth--;
	if (out->depth < out->most) {
		put(out, &c, 1);
		out->left_out = false;
	} else if (!out->left_out) {
		put(out, "...", 3);
		out->left_out = true;
	}
	if (!symbol && (c == '<' || c == '('))
		out->depth++;
}

static void emit(const char *s, size_t len, void *arg)
{
	struct out *out = arg;

	out->seen += len;
	if (out->seen > SEEN_MAX)
		cut(out);
	if (out->most == UINT_MAX)
		put(out, s, len);
	else
		for (size_t i = 0; i < len; i++)
			put_outer(out, s[i]);
}

static int by_callback(
	int (*demangler)(const char *, int, demangle_callbackref, void *),
	const char *name, int options, char *buf)
{
	struct out *out = malloc(sizeof *out);
	volatile unsigned most = UINT_MAX;
	int done = out ? -1 : 0;

	buf[0] = '\0';
	while (done < 0) {
		*out = (struct out){.buf = buf, .most = most};
		if (setjmp(out->full)) {
			most = most == UINT_MAX ? DEEPEST : most - 1;
			if (!most || out->seen > SEEN_MAX)
				done = 1;
		} else {
			done = demangler(name, options, emit, out) &&
			       out->n > 0;
		}
	}
	free(out);
	return done;
}

/*
 * D's demangler has no callback.  Only back references (Q) can make its output
 * longer than its input; names with very many are not demangled.
 */
static int demangle_d(const char *name, char *buf)
{
	size_t references = 0, len;
	char *text;

	for (const char *p = name; *p; p++)
		references += *p == 'Q';
	text = references <= 32 ? dlang_demangle(name, DMGL_PARAMS) : NULL;
	if (!text)
		return 0;
	len = strlen(text);
	if (len >= DEMANGLE_OUTPUT_MAX) {
		memcpy(buf, text, DEMANGLE_OUTPUT_MAX - 4);
		memcpy(buf + DEMANGLE_OUTPUT_MAX - 4, "...", 4);
	} else {
		memcpy(buf, text, len + 1);
	}
	free(text);
	return 1;
}

static int demangle_base(const char *name, char *buf)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (name[0] != '_')
		return 0;
	if (name[1] == 'D')
		return demangle_d(name, buf);
	if (name[1] == 'R' || name[1] == 'Z') {
		/* Rust's legacy names are C++ names with a hash: ask it first.
		 */
		if (by_callback(rust_demangle_callback, name, options, buf))
			return 1;
		if (name[1] == 'Z')
			return by_callback(
				cplus_demangle_v3_callback, name, options, buf);
	}
	return 0;
}

int demangle(const char *linkage, char buf[DEMANGLE_OUTPUT_MAX])
{
	size_t len = strnlen(linkage, DEMANGLE_INPUT_MAX + 1), base, n;
	char name[DEMANGLE_INPUT_MAX + 1];

	buf[0] = '\0';
	if (len > DEMANGLE_INPUT_MAX)
		return 0;
	base = demangle_clone_base(linkage);
	memcpy(name, linkage, base);
	name[base] = '\0';
	if (!demangle_base(name, buf)) {
		buf[0] = '\0';
		return 0;
	}
	n = strlen(buf);
	if (n + len - base < DEMANGLE_OUTPUT_MAX)
		memcpy(buf + n, linkage + base, len - base + 1);
	return 1;
}

void demangle_or_copy(const char *linkage, char buf[DEMANGLE_OUTPUT_MAX])
{
	if (!demangle(linkage, buf))
		snprintf(buf, DEMANGLE_OUTPUT_MAX, "%.*s",
			(int)demangle_go_base(linkage), linkage);
}
