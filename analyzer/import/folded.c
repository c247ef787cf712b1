/*
 * folded.c - "root;...;leaf count" lines.
 *
 * A `;` in a name of ours is written \x3b, and is one again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/import/build.h"
#include "analyzer/import/lines.h"

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

struct folded_reader {
	struct build *b;
	uint32_t resource, module, thread;
};

/* The node of a stack, which is taken apart. */
static uint32_t stack_node(struct folded_reader *r, char *stack)
{
	uint32_t node = 0;
	char *next;

	for (char *name = stack; name; name = next) {
		struct build_frame frame = {.linkage = "", .file = ""};

		next = strchr(name, ';');
		if (next)
			*next++ = '\0';
		unescape(name);
		frame.name = name;
		if (!node) {
			node = build_pseudo(r->b, name);
			if (node)
				continue;
		}
		node = build_node(r->b, node,
			build_place(
				r->b, r->module, &frame, 1, BUILD_NO_OFFSET));
	}
	return node;
}

static int read_line(struct folded_reader *r, const struct lines *l, char *line,
	struct err *err)
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
		return lines_error(
			l, err, "its count is no whole number below 2^63");
	*blank = '\0';
	if (!count)
		return 0;
	if (build_is_loss(line, &kind)) {
		build_loss(r->b, r->resource, kind, 0, count);
		return 0;
	}
	sample.node = stack_node(r, line);
	sample.weight = count;
	build_samples(r->b, &sample, count, count);
	return 0;
}

int import_folded(const struct import *im, struct err *err)
{
	static const struct build_unit unit = {CPD_COUNT, "sample", 1, 1};
	struct folded_reader r = {.b = build_new(im, err)};
	struct lines l = {0};
	char *line;
	int got = -1;

	if (!r.b)
		return -1;
	build_head(r.b, 0, 0);
	r.resource = build_resource(r.b, "samples", &unit, NULL, 1, 0);
	r.module = build_module(r.b, "[folded]", NULL, 0);
	r.thread = build_thread(
		r.b, &(struct build_task){
			     .process = "[folded]", .exe = "", .name = ""});
	snprintf(im->done->weight, sizeof im->done->weight,
		"a stack's weight is its count");
	lines_begin(&l, im->path, im->in, im->work);
	while (!build_broken(r.b) && (got = lines_next(&l, &line, err)) > 0)
		if (*line && read_line(&r, &l, line, err) < 0) {
			got = -1;
			break;
		}
	if (build_broken(r.b) || got == 0)
		got = build_end(r.b, err);
	lines_end(&l);
	build_free(r.b);
	return got;
}
