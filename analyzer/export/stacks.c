/* Finds the frames of a stack, as the report shows them, and the books of a
   resource. */
#include "analyzer/export/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/tree/tree_frames.h"
#include "analyzer/tree/tree_private.h"
#include "lib/text.h"

char *export_name(const char *name)
{
	size_t size = strlen(name) * 4 + 1;
	char *escaped = malloc(size);

	return escaped ? text_escape(name, escaped, size) : NULL;
}

/* What is shown of FUNCTION. */
static uint32_t shown(const struct stacks *s, uint32_t function)
{
	function = tree_base(s->data, &s->view, function);
	return s->shown ? s->shown[function] : function;
}

/* The frames in the file. */
static size_t own_frames(const struct stacks *s, const struct location *at,
	struct stack_frame frames[STACK_FRAMES_MAX])
{
	size_t count = 0;

	for (uint32_t k = tree_innermost(&s->view, at); k < at->nframes; k++)
		frames[count++] = (struct stack_frame){at->frames[k].function,
			at->frames[k].line, at->frames[k].file, false};
	return count;
}

/* All frames of a node, innermost first, what is not shown as FN_NONE. */
static size_t all_frames(const struct stacks *s, uint32_t node,
	struct stack_frame frames[STACK_FRAMES_MAX])
{
	const struct location *n = dataset_location(s->data, node);
	const struct location *caller =
		dataset_location(s->data, s->data->nodes[node].parent);
	uint32_t before = FN_NONE;
	size_t count = own_frames(s, n, frames);

	if (!n->nframes)
		return 0;
	if (caller->nframes)
		before = tree_frame(
			s->data, caller, tree_innermost(&s->view, caller));
	for (uint32_t k = n->nframes; k <= tree_outermost(s->data, n); k++)
		frames[count++] = (struct stack_frame){
			tree_frame(s->data, n, k), 0, "", true};
	for (size_t k = count; k-- > 0;) {
		uint32_t function = frames[k].function;

		frames[k].function =
			tree_is_same_frame(s->data, &s->view, before, function)
				? FN_NONE
				: shown(s, function);
		before = function;
	}
	return count;
}

/* The group of the innermost shown frame of NODE and its callers. */
static uint32_t group_above(const struct stacks *s, uint32_t node)
{
	struct stack_frame frames[STACK_FRAMES_MAX];

	for (; node; node = s->data->nodes[node].parent) {
		size_t n = all_frames(s, node, frames);

		for (size_t k = 0; k < n; k++)
			if (frames[k].function != FN_NONE)
				return frames[k].function;
	}
	return FN_NONE;
}

size_t stack_frames(const struct stacks *s, uint32_t node,
	struct stack_frame frames[STACK_FRAMES_MAX])
{
	bool groups =
		s->view.group == GROUP_MODULE || s->view.group == GROUP_FILE;
	size_t n = all_frames(s, node, frames), kept = 0;
	uint32_t above =
		groups ? group_above(s, s->data->nodes[node].parent) : FN_NONE;

	for (size_t k = n; groups && k-- > 0;) {
		uint32_t function = frames[k].function;

		if (function == above)
			frames[k].function = FN_NONE;
		else if (function != FN_NONE)
			above = function;
	}
	for (size_t k = 0; k < n; k++)
		if (frames[k].function != FN_NONE)
			frames[kept++] = frames[k];
	return kept;
}

uint32_t stack_group(const struct stacks *s, uint32_t thread)
{
	if (s->view.group != GROUP_THREAD && s->view.group != GROUP_PROCESS)
		return FN_NONE;
	return s->data->groups[s->view.group][thread];
}

static bool is_plain(const struct tree_view *view)
{
	return !(view->filters && view->filters->n) &&
	       !(view->elided && view->elided->n) &&
	       view->group == GROUP_FUNCTION;
}

struct kept *kept_new(
	const struct export *x, struct stacks *stacks, struct err *err)
{
	struct kept *kept =
		calloc((size_t)x->data->nresources + 1, sizeof *kept);
	struct tree_view view = x->view;

	if (!kept) {
		err_memory(err, NULL, "export");
		return NULL;
	}
	*stacks = (struct stacks){x->data, x->view, x->short_names, NULL};
	for (uint32_t r = 1; r <= x->data->nresources; r++) {
		if (!x->all && r != x->view.resource)
			continue;
		kept[r].on = true;
		if (is_plain(&view))
			continue;
		view.resource = r;
		kept[r].tree = tree_new(x->data, &view, err);
		if (!kept[r].tree) {
			kept_free(kept, x->data);
			return NULL;
		}
		/* The same of all of them. */
		stacks->shown = kept[r].tree->impl->shown;
	}
	return kept;
}

void kept_free(struct kept *kept, const struct dataset *data)
{
	for (uint32_t r = 1; kept && r <= data->nresources; r++)
		tree_free(kept[r].tree);
	free(kept);
}

char *export_books(const struct dataset *data, uint32_t resource)
{
	const struct cpd_resource *r = &data->resources[resource];
	const struct books *books = &data->books[resource];
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fprintf(f,
		"resource %s: gtick %s; interval %" PRIu64 "%s%s; hits %" PRIu64
		"; samples %" PRIu64 "; in samples %" PRIu64,
		r->name, r->gtick, r->interval,
		r->flags & CPD_RESOURCE_RANDOM ? " (varied)" : "",
		r->flags & CPD_RESOURCE_EVENTS ? " (events)" : "", books->hits,
		books->samples, books->weight);
	for (int k = 0; k < CPD_LOSS_KINDS; k++)
		if (books->loss[k])
			fprintf(f, "; %s %" PRIu64, cpd_loss_names[k],
				books->loss[k]);
	if (books->has_total)
		fprintf(f, "; consumed %" PRIu64 "%s", books->total,
			r->flags & CPD_RESOURCE_ESTIMATE ? " (an estimate)"
							 : "");
	else
		fputs("; consumed: not known", f);
	if (books->truncated)
		fprintf(f, "; stacks truncated %" PRIu64, books->truncated);
	return text_end(f, &text);
}
