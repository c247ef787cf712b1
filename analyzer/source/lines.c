/* lines.c - adds up samples by line and function: each counts from its
   outermost place on the stack. */
#include "analyzer/source/lines.h"

#include <stdlib.h>
#include <string.h>

#include "lib/impl.h"
#include "lib/lower_bound.h"
#include "lib/order.h"
#include "lib/set.h"
#include "analyzer/source/late_places.h"
#include "analyzer/source/stacks.h"
#include "analyzer/tree/tree_frames.h"

struct counted {
	struct source_line line;
	uint32_t open; /* how often it is on the stack at hand */
};

struct source_lines_private {
	SET_OF(struct counted) counted;
	struct source_line *lines; /* sorted, of all functions */
	uint32_t *open;            /* by place in FUNCTIONS */
	const uint32_t *functions; /* borrowed, while they are counted */
	size_t nfunctions;
	struct source_lines *result;
	struct late_places *late; /* of addresses without lines */
	bool placed;              /* they are looked up */
};

/* The place of FUNCTION among those that are listed; HASH_NONE: no place. */
static uint32_t wanted(
	const struct source_lines_private *impl, uint32_t function)
{
	uint32_t shown = tree_base(
		impl->result->tree->data, &impl->result->tree->view, function);
	size_t at =
		LOWER_BOUND(impl->nfunctions, i, impl->functions[i] < shown);

	return at < impl->nfunctions && impl->functions[at] == shown
		       ? (uint32_t)at
		       : HASH_NONE;
}

/* Equal names of files are one string. */
static struct counted *find(struct source_lines_private *impl,
	uint32_t function, const char *file, uint32_t line)
{
	const struct counted like = {
		.line = {.file = file, .function = function, .line = line}};
	uint32_t i = set_add(
		&impl->counted, &like, offsetof(struct source_line, total));

	return i == HASH_NONE ? NULL : &impl->counted.v[i];
}

/* The function and line of frame K, those left by a tail call from nframes
   on; the place of the function, or HASH_NONE. */
static uint32_t frame_at(const struct source_lines_private *impl,
	uint32_t number, uint32_t k, struct frame *frame)
{
	const struct location *at =
		dataset_location(impl->result->tree->data, number);
	static const char unknown[] = "";

	if (k < at->nframes)
		*frame = at->frames[k];
	else
		*frame = (struct frame){
			.function = tree_frame(impl->result->tree->data, at, k),
			.file = unknown};
	if (!frame->line && impl->placed && k + 1u == at->nframes)
		late_places_find(impl->late, number, frame);
	if (!frame->line)
		frame->file = unknown;
	return wanted(impl, frame->function);
}

static int enter(void *arg, uint32_t number, const struct tree_sums *all,
	const struct tree_sums *own)
{
	struct source_lines_private *impl = arg;
	const struct tree *tree = impl->result->tree;
	const struct location *node = dataset_location(tree->data, number);
	uint32_t first = tree_innermost(&tree->view, node);
	uint32_t n = tree_outermost(tree->data, node) + 1;

	for (uint32_t k = first; k < n; k++) {
		struct frame frame;
		uint32_t at = frame_at(impl, number, k, &frame);
		struct source_function *function;
		struct counted *line;

		if (at == HASH_NONE)
			continue;
		function = &impl->result->v[at];
		line = find(impl, function->function, frame.file, frame.line);
		if (!line)
			return -1;
		if (!line->open++)
			tree_sums_add(&line->line.total, all);
		if (!impl->open[at]++)
			tree_sums_add(&function->total, all);
		if (k == first) {
			tree_sums_add(&line->line.self, own);
			tree_sums_add(&function->self, own);
		}
		if (k + 1u == node->nframes && !frame.line && !impl->placed &&
			late_places_add(impl->late, number))
			return -1;
	}
	return 0;
}

static void leave(void *arg, uint32_t number)
{
	struct source_lines_private *impl = arg;
	const struct tree *tree = impl->result->tree;
	const struct location *node = dataset_location(tree->data, number);
	uint32_t n = tree_outermost(tree->data, node) + 1;

	for (uint32_t k = tree_innermost(&tree->view, node); k < n; k++) {
		struct frame frame;
		uint32_t at = frame_at(impl, number, k, &frame);
		struct counted *line;

		if (at == HASH_NONE)
			continue;
		impl->open[at]--;
		line = find(impl, impl->result->v[at].function, frame.file,
			frame.line);
		if (line)
			line->open--;
	}
}

static int compare_lines(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;

	return ORDER(x->function, y->function) ?: strcmp(x->file, y->file)
	       ?: ORDER(x->line, y->line);
}

static int compare_functions(const void *a, const void *b)
{
	const struct source_function *x = a, *y = b;

	return ORDER(y->total.weight, x->total.weight)
		       ?: ORDER(x->function, y->function);
}

/* The lines go to their functions; those in no stack are left out. */
static int settle(struct source_lines *result)
{
	struct source_lines_private *impl = result->impl;
	size_t n = impl->counted.n, kept = 0, at = 0;

	impl->lines = calloc(n + 1, sizeof *impl->lines);
	if (!impl->lines)
		return -1;
	for (size_t i = 0; i < n; i++)
		impl->lines[i] = impl->counted.v[i].line;
	qsort(impl->lines, n, sizeof *impl->lines, compare_lines);
	for (size_t i = 0; i < result->n; i++) {
		struct source_function *f = &result->v[i];

		f->lines = &impl->lines[at];
		while (at < n && impl->lines[at].function == f->function) {
			f->has_lines |= impl->lines[at++].line != 0;
			f->nlines++;
		}
		result->has_lines |= f->has_lines;
		if (f->nlines)
			result->v[kept++] = *f;
	}
	result->n = kept;
	qsort(result->v, kept, sizeof *result->v, compare_functions);
	return 0;
}

static int count(struct source_lines *result, const uint32_t *functions,
	size_t n, const struct stacks_visitor *visitor, struct err *err)
{
	result->n = n;
	for (size_t i = 0; i < n; i++)
		result->v[i] =
			(struct source_function){.function = functions[i]};
	if (stacks_walk(result->tree, visitor, err))
		return -1;
	return settle(result) ? err_memory(err, NULL, "list") : 0;
}

/* Counts again with the lines of debug information that is there now, if
   there is any. */
static int count_late(struct source_lines *result, const uint32_t *functions,
	size_t n, const struct stacks_visitor *visitor, struct err *err)
{
	struct source_lines_private *impl = result->impl;

	if (late_places_look_up(impl->late, &impl->placed))
		return err_memory(err, NULL, "list");
	if (!impl->placed)
		return 0;
	result->late = true;
	set_clear(&impl->counted);
	free(impl->lines);
	impl->lines = NULL;
	return count(result, functions, n, visitor, err);
}

struct source_lines *source_lines_new(const struct tree *tree,
	const uint32_t *functions, size_t n, struct debug_search *search,
	struct err *err)
{
	struct source_lines *result = new_with_impl(struct source_lines);
	struct source_lines_private *impl = result ? result->impl : NULL;
	struct stacks_visitor visitor = {impl, enter, leave};
	int status = -1;

	if (!result) {
		err_memory(err, NULL, "list");
		return NULL;
	}
	result->tree = tree;
	result->n = n;
	result->v = calloc(n + 1, sizeof *result->v);
	impl->open = calloc(n + 1, sizeof *impl->open);
	impl->functions = functions;
	impl->nfunctions = n;
	impl->result = result;
	impl->late = late_places_new(tree, search);
	if (result->v && impl->open && impl->late) {
		status = count(result, functions, n, &visitor, err);
		if (!status && !result->has_lines)
			status =
				count_late(result, functions, n, &visitor, err);
	} else {
		err_memory(err, NULL, "list");
	}
	impl->functions = NULL;
	if (!status)
		return result;
	source_lines_free(result);
	return NULL;
}

void source_lines_free(struct source_lines *lines)
{
	if (!lines)
		return;
	set_free(&lines->impl->counted);
	free(lines->impl->lines);
	free(lines->impl->open);
	late_places_free(lines->impl->late);
	free(lines->v);
	free(lines);
}
