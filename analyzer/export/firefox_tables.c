/*
 * firefox_tables.c - the stacks, frames, functions and strings of a thread.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/export/firefox_private.h"
#include "lib/text.h"

void firefox_string(FILE *out, const char *s, bool *failed)
{
	char *escaped = export_name(s);
	json_t *string = escaped ? json_string(escaped) : NULL;

	if (!string)
		*failed = true;
	else if (!ferror(out))
		json_dumpf(string, out,
			JSON_ENCODE_ANY | JSON_ENSURE_ASCII |
				JSON_ESCAPE_SLASH);
	json_decref(string);
	free(escaped);
}

int firefox_tables_init(struct firefox_tables *t, const struct dataset *data)
{
	size_t nodes = (size_t)data->nnodes + 1;

	*t = (struct firefox_tables){0};
	t->node_stack = calloc(nodes, sizeof *t->node_stack);
	t->node_mark = calloc(nodes, sizeof *t->node_mark);
	return t->node_stack && t->node_mark ? 0 : -1;
}

void firefox_tables_fini(struct firefox_tables *t)
{
	strings_free(&t->strings);
	set_free(&t->frames);
	set_free(&t->stacks);
	set_free(&t->functions);
	set_free(&t->modules);
	vec_free(&t->way);
	free(t->node_stack);
	free(t->node_mark);
}

void firefox_tables_clear(struct firefox_tables *t)
{
	strings_free(&t->strings);
	set_clear(&t->functions);
	set_clear(&t->modules);
	set_clear(&t->frames);
	set_clear(&t->stacks);
	t->mark++;
}

static uint32_t string(struct firefox_tables *t, const char *s)
{
	uint32_t id = strings_add(&t->strings, s, strlen(s));

	if (id == UINT32_MAX) {
		t->failed = true;
		id = 0;
	}
	return id;
}

uint32_t firefox_name(
	struct firefox_tables *t, const struct stacks *s, uint32_t function)
{
	return string(t, stack_name(s, function));
}

static void place_function(struct firefox_tables *t, const struct stacks *s,
	const struct firefox_frame *f)
{
	const struct function *function = &s->data->functions[f->function];
	uint32_t module = function->module_id;

	t->failed |= set_add(&t->functions, &f->function, 0) == HASH_NONE;
	firefox_name(t, s, f->function);
	if (function->file && *function->file)
		string(t, function->file);
	if (!module)
		return;
	t->failed |= set_add(&t->modules, &module, 0) == HASH_NONE;
	string(t, function->module);
}

static uint32_t frame(struct firefox_tables *t, const struct stacks *s,
	const struct firefox_frame *f)
{
	size_t before = t->frames.n;
	uint32_t i =
		set_add(&t->frames, f, offsetof(struct firefox_frame, code));

	t->failed |= i == HASH_NONE;
	if (t->frames.n > before)
		place_function(t, s, f);
	return t->failed ? 0 : i;
}

/* The stack of frame AT below PREFIX (plus 1), plus 1. */
static uint32_t stack(struct firefox_tables *t, uint32_t prefix, uint32_t at)
{
	const struct firefox_stack key = {prefix, at};
	uint32_t i = set_add(&t->stacks, &key, 0);

	t->failed |= i == HASH_NONE;
	return t->failed ? 0 : i + 1;
}

static uint32_t push_function(struct firefox_tables *t, const struct stacks *s,
	uint32_t prefix, uint32_t function)
{
	struct firefox_frame f = {.function = function};

	return stack(t, prefix, frame(t, s, &f));
}

/* The stack of the group of a thread, plus 1; 0: it has none. */
static uint32_t push_group(
	struct firefox_tables *t, const struct stacks *s, uint32_t thread)
{
	uint32_t group = stack_group(s, thread);

	return group != FN_NONE ? push_function(t, s, 0, group) : 0;
}

static uint32_t push_node(struct firefox_tables *t, const struct stacks *s,
	uint32_t prefix, uint32_t at)
{
	struct stack_frame frames[STACK_FRAMES_MAX];
	const struct location *node = dataset_location(s->data, at);
	size_t n = stack_frames(s, at, frames), own = 0;

	while (own < n && !frames[own].lost)
		own++;
	for (size_t i = n; i-- > 0;) {
		struct firefox_frame f = {
			.function = frames[i].function, .line = frames[i].line};

		f.code = i < own && node->module && f.function >= FN_FIRST_REAL;
		if (f.code) {
			f.module = node->module;
			f.addr = location_address(node);
			f.depth = (uint32_t)(own - 1 - i);
		}
		prefix = stack(t, prefix, frame(t, s, &f));
	}
	return prefix;
}

uint32_t firefox_stack(struct firefox_tables *t, const struct stacks *s,
	uint32_t node, uint32_t thread)
{
	uint32_t at = node, prefix = push_group(t, s, thread);

	t->way.n = 0;
	for (; at && t->node_mark[at] != t->mark;
		at = s->data->nodes[at].parent) {
		if (!vec_add(&t->way, at)) {
			t->failed = true;
			return 0;
		}
	}
	if (at)
		prefix = t->node_stack[at];
	for (size_t i = t->way.n; i-- > 0 && !t->failed;) {
		prefix = push_node(t, s, prefix, t->way.v[i]);
		t->node_stack[t->way.v[i]] = prefix;
		t->node_mark[t->way.v[i]] = t->mark;
	}
	if (!prefix)
		prefix = push_function(t, s, 0, filters_rest(s->view.elided));
	return prefix ? prefix - 1 : 0;
}

uint32_t firefox_loss(struct firefox_tables *t, const struct stacks *s,
	uint32_t function, uint32_t thread)
{
	uint32_t stack =
		push_function(t, s, push_group(t, s, thread), function);

	return stack ? stack - 1 : 0;
}

/* Columns: LIST's things, each with what FORMAT makes of it. */

/* Whether the work is to end. */
static bool stop(struct firefox_tables *t, size_t done, size_t all)
{
	if (!t->stopped &&
		work_step(t->work, "writing stacks", done, all, t->err))
		t->stopped = true;
	return t->stopped;
}

#define COLUMN(out, name, list, type, ...)                                     \
	do {                                                                   \
		fprintf(out, ",\"%s\":[", name);                               \
		for (size_t i_ = 0; i_ < (list).n && !stop(t, i_, (list).n);   \
			i_++) {                                                \
			const type *it = &(list).v[i_];                        \
			(void)it;                                              \
			if (i_)                                                \
				fputc(',', out);                               \
			__VA_ARGS__;                                           \
		}                                                              \
		fputc(']', out);                                               \
	} while (0)

void firefox_column(FILE *out, const char *name, size_t n, const char *value)
{
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		fprintf(out, i ? ",%s" : "%s", value);
	fputc(']', out);
}

static void put_or_null(FILE *out, uint64_t n)
{
	if (n)
		fprintf(out, "%" PRIu64, n);
	else
		fputs("null", out);
}

static void write_frames(FILE *out, struct firefox_tables *t)
{
	fprintf(out, "\"frameTable\":{\"length\":%zu", t->frames.n);
	COLUMN(out, "address", t->frames, struct firefox_frame,
		if (it->code) fprintf(out, "%" PRIu64, it->addr);
		else fputs("-1", out));
	COLUMN(out, "inlineDepth", t->frames, struct firefox_frame,
		fprintf(out, "%" PRIu32, it->depth));
	COLUMN(out, "category", t->frames, struct firefox_frame,
		fputs(it->function >= FN_LOST && it->function < FN_FIRST_REAL
				? "1"
				: "0",
			out));
	firefox_column(out, "subcategory", t->frames.n, "0");
	COLUMN(out, "func", t->frames, struct firefox_frame,
		fprintf(out, "%" PRIu32,
			set_find(&t->functions, &it->function, 0)));
	firefox_column(out, "nativeSymbol", t->frames.n, "null");
	firefox_column(out, "innerWindowID", t->frames.n, "null");
	firefox_column(out, "implementation", t->frames.n, "null");
	COLUMN(out, "line", t->frames, struct firefox_frame,
		put_or_null(out, it->line));
	firefox_column(out, "column", t->frames.n, "null");
	firefox_column(out, "optimizations", t->frames.n, "null");
	fputs("},\n", out);
}

static void write_functions(
	FILE *out, struct firefox_tables *t, const struct stacks *s)
{
	const struct function *functions = s->data->functions;

	fprintf(out, "\"funcTable\":{\"length\":%zu", t->functions.n);
	COLUMN(out, "name", t->functions, uint32_t,
		fprintf(out, "%" PRIu32, firefox_name(t, s, *it)));
	firefox_column(out, "isJS", t->functions.n, "false");
	firefox_column(out, "relevantForJS", t->functions.n, "false");
	COLUMN(out, "resource", t->functions, uint32_t,
		if (functions[*it].module_id) fprintf(out, "%" PRIu32,
			set_find(&t->modules, &functions[*it].module_id, 0));
		else fputs("-1", out));
	COLUMN(out, "fileName", t->functions, uint32_t,
		if (functions[*it].file && *functions[*it].file) fprintf(
			out, "%" PRIu32, string(t, functions[*it].file));
		else fputs("null", out));
	COLUMN(out, "lineNumber", t->functions, uint32_t,
		put_or_null(out, functions[*it].line));
	firefox_column(out, "columnNumber", t->functions.n, "null");
	fputs("},\n", out);
}

static void write_modules(
	FILE *out, struct firefox_tables *t, const struct stacks *s)
{
	fprintf(out, "\"resourceTable\":{\"length\":%zu", t->modules.n);
	COLUMN(out, "lib", t->modules, uint32_t,
		fprintf(out, "%" PRIu32, *it - 1));
	COLUMN(out, "name", t->modules, uint32_t,
		fprintf(out, "%" PRIu32,
			string(t, text_base_name(s->data->modules[*it].path))));
	firefox_column(out, "host", t->modules.n, "null");
	firefox_column(out, "type", t->modules.n, "1");
	fputs("},\n", out);
}

static void write_stacks(FILE *out, struct firefox_tables *t)
{
	fprintf(out, "\"stackTable\":{\"length\":%zu", t->stacks.n);
	COLUMN(out, "prefix", t->stacks, struct firefox_stack,
		if (it->prefix) fprintf(out, "%" PRIu32, it->prefix - 1);
		else fputs("null", out));
	COLUMN(out, "frame", t->stacks, struct firefox_stack,
		fprintf(out, "%" PRIu32, it->frame));
	COLUMN(out, "category", t->stacks, struct firefox_stack,
		fputs(t->frames.v[it->frame].function >= FN_LOST &&
					t->frames.v[it->frame].function <
						FN_FIRST_REAL
				? "1"
				: "0",
			out));
	firefox_column(out, "subcategory", t->stacks.n, "0");
	fputs("},\n", out);
}

int firefox_tables_write(FILE *out, struct firefox_tables *t,
	const struct stacks *s, struct err *err)
{
	t->work = s->view.work;
	t->err = err;
	write_frames(out, t);
	write_functions(out, t, s);
	write_modules(out, t, s);
	write_stacks(out, t);
	fputs("\"nativeSymbols\":{\"length\":0,\"address\":[],"
	      "\"functionSize\":[],\"libIndex\":[],\"name\":[]},\n"
	      "\"stringArray\":[",
		out);
	for (uint32_t i = 0; i < strings_count(&t->strings); i++) {
		if (i)
			fputc(',', out);
		firefox_string(out, strings_get(&t->strings, i), &t->failed);
	}
	fputs("],\n", out);
	return t->stopped ? -1 : 0;
}
