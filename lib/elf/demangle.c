/* demangle.c - libiberty's demanglers, with bounds on what they may cost. */
#include "config.h"

#include <setjmp.h>
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
 * Substitutions let a name of n bytes stand for one of 2^n bytes.  When the
 * room is used up the callback jumps out of the demangler; its working memory
 * is on its stack.
 */
struct out {
	char *buf;
	size_t n;
	jmp_buf full;
};

static void emit(const char *s, size_t len, void *arg)
{
	struct out *out = arg;
	size_t room = DEMANGLE_OUTPUT_MAX - 1 - out->n;

	if (len > room) {
		memcpy(out->buf + out->n, s, room);
		memcpy(out->buf + DEMANGLE_OUTPUT_MAX - 4, "...", 4);
		longjmp(out->full, 1);
	}
	memcpy(out->buf + out->n, s, len);
	out->n += len;
	out->buf[out->n] = '\0';
}

static int by_callback(
	int (*demangler)(const char *, int, demangle_callbackref, void *),
	const char *name, int options, char *buf)
{
	struct out *out = malloc(sizeof *out);
	int done;

	buf[0] = '\0';
	if (!out)
		return 0;
	out->buf = buf;
	out->n = 0;
	if (setjmp(out->full)) {
		free(out);
		return 1;
	}
	done = demangler(name, options, emit, out) && out->n > 0;
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
		snprintf(buf, DEMANGLE_OUTPUT_MAX, "%s", linkage);
}
