#include "analyzer/export/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/text.h"

static const uint32_t loss_functions[CPD_LOSS_KINDS] = {
	[CPD_LOST] = FN_LOST,
	[CPD_UNSAMPLED] = FN_UNSAMPLED,
	[CPD_KERNEL] = FN_KERNEL,
	[CPD_SETUID] = FN_SETUID,
	[CPD_PROBES] = FN_PROBES,
};

uint32_t stack_loss(enum cpd_loss_kind kind)
{
	return loss_functions[kind];
}

int export_no_memory(struct err *err)
{
	return err_set(err, NULL, "export", "out of memory");
}

char *export_name(const char *name)
{
	size_t size = strlen(name) * 4 + 1;
	char *escaped = malloc(size);

	return escaped ? text_escape(name, escaped, size) : NULL;
}

uint32_t stack_innermost(
	const struct dataset *data, const struct tree_view *view, uint32_t node)
{
	const struct node *n = &data->nodes[node];

	if (!n->nframes)
		return FN_NONE;
	return n->frames[view->no_inlines ? n->nframes - 1 : 0].function;
}

/*
 * Clones are folded unless the view has them apart: f and the f.part.0 that it
 * calls are one frame then, that of the caller.
 */
static bool is_folded(const struct dataset *data, const struct tree_view *view,
	uint32_t function, uint32_t before)
{
	uint32_t base = data->functions[function].base;

	return !view->clones && base != function && before != function &&
	       data->functions[before].base == base;
}

size_t stack_frames(const struct dataset *data, const struct tree_view *view,
	uint32_t node, uint32_t before,
	struct stack_frame frames[STACK_FRAMES_MAX])
{
	const struct node *n = &data->nodes[node];
	struct stack_frame all[STACK_FRAMES_MAX];
	size_t count = 0, kept = 0;
	uint32_t lost;

	if (!n->nframes)
		return 0;
	for (uint32_t k = view->no_inlines ? n->nframes - 1u : 0;
		k < n->nframes; k++)
		all[count++] = (struct stack_frame){n->frames[k].function,
			n->frames[k].line, n->frames[k].file, false};
	for (uint32_t k = 0; n->lost && (lost = dataset_lost(data, n, k)); k++)
		all[count++] = (struct stack_frame){lost, 0, "", true};
	for (size_t k = count; k-- > 0;) {
		uint32_t function = all[k].function;

		if (is_folded(data, view, function, before)) {
			all[k].function = FN_NONE;
		} else if (!view->clones) {
			all[k].function = data->functions[function].base;
		}
		before = function;
	}
	for (size_t k = 0; k < count; k++)
		if (all[k].function != FN_NONE)
			frames[kept++] = all[k];
	return kept;
}

/* What the filters keep of a resource is what its tree has. */
static int keep(struct kept *kept, const struct export *x, uint32_t resource,
	struct err *err)
{
	struct tree_view view = x->view;
	struct tree *tree;

	kept->on = true;
	for (int k = 0; k < CPD_LOSS_KINDS; k++)
		kept->loss[k] = true;
	if (!view.filters || !view.filters->n)
		return 0;
	view.resource = resource;
	kept->tree = tree = tree_new(x->data, &view, err);
	if (!tree)
		return -1;
	for (int k = 0; k < CPD_LOSS_KINDS; k++)
		kept->loss[k] = false;
	for (uint32_t i = 1; i < tree->n; i += tree->nodes[i].size)
		for (int k = 0; k < CPD_LOSS_KINDS; k++)
			kept->loss[k] |=
				tree->nodes[i].function == loss_functions[k];
	return 0;
}

struct kept *kept_new(const struct export *x, struct err *err)
{
	struct kept *kept =
		calloc((size_t)x->data->nresources + 1, sizeof *kept);

	if (!kept) {
		export_no_memory(err);
		return NULL;
	}
	for (uint32_t r = 1; r <= x->data->nresources; r++) {
		if (!x->all && r != x->view.resource)
			continue;
		if (keep(&kept[r], x, r, err) < 0) {
			kept_free(kept, x->data);
			return NULL;
		}
	}
	return kept;
}

void kept_free(struct kept *kept, const struct dataset *data)
{
	for (uint32_t r = 1; kept && r <= data->nresources; r++)
		tree_free(kept[r].tree);
	free(kept);
}
