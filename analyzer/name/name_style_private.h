/*
 * name_style_private.h - the parts of analyzer/name/name_style.h.
 */
#ifndef CPPROF_NAME_STYLE_PRIVATE_H
#define CPPROF_NAME_STYLE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/name/name_style.h"

#define NAME_BYTES_MAX 8192 /* longer names stay as they are */
#define NAME_DEPTH_MAX 64   /* of brackets, likewise */
#define NAME_PARTS_MAX 64   /* of a qualified name, likewise */

/* name_parse.c: a name and, by opening bracket, where its partner stands. */
struct name_text {
	const char *s;
	size_t n;
	uint16_t match[NAME_BYTES_MAX]; /* 0: no bracket */
};

/* False: too long or too deep. */
bool name_text_init(struct name_text *text, const char *s, size_t n);

/* The length of the operator function's name at I ("operator<<"), or 0. */
size_t name_operator(const struct name_text *text, size_t i);

bool name_is_letter(char c); /* of an identifier */

/* Whether what is in <> at I is a scope: <impl T> of Rust; <lambda(int)> and
   <unnamed struct> as gcc has them in debug information. */
bool name_is_scope(const struct name_text *text, size_t i);
bool name_starts(const struct name_text *text, size_t i, const char *what);

/* A part of a qualified name: "f" of ns::f<int>(int) const. */
struct name_part {
	size_t start, end;         /* without what follows */
	size_t args, args_end;     /* "<int>"; equal: none */
	size_t params, params_end; /* "(int) const"; equal: none */
};

struct name_parts {
	struct name_part v[NAME_PARTS_MAX];
	size_t n;
	size_t prefix; /* length of "virtual thunk to " and the like */
};

/* False: it is no name that can be taken apart. */
bool name_parts_init(struct name_parts *parts, const struct name_text *text);

/* name_type.c: how a stretch of a name is written. */
struct name_out {
	struct bytes *to;
	const struct name_text *text;
	enum name_form form;
	bool rust;
	const char *alias; /* "string" where basic_string was to be written */
};
void name_write(struct name_out *out, size_t i, size_t end);

/* The length of the inline namespace at I that nobody writes, or 0. */
size_t name_inline_namespace(const struct name_text *text, size_t i);

#endif
