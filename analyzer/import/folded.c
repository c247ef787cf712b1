/*
 * folded.c - "root;...;leaf count" lines.
 *
 * A `;` in a name of ours is written \x3b, and is one again.  What flame graph
 * programs add to a name says what the function is (stackcollapse-perf.pl
 * --all, inferno): _[i] it is inlined in the one before it, _[j] a compiler
 * made it as the program ran, _[k] it is the kernel's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/import/build.h"
#include "analyzer/import/lines.h"
#include "lib/vec.h"

static void unescape(char *name)
{
	char *to = name;

	while (*name) {
		if (strncmp(name, "\\x3b", 4) == 0) {
			*to++ = ';';
			name += 4;
		} else {
			*to++ = *name++;
		}
	}
	*to = '\0';
}

enum mark { PLAIN, INLINED, JIT, KERNEL, MARKS };

static const struct {
	const char *end, *module; /* NULL: that of the one before it */
} marks[MARKS] = {
	[PLAIN] = {"", "[folded]"},
	[INLINED] = {"_[i]", NULL},
	[JIT] = {"_[j]", "[jit]"},
	[KERNEL] = {"_[k]", "[kernel.kallsyms]"},
};

struct reader {
	struct build *b;
	uint32_t resource, thread;
	uint32_t modules[MARKS];       /* 0: not yet made */
	enum mark mark;                /* of the place at hand */
	VEC(struct build_frame) place; /* its functions, outermost first */
};

/* Cuts it off the name. */
static enum mark take_mark(char *name)
{
	size_t n = strlen(name);

	for (enum mark mark = INLINED; mark < MARKS; mark++) {
		size_t end = strlen(marks[mark].end);

		if (n <= end || strcmp(name + n - end, marks[mark].end) != 0)
			continue;
		name[n - end] = '\0';
		return mark;
	}
	return PLAIN;
}

/* Adds the place at hand to the stack. */
static uint32_t end_place(struct reader *r, uint32_t node)
{
	struct build_frame *v = r->place.v;
	size_t n = r->place.n;
	uint32_t *module = &r->modules[r->mark];

	if (!n)
		return node;
	for (size_t i = 0; i < n / 2; i++) {
		struct build_frame outer = v[i];

		v[i] = v[n - 1 - i];
		v[n - 1 - i] = outer;
	}
	if (!*module)
		*module = build_module(r->b, marks[r->mark].module, NULL, 0);
	r->place.n = 0;
	return build_node(
		r->b, node, build_place(r->b, *module, v, n, BUILD_NO_OFFSET));
}

static uint32_t take_function(struct reader *r, uint32_t node, char *name)
{
	enum mark mark = take_mark(name);
	struct build_frame *slot;

	if (mark != INLINED || !r->place.n || r->place.n == BUILD_FRAMES_MAX) {
		node = end_place(r, node);
		r->mark = mark == INLINED ? PLAIN : mark;
	}
	unescape(name);
	slot = vec_push(&r->place);
	if (slot)
		*slot = (struct build_frame){
			.name = name, .linkage = "", .file = ""};
	else
		build_no_memory(r->b);
	return node;
}

/* The node of a stack, which is taken apart. */
static uint32_t stack_node(struct reader *r, char *stack)
{
	uint32_t node = 0;
	char *next;

	for (char *name = stack; name; name = next) {
		next = strchr(name, ';');
		if (next)
			*next++ = '\0';
		if (name == stack)
			node = build_pseudo(r->b, name);
		if (name != stack || !node)
			node = take_function(r, node, name);
	}
	return end_place(r, node);
}

static int read_line(
	struct reader *r, const struct lines *l, char *line, struct err *err)
{
	char *blank = strrchr(line, ' '), *end;
	struct cpd_sample sample = {
		.thread = r->thread, .resource = r->resource};
	enum cpd_loss_kind kind;
	uint64_t count;

	if (!blank || blank == line || !strchr("0123456789", blank[1]) ||
		!blank[1])
		return lines_error(l, err, "no stack with a count behind it");
	errno = 0;
	count = strtoull(blank + 1, &end, 10);
	if (*end || errno || count > INT64_MAX)
		return lines_error(l, err, "its count is no whole number");
	*blank = '\0';
	if (!count)
		return 0;
	if (build_is_loss(line, &kind)) {
		build_loss(r->b, r->resource, kind, 0, count);
		return 0;
	}
	sample.node = stack_node(r, line);
	sample.weight = count;
	sample.hits = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	build_samples(r->b, &sample, count);
	return 0;
}

int import_folded(const struct import *im, struct err *err)
{
	static const struct build_unit unit = {CPD_COUNT, "sample", 1, 1};
	struct reader r = {.b = build_new(im, err)};
	struct lines l = {0};
	char *line;
	int got = -1;

	if (!r.b)
		return -1;
	build_head(r.b, 0, 0);
	r.resource = build_resource(r.b, "samples", &unit, NULL, 1, 0);
	r.thread = build_thread(r.b, 0, "[folded]", "", 0, "", 0);
	snprintf(im->done->weight, sizeof im->done->weight,
		"a stack's weight is its count");
	lines_begin(&l, im);
	while (!build_broken(r.b) && (got = lines_next(&l, &line, err)) > 0)
		if (*line && *line != '#' && read_line(&r, &l, line, err) < 0) {
			got = -1;
			break;
		}
	if (build_broken(r.b) || got == 0)
		got = build_end(r.b, err);
	lines_end(&l);
	vec_free(&r.place);
	build_free(r.b);
	return got;
}
